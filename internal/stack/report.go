package stack

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cubin"
	"github.com/ptxabi/ptxabi/internal/link"
	"github.com/ptxabi/ptxabi/internal/prose"
)

// Format is the name and version of the JSON form.
const Format = "ptxabi.stack/1"

// A Report says how much stack and how many registers the kernels of programs need.
type Report struct {
	Format   string    `json:"format"`
	Programs []Program `json:"programs"`
}

// A Program is one that is linked, or would be.
type Program struct {
	File    string   `json:"file,omitempty"` // of one that is linked; "" for what the objects would be linked to
	Target  string   `json:"target"`
	Linked  bool     `json:"linked"`
	Kernels []Kernel `json:"kernels"`

	graph *graph
}

// A Bound says what the number of bytes of a kernel is.
type Bound string

// The bounds.
const (
	Bounded   Bound = "exact"     // that many bytes are needed, and never more
	Recursive Bound = "recursive" // each cycle counts once; every level more needs more
	AtLeast   Bound = "at least"  // something is called that is not known
)

// A Kernel is what is known of one.
type Kernel struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Bytes int    `json:"bytes"` // of stack, of each thread
	Bound Bound  `json:"bound"`
	// Recorded is what the linker or the assembler wrote down; nil where there is
	// nothing, as in objects and of recursion.
	Recorded *int `json:"recorded,omitempty"`
	// Whole says that Bytes is what is recorded: of a program that was assembled as a
	// whole no calls are.
	Whole     bool      `json:"whole,omitempty"`
	Path      []Step    `json:"path"` // the deepest way
	Cycles    []Cycle   `json:"cycles"`
	Pointers  []Pointer `json:"pointers"`
	Unknown   []string  `json:"unknown"` // functions without a known frame: elsewhere, or the system's
	Registers Registers `json:"registers"`
}

// A Step is a function on a way.
type Step struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Frame    int    `json:"frame"` // bytes; -1: not known
	// Args is how many bytes of its parameters are on the stack, in its caller's frame;
	// -1 where that is not known: arrays may be aligned in ways that are not recorded.
	Args    int  `json:"args"`
	Pointer bool `json:"pointer,omitempty"`
	Cycle   bool `json:"cycle,omitempty"` // it comes to itself again
}

// A Cycle is functions that come to themselves again.
type Cycle struct {
	Functions []string `json:"functions"`
	Bytes     int      `json:"bytes"` // of a level, at most
	Exact     bool     `json:"exact"` // there is one way round
	Pointer   bool     `json:"pointer,omitempty"`
}

// A Pointer is a call through a pointer.
type Pointer struct {
	Caller    string   `json:"caller"`
	Prototype string   `json:"prototype"` // "(.b32) -> .b64"
	MayCall   []string `json:"mayCall"`   // the functions whose address is taken with that prototype
}

// Of reports on programs. Block is how many threads a block is wanted to have; 0: that
// is not asked.
func Of(programs []*link.Linked, block int) *Report {
	r := &Report{Format: Format, Programs: []Program{}}
	for _, p := range programs {
		t, err := abi.Lookup(p.Arch)
		if err != nil {
			t = nil
		}
		g := graphOf(p)
		d := g.depths()
		out := Program{File: p.File, Target: p.Arch, Linked: p.Done, Kernels: []Kernel{}, graph: g}
		for i, f := range g.funcs {
			if f.Kernel {
				out.Kernels = append(out.Kernels, g.kernel(d, i, t, block))
			}
		}
		if len(out.Kernels) > 0 {
			r.Programs = append(r.Programs, out)
		}
	}
	return r
}

// OK reports whether every kernel can be launched with the blocks that were asked
// about.
func (r *Report) OK() bool {
	for _, p := range r.Programs {
		for _, k := range p.Kernels {
			if !k.Registers.Launches {
				return false
			}
		}
	}
	return true
}

// JSON is the report in the form [Format].
func (r *Report) JSON() ([]byte, error) {
	out, err := json.MarshalIndent(r, "", "  ")
	return append(out, '\n'), err
}

// words are a prototype as one reads it: "(.b32, .b8[16]) -> .b64".
func words(text string) string {
	text, _, _ = strings.Cut(text, "|")
	results, params, ok := cubin.Prototype{Text: text}.Values()
	if !ok {
		return text
	}
	var list []string
	for _, v := range params {
		list = append(list, v.Words())
	}
	s := "(" + strings.Join(list, ", ") + ")"
	if len(results) > 0 {
		s += " -> " + results[0].Words()
	}
	return s
}

// String is the report for people.
func (r *Report) String() string {
	var b strings.Builder
	for i, p := range r.Programs {
		if i > 0 {
			b.WriteByte('\n')
		}
		what := "linked from these files"
		if p.Linked {
			what = p.File
		}
		fmt.Fprintf(&b, "%s, for %s\n", what, p.Target)
		for j := range p.Kernels {
			p.Kernels[j].text(&b)
		}
	}
	return b.String()
}

func (k *Kernel) text(b *strings.Builder) {
	fmt.Fprintf(b, "\nkernel %s: ", k.Name)
	switch k.Bound {
	case Bounded:
		fmt.Fprintf(b, "%s of stack\n", prose.Count(k.Bytes, "byte"))
	case AtLeast:
		fmt.Fprintf(b, "at least %s of stack\n", prose.Count(k.Bytes, "byte"))
	case Recursive:
		fmt.Fprintf(b, "no bound, %s of stack for one level\n", prose.Count(k.Bytes, "byte"))
	}
	if k.Whole {
		b.WriteString("  as the assembler recorded it; of a program that was assembled as a whole no calls are recorded\n")
	}
	total := 0
	for _, s := range k.Path {
		frame := "?"
		if s.Frame >= 0 {
			frame = fmt.Sprint(s.Frame)
			total += s.Frame
		}
		name := s.Function
		if s.Pointer {
			name += ", through a pointer"
		}
		if s.Cycle {
			name += ", again and again"
		}
		if s.Args > 0 {
			name += fmt.Sprintf(", whose parameters take %s of the frame above", prose.Count(s.Args, "byte"))
		}
		fmt.Fprintf(b, "  %6s %7d  %s\n", frame, total, name)
	}
	for _, c := range k.Cycles {
		most := "at most "
		if c.Exact {
			most = ""
		}
		fmt.Fprintf(b, "  each level of %s takes %s%s: for n levels set the limit to %d + (n - 1) * %d\n", some(c.Functions), most, prose.Count(c.Bytes, "byte"), k.Bytes, c.Bytes)
	}
	for _, p := range k.Pointers {
		may := some(p.MayCall)
		if may == "" {
			may = "nothing that is known here"
		}
		fmt.Fprintf(b, "  %s calls through a pointer %s: %s\n", p.Caller, p.Prototype, may)
	}
	if len(k.Unknown) > 0 {
		fmt.Fprintf(b, "  not counted: %s\n", some(k.Unknown))
	}
	switch {
	case k.Recorded == nil:
	case k.Bound == Bounded && *k.Recorded == k.Bytes:
		b.WriteString("  the linker recorded the same\n")
	default:
		fmt.Fprintf(b, "  the linker recorded %s\n", prose.Count(*k.Recorded, "byte"))
	}
	r := &k.Registers
	if r.Most < 0 {
		b.WriteString("  registers: not recorded\n")
		return
	}
	fmt.Fprintf(b, "  registers: %d", r.Most)
	if r.Where != k.Name {
		fmt.Fprintf(b, ", which %s needs; %d of its own", r.Where, r.Own)
	}
	if r.Limit > 0 {
		fmt.Fprintf(b, ", of %d", r.Limit)
	}
	if r.MaxThreads > 0 {
		fmt.Fprintf(b, "; blocks of at most %d threads", r.MaxThreads)
	}
	b.WriteByte('\n')
	switch {
	case !r.Launches:
		fmt.Fprintf(b, "  does not launch: %s\n", r.Why)
	case r.Block > 0:
		fmt.Fprintf(b, "  blocks of %d threads launch", r.Block)
		if r.Resident > 0 {
			fmt.Fprintf(b, ", %d of them on a multiprocessor: %s", r.Resident, r.Why)
		}
		b.WriteByte('\n')
	}
}

// listed is how many names a line of the text has.
const listed = 8

// some are names, or the first of many.
func some(names []string) string {
	if len(names) <= listed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:listed-1], ", "), len(names)-listed+1)
}
