package stack

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/tool/link"
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
	// Assumed says that the facts of the target are those of another.
	Assumed bool `json:"assumed,omitempty"`
	Linked  bool `json:"linked"`
	// Source says where frames and calls are from.
	Source Source `json:"source"`
	// Compared is what the code of a listing was held against; nil where nothing given with
	// it has the same functions.
	Compared *Compared `json:"compared,omitempty"`
	Kernels  []Kernel  `json:"kernels"`

	assumedFrom string // the target whose facts are taken; "": its own
	graph       *graph
	most, least *depths
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
	AtMost    Bound = "at most"   // a listing does not show what aligning the stack pointer takes
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
	// Aligned are functions that align the stack pointer further than it is known to be at their
	// entry: what that takes is counted in full, but not where Bound is AtLeast.
	Aligned []string `json:"aligned,omitempty"`
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

// Options say what [Of] reports. The zero Options is without blocks.
type Options struct {
	Block  int  // how many threads a block is wanted to have; 0: that is not asked
	Assume bool // a target that was not measured has the facts of another
}

// Of reports on programs.
func Of(programs []*link.Linked, o Options) *Report {
	r := &Report{Format: Format, Programs: []Program{}}
	for _, p := range programs {
		t := link.Row(p.Arch, o.Assume)
		g := graphOf(p)
		out := Program{File: p.File, Target: p.Arch, Linked: p.Done, Source: Records, Kernels: []Kernel{}, graph: g}
		if t != nil {
			out.assumedFrom = t.AssumedFrom
			out.Assumed = t.AssumedFrom != ""
		}
		if p.Code {
			out.Source, out.Compared = Code, g.compare(programs)
		}
		out.most, out.least = g.depths(func(i int) int { return g.frames[i].most }), g.depths(func(i int) int { return g.frames[i].least })
		for i, f := range g.funcs {
			if f.Kernel {
				out.Kernels = append(out.Kernels, g.kernel(out.most, out.least, i, t, o.Block))
			}
		}
		if len(out.Kernels) > 0 {
			r.Programs = append(r.Programs, out)
		}
	}
	return r
}

// compare holds the frames of a listing against those that other programs record for its
// functions; nil where none has any of them. A frame that the listing leaves open is the
// one that is recorded. That of a kernel may include what it calls through pointers: the unwind
// table then has its own.
func (g *graph) compare(programs []*link.Linked) *Compared {
	c := &Compared{Differ: []Differs{}}
	for _, o := range programs {
		if o.Code || o.Arch != g.program.Arch {
			continue
		}
		recorded := make(map[string]*link.Func, len(o.Funcs))
		for _, f := range o.Funcs {
			if _, twice := recorded[f.Name]; twice {
				recorded[f.Name] = nil // which a disassembler gives other names
			} else if f.Frame >= 0 {
				recorded[f.Name] = f
			}
		}
		for i, f := range g.funcs {
			r := recorded[f.Name]
			if r == nil || f.Frame < 0 {
				continue
			}
			c.Functions++
			if own := &g.frames[i]; own.least <= r.Frame && r.Frame <= own.most {
				*own = frame{r.Frame, r.Frame}
			} else if f.Dynamic && r.Frame < own.least {
				continue // what follows a computed size is no part of the frame
			} else if !r.Kernel || r.Own < own.least || r.Own > own.most {
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
	return !slices.ContainsFunc(r.Programs, func(p Program) bool {
		return slices.ContainsFunc(p.Kernels, func(k Kernel) bool { return !k.Registers.Launches })
	})
}

// words are a prototype as one reads it: "(.b32, .b8[16]) -> .b64".
func words(text string) string {
	results, params, ok := link.Values(text)
	if !ok {
		text, _, _ = strings.Cut(text, "|")
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
