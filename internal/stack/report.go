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
	File   string `json:"file,omitempty"` // of one that is linked; "" for what the objects would be linked to
	Target string `json:"target"`
	Linked bool   `json:"linked"`
	// Source says where frames and calls are from.
	Source Source `json:"source"`
	// Compared is what the code of a listing was held against; nil where nothing given with
	// it has the same functions.
	Compared *Compared `json:"compared,omitempty"`
	Kernels  []Kernel  `json:"kernels"`

	graph *graph
}

// A Source says where the numbers of a program are from.
type Source string

// The sources.
const (
	Records Source = "records" // what the assembler and the linker recorded in cubins
	Code    Source = "code"    // the instructions of a listing
)

// A Compared is how the frames of a listing's code compare with those that are recorded for
// functions of the same name and architecture.
type Compared struct {
	Functions int       `json:"functions"` // with both
	Differ    []Differs `json:"differ"`
}

// A Differs is a function whose frame differs.
type Differs struct {
	Function string `json:"function"`
	Code     int    `json:"code"` // bytes
	Recorded int    `json:"recorded"`
	File     string `json:"file"` // that records it
}

// A Bound says what the number of bytes of a kernel is.
type Bound string

// The bounds.
const (
	Bounded   Bound = "exact"     // that many bytes are needed, and never more
	Recursive Bound = "recursive" // each cycle counts once; every level more needs more
	AtLeast   Bound = "at least"  // something is called that is not known, or takes what is not recorded
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
	Whole    bool      `json:"whole,omitempty"`
	Path     []Step    `json:"path"` // the deepest way
	Cycles   []Cycle   `json:"cycles"`
	Pointers []Pointer `json:"pointers"`
	Unknown  []string  `json:"unknown"` // functions without a known frame: elsewhere, or the system's
	// Dynamic are functions whose code moves the stack pointer by what it computes, as
	// alloca does: that is not counted. Records do not show it.
	Dynamic []string `json:"dynamic,omitempty"`
	// Silent says that the assembler or the linker found no bound, and that nothing which
	// is recorded says why.
	Silent    bool      `json:"silent,omitempty"`
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
	Cycle   bool `json:"cycle,omitempty"` // it calls itself, directly or through others
}

// A Cycle is functions that call themselves, directly or through others.
type Cycle struct {
	Functions []string `json:"functions"`
	Bytes     int      `json:"bytes"` // of a level, at most
	Exact     bool     `json:"exact"` // there is one way round
	Pointer   bool     `json:"pointer,omitempty"`
}

// A Pointer is a call through a pointer.
type Pointer struct {
	Caller    string   `json:"caller"`
	Prototype string   `json:"prototype"` // "(.b32) -> .b64"; "?" in a listing, which has none
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
		out := Program{File: p.File, Target: p.Arch, Linked: p.Done, Source: Records, Kernels: []Kernel{}, graph: g}
		if p.Code {
			out.Source, out.Compared = Code, compare(p, programs)
		}
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

// compare holds the frames of a listing against those that other programs record for its
// functions; nil where none has any of them.
func compare(p *link.Linked, programs []*link.Linked) *Compared {
	c := &Compared{Differ: []Differs{}}
	for _, o := range programs {
		if o.Code || o.Arch != p.Arch {
			continue
		}
		recorded := make(map[string]*link.Func, len(o.Funcs))
		for _, f := range o.Funcs {
			if f.Frame >= 0 {
				recorded[f.Name] = f
			}
		}
		for _, f := range p.Funcs {
			r := recorded[f.Name]
			if r == nil || f.Frame < 0 {
				continue
			}
			c.Functions++
			if r.Frame != f.Frame {
				c.Differ = append(c.Differ, Differs{f.Name, f.Frame, r.Frame, r.File})
			}
		}
	}
	if c.Functions == 0 {
		return nil
	}
	return c
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
		if p.Source == Code {
			b.WriteString("frames and calls are from the code, not recorded\n")
		}
		if c := p.Compared; c != nil {
			verb := "have"
			if c.Functions == 1 {
				verb = "has"
			}
			fmt.Fprintf(&b, "%s %s a recorded frame too; %s\n", prose.Count(c.Functions, "function"), verb, differs(len(c.Differ)))
			for _, d := range c.Differ {
				fmt.Fprintf(&b, "  %s: %s in the code, %d recorded in %s\n", d.Function, prose.Count(d.Code, "byte"), d.Recorded, d.File)
			}
		}
		for j := range p.Kernels {
			p.Kernels[j].text(&b)
		}
	}
	return b.String()
}

// differs says how many of what is compared differ.
func differs(n int) string {
	switch n {
	case 0:
		return "none differs"
	case 1:
		return "1 differs"
	}
	return fmt.Sprintf("%d differ", n)
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
		b.WriteString("  as the assembler recorded it; a program that was assembled as a whole has no recorded calls\n")
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
		if len(k.Cycles) > 1 {
			fmt.Fprintf(b, "  each level of %s after the first takes %s%s more\n", some(c.Functions), most, prose.Count(c.Bytes, "byte"))
			continue
		}
		fmt.Fprintf(b, "  each level of %s takes %s%s: for n levels set the limit to %d + (n - 1) * %d\n", some(c.Functions), most, prose.Count(c.Bytes, "byte"), k.Bytes, c.Bytes)
	}
	if len(k.Cycles) > 1 {
		fmt.Fprintf(b, "  set the limit to %d and add the bytes of the levels\n", k.Bytes)
	}
	if k.Silent {
		b.WriteString("  the assembler found no bound, and the records do not say why: it recurses, or calls alloca; its listing (nvdisasm -c) shows which\n")
	}
	if len(k.Dynamic) > 0 {
		fmt.Fprintf(b, "  the code moves the stack pointer by a computed amount, as alloca does, which is not counted: %s\n", some(k.Dynamic))
	}
	for _, p := range k.Pointers {
		may := some(p.MayCall)
		if may == "" {
			may = "nothing that is known here"
		}
		if p.Prototype == link.Unnamed {
			fmt.Fprintf(b, "  %s has calls whose callees its listing does not name, through a register or by an address: not counted\n", p.Caller)
			continue
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
