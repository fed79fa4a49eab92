// Package verify compares compiled kernels with what their source says of their
// parameters: a cubin with a PTX module whose kernels package abi lays out. It
// does no I/O.
package verify

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// A Source is what a source declares, on one target.
type Source struct {
	Name      string // of the file
	Target    *abi.Target
	Kernels   []SourceKernel
	Functions []SourceFunc
	// Areas are what calls of the functions need, by name: of those that the
	// source defines or declares and that have an assignment.
	Areas map[string]Area
	// Complete says that Functions are all that the source has.
	Complete bool
	// AddressSize is 32 or 64, 0 where the source does not say.
	AddressSize int
	// Templates says that it has templates that were not read, whose instances the
	// cubin may have.
	Templates bool
	// Partial says that a part of it could not be read, which may declare what the cubin has beside the rest.
	Partial bool
	// Misfit says why the cubin cannot be of this source as a whole, "" if it can.
	Misfit string
}

// A SourceKernel is a kernel's parameter block as abi.Assign lays it out.
type SourceKernel struct {
	Name  string
	Line  int
	Block *Block // nil: it has no layout, and Err says why
	// Older is the block as releases of the assembler up to 13.0 lay it out, where
	// that is another: see handlesAsBytes. Otherwise nil.
	Older *Block
	Err   string
	// MaxRegs is how many registers the directive RegsFrom allows, 0 where none
	// limits them.
	MaxRegs  int
	RegsFrom string
	Threads  *Threads // nil: not known
	// Candidates are the kernels of the cubin that Name may mean, where it may
	// mean several. They are held against nothing.
	Candidates []string
	// Mangled is the name that the declaration has for the linker, where the kernel
	// in the cubin is called otherwise; "" where it is not.
	Mangled string
	// ByName says that nothing but the name led to the kernel in the cubin: a type
	// is among the parameters that is not spelled.
	ByName bool
	// Unread says why the kernel cannot be compared, "" if it can.
	Unread string

	reads []reading // of PTX in the place of a cubin: of each parameter
	host  bool      // a struct that a host fills
}

// A Report is the comparison of a cubin, or of PTX in its place, and a source.
type Report struct {
	Cubin     string     `json:"cubin"`             // name of the file
	Kind      string     `json:"kind,omitempty"`    // "ptx" if it is no cubin
	Image     int        `json:"image,omitempty"`   // of PTX: which text of the file it is, from 1; 0 of cubins
	Module    int        `json:"module,omitempty"`  // of a file with several: which one was compared, from 1
	Modules   int        `json:"modules,omitempty"` // of those how many there are
	Source    string     `json:"source"`            // name of the file
	Target    string     `json:"target"`            // of the cubin
	Assumed   bool       `json:"assumed,omitempty"` // the facts of the target are those of another
	Toolkit   string     `json:"toolkit"`
	General   []string   `json:"general"` // differences of the files as such
	Kernels   []Kernel   `json:"kernels"`
	Functions []Function `json:"functions"`

	ptx         *PTX   // nil: it is a cubin
	assumedFrom string // the target whose facts are taken; "": its own
}

// A Status says how something compares.
type Status string

// The values of a Status.
const (
	Same         Status = "same"
	Differs      Status = "differs"
	OnlyInSource Status = "only in source"
	OnlyInCubin  Status = "only in cubin"

	// NotCompared is a kernel of the cubin that is the instance of a template,
	// which may be one of the source's, or one of the source whose types are not
	// all known. Neither is a difference, unless [Settle] is strict.
	NotCompared Status = "not compared"
	// Absent is a function that the source keeps to itself and the compiler
	// has left out, or one that the compiler, the assembler or another module has
	// added. Neither is a difference.
	Absent Status = "absent"
)

// A Kernel is a kernel of either side.
type Kernel struct {
	Name      string `json:"name"`
	Struct    string `json:"struct,omitempty"`  // the type that it was compared with alone
	Line      int    `json:"line,omitempty"`    // in the source
	PTXLine   int    `json:"ptxLine,omitempty"` // in the PTX that stands in the place of a cubin
	Status    Status `json:"status"`
	Source    *Block `json:"source,omitempty"` // nil: there is none
	Cubin     *Block `json:"cubin,omitempty"`
	Registers int    `json:"registers"`      // of the cubin; -1: not recorded
	Frame     int    `json:"frame"`          // bytes, of the cubin; -1: not recorded
	Least     int    `json:"leastFrame"`     // as in Function
	First     int    `json:"first"`          // number of the first parameter that differs, -1: none does
	Note      string `json:"note,omitempty"` // "" if there is nothing to add
	// Unknown are the parameters that are records in the source, and of which nothing says what is in
	// them on the other side, and as "p.x" the fields of which nothing says whether they are floats.
	Unknown     []string     `json:"unknown,omitempty"`
	Differences []Difference `json:"differences"`
}

// A Block is a kernel's parameter block.
type Block struct {
	Bank   int     `json:"bank"`
	Base   int     `json:"base"` // in bytes from the bank's start; -1: not recorded
	Size   int     `json:"size"` // to the end of the last parameter
	Params []Param `json:"params"`
}

// A Param is a parameter.
type Param struct {
	Name   string `json:"name,omitempty"`   // of the source
	Type   string `json:"type,omitempty"`   // of the source
	Handle string `json:"handle,omitempty"` // "texref", or "handle", of the opaque ones, whose offset is -1
	Offset int    `json:"offset"`           // from the block's base
	Size   int    `json:"size"`
	// Fields are those of a record that the source passes by value.
	Fields []Field `json:"fields,omitempty"`

	handles bool       // an array of handles, in the source
	scalar  bool       // a scalar or a pointer, in a source that is not PTX
	kind    scalarKind // of those
	long    bool       // long itself
	line    int        // in the source; 0: not known
	short   string     // Name without that of the kernel; "" where they have nothing in common
}

// A Field is a leaf of a record: a scalar, a pointer or an array of such.
type Field struct {
	Path   string `json:"path"` // "inner.x"
	Type   string `json:"type"`
	Offset int    `json:"offset"` // from the block's base
	Size   int    `json:"size"`   // bytes; of a bit-field those of its type

	elem int        // bytes of the scalars that it consists of; 0: not known
	kind scalarKind // of these
	bits int        // of a bit-field, which it is where kind is kindBits
	bit  int        // of that: the first, from Offset
	long bool       // long itself
}

// A Difference is one number that the two sides disagree in.
type Difference struct {
	What   string `json:"what"`  // "base", "size", "bank", "count", "registers", "frame", "layout", ...
	Param  int    `json:"param"` // number of the parameter, -1: of the block
	Source int    `json:"source"`
	Cubin  int    `json:"cubin"`
	Msg    string `json:"message"`
	// Line is that of the parameter in the source; 0: that of the kernel.
	Line int `json:"line,omitempty"`
	// PTXLine is the line of PTX in the place of a cubin that shows it; 0: that of the kernel.
	PTXLine int `json:"ptxLine,omitempty"`
}

// OK reports whether nothing differs.
func (r *Report) OK() bool { return len(r.Findings()) == 0 }

// Shared reports whether the cubin has a kernel or function that the source
// defines.
func (r *Report) Shared() bool {
	return slices.ContainsFunc(r.Kernels, func(k Kernel) bool { return k.Status == Same || k.Status == Differs }) ||
		slices.ContainsFunc(r.Functions, func(f Function) bool {
			return f.Line > 0 && !f.Declared && (f.Status == Same || f.Status == Differs)
		})
}

// Only leaves the kernels of a name in the report alone, as [Named] has it, and reports
// whether there is one.
func (r *Report) Only(name string) bool {
	r.Kernels = slices.DeleteFunc(r.Kernels, func(k Kernel) bool { return !Named(k.Name, name) })
	r.Functions = []Function{}
	return len(r.Kernels) > 0
}

// Declares reports whether the source may have one of the kernels in the report.
func (r *Report) Declares() bool {
	return slices.ContainsFunc(r.Kernels, func(k Kernel) bool { return k.Status != OnlyInCubin })
}

// Findings are the differences in words, each with the file, the kernel, the
// parameter and both numbers.
func (r *Report) Findings() []string {
	var all []string
	for _, d := range Diagnostics([]*Report{r}, ownName) {
		all = append(all, d.Msg)
	}
	return all
}

func (r *Report) compare(f *compiled, s *Source) {
	if s.AddressSize != 0 && s.AddressSize != f.AddressSize {
		r.General = append(r.General, fmt.Sprintf("addresses of %d bits, of %d in %s", f.AddressSize, s.AddressSize, s.Name))
	}
	if s.Misfit != "" {
		r.General = append(r.General, s.Misfit)
	}
	seen := make(map[string]bool)
	rebuilt := rebuiltKernels(f.File, s)
	for _, k := range s.Kernels {
		if name := rebuilt[k.Name]; name != "" {
			k.Name = name
		}
		seen[k.Name] = true
		for _, c := range k.Candidates {
			seen[c] = true
		}
		one := r.kernel(k, f.Func(k.Name), f, s)
		for i := range f.Functions { // files that are linked may have local ones of that name too
			if other := &f.Functions[i]; other.Name == k.Name && one.Status == Differs {
				if again := r.kernel(k, other, f, s); again.Status == Same {
					one = again
				}
			}
		}
		r.Kernels = append(r.Kernels, one)
	}
	for _, fn := range s.Functions {
		seen[fn.Name] = true
		if out, shown := r.function(fn, f, s); shown {
			r.Functions = append(r.Functions, out)
		}
	}
	for _, fn := range byName(f.File) {
		switch {
		case seen[fn.Name]:
		case fn.Kernel:
			k := r.extra(fn)
			if s.Templates && instance(fn.Name) {
				k.Status, k.Note, k.Differences = NotCompared, "the instance of a template", []Difference{}
			} else if s.Partial {
				k.Status, k.Note, k.Differences = NotCompared, "it is not in what could be read of the source", []Difference{}
			}
			r.Kernels = append(r.Kernels, k)
		default:
			out := Function{
				Name: fn.Name, Status: Absent, Registers: fn.Regs, Frame: fn.FrameSize, First: -1, Differences: []Difference{},
			}
			// What a linked file has may be another module's, and what is local
			// the compiler's own.
			out.Helper = fn.Helper()
			if s.Complete && !s.Partial && !f.Linked && !out.Helper && fn.Binding != elf.STB_LOCAL {
				out.add("function", -1, 0, 0, "%s has no such function", s.Name)
				out.Status = OnlyInCubin
			}
			r.Functions = append(r.Functions, out)
		}
	}
	r.externC()
}

// byName are the kernels and functions of a cubin, sorted.
func byName(f *cubin.File) []*cubin.Function {
	var all []*cubin.Function
	for i := range f.Functions {
		all = append(all, &f.Functions[i])
	}
	slices.SortStableFunc(all, func(a, b *cubin.Function) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (r *Report) extra(fn *cubin.Function) Kernel {
	line := 0
	if own := r.ptx.kernel(fn.Name); own != nil {
		line = own.Line
	}
	return Kernel{
		Name: fn.Name, PTXLine: line, Status: OnlyInCubin, Cubin: block(fn), Registers: fn.Regs, Frame: fn.FrameSize, First: -1,
		Differences: []Difference{{What: "kernel", Param: -1, Msg: fmt.Sprintf("%s has no such kernel", r.Source)}},
	}
}

// kernel compares a kernel with its compiled form, nil where there is none.
func (r *Report) kernel(k SourceKernel, fn *cubin.Function, f *compiled, s *Source) Kernel {
	out := Kernel{
		Name: k.Name, Line: k.Line, Status: Same, Source: k.Block, Registers: -1, Frame: -1, First: -1, Differences: []Difference{},
	}
	if fn != nil {
		out.Cubin, out.Registers, out.Frame = block(fn), fn.Regs, fn.FrameSize
	}
	own := r.ptx.kernel(k.Name)
	add := func(what string, param, source, compiled int, format string, args ...any) {
		if param >= 0 && (out.First < 0 || param < out.First) {
			out.First = param
		}
		d := Difference{What: what, Param: param, Source: source, Cubin: compiled, Msg: fmt.Sprintf(format, args...)}
		if out.Source != nil && param >= 0 && param < len(out.Source.Params) {
			d.Line = out.Source.Params[param].line
		}
		if own != nil && param >= 0 && param < len(own.reads) {
			d.PTXLine = own.reads[param].line
		}
		out.Differences = append(out.Differences, d)
	}
	switch {
	case k.Unread != "" && (fn != nil || len(k.Candidates) > 0):
		out.Status, out.Note = NotCompared, k.Unread
		return out
	case len(k.Candidates) > 0:
		out.Status = Differs
		add("kernel", -1, 1, len(k.Candidates), "%s:%d may mean any of %s: -kernel and -type compare one", s.Name, k.Line, strings.Join(k.Candidates, ", "))
		return out
	case fn == nil:
		out.Status = OnlyInSource
		add("kernel", -1, 0, 0, "not here; it stands in %s", lineAt(s.Name, k.Line))
		return out
	case !fn.Kernel:
		add("kernel", -1, 0, 0, "a function here, a kernel in %s", lineAt(s.Name, k.Line))
	}
	if own != nil {
		out.PTXLine = own.Line
	}
	switch {
	case k.Block == nil:
		add("layout", -1, 0, 0, "%s: %s", lineAt(s.Name, k.Line), k.Err)
	case own != nil && own.Err != "":
		add("layout", -1, 0, 0, "its parameters have no place: %s", own.Err)
	default:
		if k.Older != nil && k.Older.hasBytes(out.Cubin) {
			out.Source = k.Older
		}
		compare(out.Source, out.Cubin, s.Name, add)
		if len(out.Differences) > 0 {
			out.Differences[0].Msg += reason(out.Source, out.Cubin, fn, k.host)
		}
		out.inside(own, f.debug.of(fn, out.Source.Params), k.host, s.Name, add)
	}
	if k.Mangled != "" {
		types := ""
		if name := NameOf(k.Mangled); name != k.Mangled {
			types = ", which is " + name
		} else if NameOf(k.Name) != k.Name {
			types = fmt.Sprintf(" (extern \"C\" is in %s alone)", s.Name)
		}
		add("name", -1, 0, 0, "named %s, %s:%d declares %s%s", k.Name, s.Name, k.Line, k.Mangled, types)
	}
	if k.ByName {
		out.Note = "found by its name alone, the types of its parameters are not compared"
	}
	if k.MaxRegs > 0 && fn.Regs > k.MaxRegs {
		add("registers", -1, k.MaxRegs, fn.Regs, "%d registers, %s of %s:%d allows %d", fn.Regs, k.RegsFrom, s.Name, k.Line, k.MaxRegs)
	}
	if own != nil && own.Block != nil {
		own.limits(&k, s.Name, add)
	}
	if k.Threads != nil && (own == nil || own.Threads != nil) {
		k.Threads.differ(fn, fmt.Sprintf("%s:%d", s.Name, k.Line), add)
	}
	out.Least = s.frame(f, fn, add)
	if len(out.Differences) > 0 {
		out.Status = Differs
	}
	return out
}

// An adder adds a difference: what it is, the number of the parameter or -1, both numbers, and words.
type adder func(what string, param, source, compiled int, format string, args ...any)

func bytes(n int) string { return prose.Count(n, "byte") }

// lineAt is a line of a file, or the file where that has no lines.
func lineAt(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// lineOf is a position's line as a number, 0 where it is unknown.
func lineOf(p diag.Pos) int { return int(p.Line) }

// rebuiltKernels are the kernels of a cubin by those of a source that have the same name but for what changes with each
// build of a translation unit, where that is one on each side.
func rebuiltKernels(f *cubin.File, s *Source) map[string]string {
	own := make(map[string]bool)
	for i := range s.Kernels {
		own[s.Kernels[i].Name] = true
	}
	there := make(map[string]bool)
	var left []string
	for i := range f.Functions {
		if fn := &f.Functions[i]; fn.Kernel {
			if there[fn.Name] = true; !own[fn.Name] {
				left = append(left, fn.Name)
			}
		}
	}
	out := make(map[string]string)
	for _, whole := range []bool{true, false} { // first with the file, of two kernels of one name
		key := func(symbol string) string {
			name, unit := cxxname.Unit(symbol)
			switch {
			case unit == "":
				return ""
			case whole:
				return name + unit
			}
			return name
		}
		found := make(map[string][]string)
		for _, name := range left {
			found[key(name)] = append(found[key(name)], name)
		}
		wanted := make(map[string][]string)
		for name := range own {
			if !there[name] && out[name] == "" {
				wanted[key(name)] = append(wanted[key(name)], name)
			}
		}
		for k, names := range wanted {
			if k != "" && len(names) == 1 && len(found[k]) == 1 {
				out[names[0]] = found[k][0]
				left = slices.DeleteFunc(left, func(name string) bool { return name == found[k][0] })
			}
		}
	}
	return out
}
