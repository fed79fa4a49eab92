// Package diff compares where the formals of two modules live, or of one module
// on two targets, and says what of it breaks callers. It does no I/O.
package diff

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Side is a module on a target.
type Side struct {
	File   string `json:"file"`
	Target string `json:"target"`
	// Assumed says that the facts of the target are those of another.
	Assumed bool `json:"assumed,omitempty"`
	// Compiled says that it is a cubin. Its values have neither names nor types
	// (but for handles) nor alignments, its kernels no lines.
	Compiled bool `json:"compiled,omitempty"`
	// LeftOut are functions that are not compared because what the module says of them has errors.
	LeftOut []string `json:"leftOut,omitempty"`

	row   *abi.Target
	funcs []*Func
}

// assumed says whose facts those of the target are; "" where they are its own.
func (s *Side) assumed() string {
	if !s.Assumed {
		return ""
	}
	return " (assumed, as " + s.row.AssumedFrom + ")"
}

// Without leaves functions out by their names.
func (s *Side) Without(names map[string]bool) {
	s.funcs = slices.DeleteFunc(s.funcs, func(f *Func) bool { return names[f.Name] })
}

// Names are those of all functions, in order.
func (s *Side) Names() (names []string) {
	for _, f := range s.funcs {
		names = append(names, f.Name)
	}
	return names
}

// A Func is a function or kernel with the places of its formals.
type Func struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`            // "func" or "entry"
	Alias   string  `json:"alias,omitempty"` // the function that it is another name of; "" of all others
	Line    int     `json:"line"`
	Params  []Value `json:"params"`
	Returns []Value `json:"returns"`
	// StackBytes is the size of the stack area; 0 for kernels.
	StackBytes int    `json:"stackBytes"`
	Block      *Block `json:"block,omitempty"` // of kernels
	// Preserve and Control are the numbers of .abi_preserve and .abi_preserve_control,
	// nil without the directive.
	Preserve *int `json:"abiPreserve,omitempty"`
	Control  *int `json:"abiPreserveControl,omitempty"`
	// ReturnAddress is where the return address is: "R20:R21"; "" of kernels, and where it
	// is in no registers.
	ReturnAddress string `json:"returnAddress,omitempty"`
	NoReturn      bool   `json:"noreturn,omitempty"`
	// Visible says that other modules know it by its name; a kernel is always, and an
	// alias if its aliasee is.
	Visible bool `json:"visible"`
	// Taken is the line in which the module first takes the function's address,
	// which others may then call; 0 if it never does.
	Taken int `json:"addressTaken"`
}

// known reports whether other modules can call a function, or launch it.
func (f *Func) known() bool { return f.Visible || f.Taken > 0 }

// A Block is a kernel's parameter block.
type Block struct {
	Bank int `json:"bank"`
	Base int `json:"base"` // bytes from the bank's start
	Size int `json:"size"` // bytes
}

// A Value is a parameter or result.
type Value struct {
	Name  string `json:"name"`
	Type  string `json:"type"`  // "": not recorded; as PTX has it, without .align: ".b8[12]"
	Size  int    `json:"size"`  // bytes
	Align int    `json:"align"` // bytes; 0: not recorded
	Place string `json:"place"` // "R6:R8", "[R1+0x8]", "c[0x0][0x160]", "none"

	loc  abi.Loc
	link string
}

// NewSide lays the functions and kernels of a module out, each once: at its
// definition, or where it is declared first. What has no assignment is in the
// list.
func NewSide(m *ptx.Module, t *abi.Target) (*Side, diag.List) {
	s := &Side{File: m.Name, Target: t.Name, Assumed: t.AssumedFrom != "", row: t}
	table := resolve.NewTable(m)
	addresses := taken(m, table)
	var diags diag.List
	for fn := range table.Functions() {
		if fn.Proto != nil {
			continue
		}
		f := fn.Decl
		a, list := fn.Assign(t)
		diags = append(diags, list...)
		out := &Func{
			Name: f.Name, Kind: "func", Line: int(f.Pos.Line), StackBytes: a.StackBytes, Params: []Value{}, Returns: []Value{},
			Taken: addresses[f.Name], Visible: visible(f), NoReturn: f.Directive(".noreturn") != nil,
			Preserve: number(f, resolve.PreserveName), Control: number(f, resolve.PreserveControlName),
		}
		if regs := t.RegsWith(resolve.Preserve(f.Directive(resolve.PreserveName))); !f.Entry && regs.HasRetAddr() {
			out.ReturnAddress = abi.Placement{Loc: abi.Loc{Kind: abi.InReg, Reg: regs.RetAddr}, Size: 8}.String()
		}
		if of := fn.Aliasee; of != nil {
			out.Alias, out.Taken, out.Visible = of.Name, addresses[of.Name], visible(of)
		}
		if f.Entry {
			out.Kind, out.Block = "entry", &Block{int(a.Block.Bank), a.Block.Base, a.Block.Size}
		}
		if len(list) == 0 {
			out.Params, out.Returns = values(fn.Params, a.Params), values(f.Results, a.Results)
		}
		s.funcs = append(s.funcs, out)
	}
	return s, diags
}

// number is that of a directive, nil without it.
func number(f *ptx.Func, directive string) *int {
	if p := resolve.Preserve(f.Directive(directive)); p.N >= 0 && p.Given {
		return &p.N
	}
	return nil
}

// visible reports whether other modules know a function by its name.
func visible(f *ptx.Func) bool { return f.Entry || f.Linkage != ptx.NoLinkage }

func values(formals []ptx.Formal, places []abi.Placement) []Value {
	out := []Value{}
	for i := range formals {
		f, p := &formals[i], places[i]
		out = append(out, Value{Name: f.Name, Type: f.Spec.TypeText() + prose.Extents(f.Dims), Size: p.Size, Align: p.Align, Place: p.String(), loc: p.Loc, link: linkKind(f)})
	}
	return out
}

// linkKind is what nvlink tells formals of one size apart by: the two sides of a
// call must have the same. Measured with nvlink 12.4 and 13.0: .f32 and .f64 do
// not go with integers and bits, .f16 and .f16x2 do; arrays do not go with scalars,
// and their elements must have one size; vectors go with bits of their size,
// whatever their elements are; .reg and .param, alignment and sign do not matter.
func linkKind(f *ptx.Formal) string {
	kind := "bits"
	if f.Vec == 0 && (f.Type == ptx.F32 || f.Type == ptx.F64) {
		kind = "float"
	}
	if len(f.Dims) > 0 {
		kind += fmt.Sprintf("[] of %d", f.Type.Size())
	}
	return kind
}

// A Report is the comparison of two sides.
type Report struct {
	A Side `json:"a"`
	B Side `json:"b"`
	// Targets are all for which the report holds, the first included; nil where
	// it is for that one alone.
	Targets []string `json:"targets,omitempty"`
	// Facts are the differences between the targets themselves.
	Facts     []Fact     `json:"facts"`
	Functions []Function `json:"functions"`
	// Note says what was not compared, "" where everything was.
	Note string `json:"note,omitempty"`
}

// A Fact is one that the targets differ in.
type Fact struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Facts are those that two targets differ in.
func Facts(a, b *abi.Target) []Fact {
	all, other := []Fact{}, b.Facts()
	for i, f := range a.Facts() {
		if f.Value != other[i].Value {
			all = append(all, Fact{f.Name, f.Value, other[i].Value})
		}
	}
	return all
}

// A Status says how a function compares.
type Status string

// The values of a Status.
const (
	Same    Status = "same"
	Differs Status = "differs"
	OnlyInA Status = "only in a"
	OnlyInB Status = "only in b"
)

// A Function is a function or kernel of either side.
type Function struct {
	Name    string   `json:"name"`
	Status  Status   `json:"status"`
	Breaks  bool     `json:"breaks"` // whether one of the changes breaks callers
	Changes []Change `json:"changes"`
	A       *Func    `json:"a,omitempty"`
	B       *Func    `json:"b,omitempty"`
}

// Formals are those of a role on both sides.
func (f *Function) Formals(role string) (a, b []Value) {
	of := func(side *Func) []Value {
		switch {
		case side == nil:
			return nil
		case role == "return":
			return side.Returns
		}
		return side.Params
	}
	return of(f.A), of(f.B)
}

// A Change is one thing that differs.
type Change struct {
	Role   string `json:"role"`   // "param", "return", "block" or "function"
	Index  int    `json:"index"`  // of the formal, from 0; -1 for the other roles
	What   string `json:"what"`   // "moved", "size", "alignment", ...
	Breaks bool   `json:"breaks"` // whether code of other modules that is compiled against A misreads B, or does not link with it
	Reason string `json:"reason"`
}

// OK reports whether nothing differs. Facts of targets alone are no difference.
func (r *Report) OK() bool {
	return !slices.ContainsFunc(r.Functions, func(f Function) bool { return f.Status != Same })
}

// Extend makes r stand for the target of another report too, if that says the
// same of all functions. Both are of two modules on one target.
func (r *Report) Extend(other *Report) bool {
	if len(r.Functions) != len(other.Functions) || r.A.assumed() != other.A.assumed() {
		return false
	}
	for i := range r.Functions {
		if r.Functions[i].key() != other.Functions[i].key() {
			return false
		}
	}
	if r.Targets == nil {
		r.Targets = []string{r.A.Target}
	}
	r.Targets = append(r.Targets, other.A.Target)
	return true
}

func (f *Function) key() string {
	b := fmt.Sprint(f.Name, f.Status, f.Changes)
	for _, side := range []*Func{f.A, f.B} {
		if side != nil && f.Status != Same {
			b += side.key()
		}
	}
	return b
}

// Breaks reports whether a caller of A cannot call B.
func (r *Report) Breaks() bool {
	return slices.ContainsFunc(r.Functions, func(f Function) bool { return f.Breaks })
}

// Compare compares two sides: what a caller that was compiled against a finds in
// b. The functions of a come first, in its order, then those that b alone has.
func Compare(a, b *Side) *Report {
	r := &Report{A: *a, B: *b, Facts: []Fact{}, Functions: []Function{}}
	if a.Target != b.Target {
		r.Facts = Facts(a.row, b.row)
	}
	ofA, ofB := a.funcs, b.funcs
	if a.Compiled || b.Compiled {
		ofA, ofB, r.Note = a.kernels(), b.kernels(), compiledNote
	}
	pairs := pairUp(ofA, ofB)
	seen := make(map[*Func]bool)
	for _, f := range ofA {
		seen[pairs[f]] = true
		r.Functions = append(r.Functions, compare(f, pairs[f], a.row, b.row))
	}
	for _, f := range ofB {
		if !seen[f] {
			r.Functions = append(r.Functions, Function{Name: f.Name, Status: OnlyInB, B: f, Changes: []Change{
				{"function", -1, "added", false, "nothing calls it yet"},
			}})
		}
	}
	return r
}

// compiledNote says what a comparison with a cubin leaves out.
const compiledNote = "only kernels are compared: a cubin does not record the places of the formals of functions, nor names, types and alignments"

// kernels are the kernels of a side alone.
func (s *Side) kernels() []*Func {
	return slices.DeleteFunc(slices.Clone(s.funcs), func(f *Func) bool { return f.Block == nil })
}
