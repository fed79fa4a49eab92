package link

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Kind says what a file is that takes part in a link.
type Kind string

// The kinds.
const (
	Object  Kind = "object"  // a relocatable cubin
	Text    Kind = "ptx"     // PTX
	LLVM    Kind = "llvm"    // LLVM's intermediate language
	Header  Kind = "header"  // declarations in C or CUDA
	Program Kind = "program" // a cubin that is linked already, or was assembled as a whole
)

// A Set is what is linked. Its zero value is empty and ready to use.
type Set struct {
	// Partial says that other files belong to the set, which could not be read: a name without a definition is no
	// diagnostic then.
	Partial bool
	// Assume says that a target that was not measured has the facts of another.
	Assume bool

	unread   int // images that are neither cubins nor PTX
	units    []*unit
	byPlace  map[Place]*unit // by file and module: the images of one fatbin are forms of one
	listings []*form         // of code, as a disassembler shows it
}

// A unit is a module: in several forms, if it was compiled for several
// architectures.
type unit struct {
	name    string
	rank    int
	library bool // a member of an archive
	packed  bool // images of a fatbin
	forms   []*form
}

// A form is a module as one image has it.
type form struct {
	unit    *unit
	kind    Kind
	ir      bool   // the text is what LLVM makes of its intermediate language
	arch    string // "" of a header for any
	bits    int    // 0: not said
	toolkit cubin.Version
	sites   []*site
	own     []*site // that no other file sees
	graph   *graph
	text    *ptx.Module // of PTX and headers
}

// shown is what the form is for people.
func (f *form) shown() Kind {
	if f.ir {
		return LLVM
	}
	return f.kind
}

// A Place says where an image stands.
type Place struct {
	Name    string // for messages: "x.o", "libx.a(y.o)"
	File    string // that it is in
	Module  uint64 // the same for all images of one module of that file
	Library bool   // it is in a member of an archive
	// Packed says that the image is one of a fatbin, which the linkers leave out where it
	// has nothing for the architecture.
	Packed bool
	// Whole says that the linkers do not read the image: of a program that was compiled as a whole,
	// or that the program around it links itself.
	Whole bool
}

func (s *Set) unit(p Place) *unit {
	k := Place{File: p.File, Module: p.Module}
	if u := s.byPlace[k]; u != nil {
		return u
	}
	if s.byPlace == nil {
		s.byPlace = make(map[Place]*unit)
	}
	u := &unit{name: p.Name, rank: len(s.units), library: p.Library, packed: p.Packed}
	s.byPlace[k] = u
	s.units = append(s.units, u)
	return u
}

// add adds a form of a module.
func (s *Set) add(p Place, f *form) {
	u := s.unit(p)
	u.forms = append(u.forms, f)
	f.unit = u
	for _, one := range slices.Concat(f.sites, f.own) {
		one.unit, one.kind = u, f.kind
	}
	if f.graph != nil {
		f.graph.file = u.name
	}
}

// AddCubin adds a cubin. Nothing of the file's contents is kept but names and numbers.
// The error says what is wrong with its call graph, or its unwind tables.
func (s *Set) AddCubin(p Place, f *cubin.File) error {
	calls, err := f.CallGraph()
	if err != nil {
		return err
	}
	own, err := f.OwnFrames()
	if err != nil {
		return err
	}
	out := &form{kind: Object, arch: f.Arch, bits: f.AddressSize, toolkit: f.Toolkit, graph: graphOf(f, calls, own)}
	if f.Linked || p.Whole {
		out.kind = Program
	} else {
		out.sites, out.own = objectSites(f, calls)
	}
	s.add(p, out)
	return nil
}

// AddPTX adds a module. Bodies are looked at for what they call.
func (s *Set) AddPTX(p Place, m *ptx.Module) {
	out := &form{kind: Text, arch: m.Target, bits: m.AddressSize, text: m}
	if p.Whole {
		out = &form{kind: Program, arch: m.Target, bits: m.AddressSize}
	} else {
		out.sites, out.own, out.graph = textSites(m)
		parameters(m, Row(m.Target, s.Assume), out.sites)
	}
	s.add(p, out)
}

// Empty reports whether nothing that is linked was added.
func (s *Set) Empty() bool { return len(s.units) == 0 }

// A class says what a name means.
type class uint8

const (
	function class = iota
	kernel
	variable
)

func (c class) String() string { return [...]string{"a function", "a kernel", "a variable"}[c] }

// A site is what one form says of a name.
type site struct {
	name    string
	class   class
	unit    *unit
	kind    Kind
	ir      bool // of LLVM's intermediate language
	pos     diag.Pos
	used    bool // the form needs its definition
	named   bool // the form calls it, or takes its address, also in code that it leaves out
	pointed bool // the form takes its address: an object has no other record of the prototype then
	defined bool
	local   bool // a kernel that no other file sees
	weak    bool

	// Of functions.
	proto  string    // as an object records it, with what .abi_preserve adds; "": not known
	fn     *ptx.Func // of PTX and headers
	clang  *ptx.Func // of headers: as clang declares it
	params []cubin.Param
	block  int // bytes of a kernel's parameters; -1: not known

	// Of variables.
	common  bool
	managed bool
	space   string
	size    int64 // 0: not said, an array without extent
	align   int64 // 0: not known
	init    string
}

// objectSites are those of a cubin.
func objectSites(f *cubin.File, calls *cubin.CallGraph) (all, own []*site) {
	pointed := make(map[string]string) // prototypes of functions whose address is taken
	if calls != nil {
		for _, t := range slices.Backward(calls.Pointed) {
			pointed[f.Symbols[t.Func].Name] = t.Prototype
		}
	}
	for i := range f.Symbols {
		sym := &f.Symbols[i]
		fn := f.Func(sym.Name)
		switch {
		case sym.Name == "":
			continue
		case sym.Binding == elf.STB_LOCAL:
			s := &site{name: strings.Clone(sym.Name), class: variable, kind: Object, defined: true}
			switch {
			case fn != nil && fn.Kernel:
				s.class = kernel
			case fn != nil:
				s.class = function
			}
			own = append(own, s)
			continue
		case sym.Type != elf.STT_FUNC:
			continue
		}
		if fn != nil && fn.Helper() {
			continue // each object has the one that its own assembler made
		}
		s := &site{
			name: strings.Clone(sym.Name), kind: Object, used: sym.Section == 0, defined: fn != nil, weak: sym.Binding == elf.STB_WEAK,
			proto: strings.Clone(pointed[sym.Name]), pointed: true, block: -1,
		}
		if p := f.Prototype(sym.Name); p != nil && p.Text != "" {
			s.proto, s.pointed = strings.Clone(p.Text), false
		}
		if fn != nil && fn.Kernel {
			s.class, s.params, s.block = kernel, fn.Params, max(fn.ParamSize, 0)
		}
		all = append(all, s)
	}
	for _, v := range f.Variables() {
		if v.Space == "handle" || provided(v.Name) {
			continue // of handles no file says whether it defines them
		}
		all = append(all, &site{
			name: strings.Clone(v.Name), class: variable, kind: Object, used: !v.Defined, defined: v.Defined, weak: v.Weak, common: v.Common, managed: v.Managed,
			space: v.Space, size: v.Size, align: v.Align, init: string(v.Init), block: -1,
		})
	}
	return all, own
}

// Archs are the architectures for which the set may be linked: target or, if it is empty, those of its objects,
// or else of its PTX, or else of modules of LLVM, in order; nil where it has none.
func (s *Set) Archs(target string) []string {
	if target != "" {
		return []string{target}
	}
	for _, kind := range []Kind{Object, Text, LLVM} {
		var all []string
		for _, u := range s.units {
			if !u.links() {
				continue
			}
			for _, f := range u.forms {
				if f.shown() == kind && f.arch != "" && !slices.Contains(all, f.arch) {
					all = append(all, f.arch)
				}
			}
		}
		if all != nil {
			slices.SortFunc(all, func(a, b string) int {
				x, y := archOf(a), archOf(b)
				return cmp.Or(cmp.Compare(x.SM, y.SM), cmp.Compare(x.Suffix, y.Suffix))
			})
			return all
		}
	}
	return nil
}
