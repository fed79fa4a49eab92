package adapt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Convention is how one producer passes what a prototype in C declares: that of a
// [layout.Producer], or one of numba's.
type Convention struct {
	name     string
	producer layout.Producer
	cxx      bool // a header of C is read as C++, which nvcc does in any case
	numba    bool // records are taken apart
	status   bool // the result goes through the first parameter, and a status is the result
}

// String returns the name that [ParseConvention] takes.
func (c Convention) String() string { return c.name }

// mlir is the convention of numba-cuda-mlir, which has one.
const mlir = "numba-cuda-mlir"

// Conventions are the names that [ParseConvention] takes: those of package layout but Warp's, whose functions
// nothing is linked with, and numba's.
var Conventions = append(slices.DeleteFunc(layout.ProducerNames(), isWarp), "numba", "numba-c", mlir)

func isWarp(name string) bool { return strings.HasPrefix(name, "warp") }

// ParseConvention returns the convention of that name: of a [layout.Producer], "numba", which
// is numba's own, "numba-c", which is numba's for abi="c", or "numba-cuda-mlir".
func ParseConvention(name string) (Convention, error) {
	switch name {
	case "numba":
		return Convention{name: name, producer: layout.Clang, numba: true, status: true}, nil
	case "numba-c", mlir:
		return Convention{name: name, producer: layout.Clang, numba: true}, nil
	}
	if isWarp(name) {
		return Convention{}, fmt.Errorf("%s: Warp's functions are part of their kernels, and nothing is linked with them", name)
	}
	var o layoutcmd.Options
	err := o.SetProducer(name)
	return Convention{name: name, producer: o.Producer, cxx: o.CXX}, err
}

// A Hidden is a parameter at the end that the prototype does not show.
type Hidden struct {
	Type ptx.Type // of 4 or 8 bytes
	// Value is what the shim supplies, of the callee's alone. Where it is nil, the
	// caller's hidden parameter of the same index is passed on.
	Value *uint64
}

// Options are how [FromPrototype] adapts.
type Options struct {
	From, To                   Convention // the caller's and the callee's
	Name                       string     // of the shim
	Symbol                     string     // the callee's name in PTX
	HiddenCaller, HiddenCallee []Hidden
	// Trap makes a status of numba that is an exception end the kernel. Without it a
	// status that the caller has no place for is dropped.
	Trap bool
}

// A piece is what of a value one formal carries, directly or by its address.
type piece struct {
	at    int64 // in the value, bytes
	place Place // of Size bytes of the value
	wide  int64 // bytes of the formal that the value is extended to; 0 for none
	sign  bool
	name  string // of the field
}

// A value is a parameter or the result as one side carries it.
type value struct {
	layout *layout.Layout // nil for no result
	pieces []piece
}

// A view is a function as one side declares it.
type view struct {
	fn     *ptx.Func
	params []value
	result value
	status int  // the index of the result formal that is a status; without one -2
	none   bool // the result formal is a null pointer
	notes  diag.List
}

// FromPrototype returns the shim between two producers' ideas of one function of r's
// unit. The list says why there is none; nil if there is one.
func FromPrototype(r *layoutcmd.Result, f *cdecl.FuncDecl, o Options) (*Shim, diag.List) {
	if f.Variadic {
		return nil, diag.List{cdecl.New(f.Pos, diag.Error, Code, "%s is variadic: how many bytes a call passes is not known; write a prototype with the parameters of this call", f.Name)}
	}
	from, why := viewOf(r, f, o.From, Caller, o.Name)
	if why != nil {
		return nil, diag.List{why}
	}
	to, why := viewOf(r, f, o.To, Callee, o.Symbol)
	if why != nil {
		return nil, diag.List{why}
	}
	s := &Shim{
		Name: o.Name, Caller: from.fn, Callee: to.fn, Padding: true,
		Memory: map[int]Memory{}, Dropped: map[Place]bool{}, Notes: slices.Concat(from.notes, to.notes),
		Head: []string{
			fmt.Sprintf("Written by ptxabi adapt: %s is %s of C as %s calls it, and calls", o.Name, f.Name, o.From),
			fmt.Sprintf("%s as %s has it:", o.Symbol, o.To),
			"",
			"    " + prototypeText(f),
		},
	}
	if f.NoProto {
		s.Notes.Add(cdecl.New(f.Pos, diag.Note, Code, "%s() of C says nothing of parameters, and is taken for %[1]s(void): a call passes none; write the parameters if there are any", f.Name))
	}
	for i := range from.params {
		name := nameOf(f, i)
		if why := s.join(&from.params[i], &to.params[i], name); why != "" {
			return nil, diag.List{cdecl.New(f.Params[i].Pos, diag.Error, Code, "%s of %s: %s", name, f.Name, why)}
		}
	}
	if from.result.layout != nil {
		if why := s.join(&to.result, &from.result, "the result"); why != "" {
			return nil, diag.List{cdecl.New(f.Pos, diag.Error, Code, "the result of %s: %s", f.Name, why)}
		}
	}
	s.statuses(from, to, o.Trap)
	if why := s.hidden(o, f.Pos); why != nil {
		return nil, diag.List{why}
	}
	if list := s.check(); len(list) > 0 {
		for _, d := range list {
			d.File = f.Pos.File
			if !d.Pos.IsValid() {
				d.Pos = f.Pos.Pos
			}
		}
		return nil, list
	}
	return s, nil
}

// nameOf is how a parameter is spoken of.
func nameOf(f *cdecl.FuncDecl, i int) string {
	return cmp.Or(f.Params[i].Name, fmt.Sprintf("parameter %d", i))
}

// empty refuses a record without bytes, which C has: compilers declare an array without
// extent for it, a byte, its address, or nothing.
func empty(what string, f *cdecl.FuncDecl, pos cdecl.Pos, l *layout.Layout) *diag.Diagnostic {
	if l == nil || l.Size > 0 {
		return nil
	}
	return cdecl.New(pos, diag.Error, Code, "%s of %s has no bytes, and compilers declare nothing for that, an address, or an array: leave it out, or give the record a member", what, f.Name)
}

// prototypeText is f as C declares it, for a comment.
func prototypeText(f *cdecl.FuncDecl) string {
	var params []string
	for _, p := range f.Params {
		params = append(params, strings.TrimSpace(p.Type.String()+" "+p.Name))
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	result := "void"
	if f.Result != nil {
		result = f.Result.String()
	}
	return diag.Printable(fmt.Sprintf("%s %s(%s)", result, f.Name, strings.Join(params, ", ")))
}

// statuses adds numba's.
func (s *Shim) statuses(from, to *view, trap bool) {
	caller := Place{Side: Caller, Formal: ResultFormal, Size: 4}
	callee := Place{Side: Callee, Formal: ResultFormal, Size: 4}
	switch {
	case from.status == ResultFormal && to.status == ResultFormal:
		s.Moves = append(s.Moves, Move{From: callee, To: caller, What: "the status"})
	case from.status == ResultFormal:
		s.Moves = append(s.Moves, Move{IsConst: true, To: caller, What: "the status, which says that all is well"})
	case to.none || to.status == ResultFormal:
		s.Dropped[Place{Side: Callee, Formal: ResultFormal}] = true
		s.Trap = trap && !to.none
	}
	if from.none {
		caller.Size = 8
		s.Moves = append(s.Moves, Move{IsConst: true, To: caller, What: "the result, of which there is none"})
	}
	if to.status == ResultFormal && to.result.layout == nil { // numba stores a pointer where it returns none
		s.Memory[0] = Memory{8, 8}
	}
}

// hidden adds the hidden parameters.
func (s *Shim) hidden(o Options, pos cdecl.Pos) *diag.Diagnostic {
	add := func(f *ptx.Func, t ptx.Type) Place {
		f.Params = append(f.Params, ptx.Formal{Spec: ptx.Spec{Space: ptx.ParamSpace, Type: t}, Var: ptx.Var{Name: fmt.Sprintf("hidden%d", len(f.Params))}})
		return Place{Formal: len(f.Params) - 1, Size: int64(t.Size())}
	}
	var own []Place
	for _, h := range o.HiddenCaller {
		own = append(own, add(s.Caller, h.Type))
		s.Dropped[Place{Side: Caller, Formal: len(s.Caller.Params) - 1}] = true
	}
	for i, h := range o.HiddenCallee {
		to := add(s.Callee, h.Type)
		to.Side = Callee
		m := Move{To: to, What: "a hidden parameter"}
		switch {
		case h.Value != nil:
			m.IsConst, m.Const = true, *h.Value
		case i < len(own) && own[i].Size == to.Size:
			m.From = own[i]
		default:
			return cdecl.New(pos, diag.Error, Code, "hidden parameter %d of the callee has no value, and the caller has none of that size; give it one, such as b%d=0", i, h.Type.Size()*8)
		}
		s.Moves = append(s.Moves, m)
	}
	return nil
}

// join adds the moves of a value from one side to the other. It says why there are none.
func (s *Shim) join(from, to *value, name string) string {
	// The same address serves both where both pass one, and the caller's memory is no less than the callee's.
	if len(from.pieces) == 1 && len(to.pieces) == 1 && from.pieces[0].place.Deref && to.pieces[0].place.Deref && same(from.layout, to.layout) {
		a, b := from.pieces[0].place, to.pieces[0].place
		if b.Side == Caller { // the caller's memory for the result is the callee's
			a, b = b, a
		}
		if a.Align >= b.Align && a.Size >= b.Size {
			s.Moves = append(s.Moves, Move{
				From: Place{Side: Caller, Formal: a.Formal, Size: 8}, To: Place{Side: Callee, Formal: b.Formal, Size: 8},
				What: "the address of " + name,
			})
			return ""
		}
	}
	for _, v := range [2]*value{from, to} { // all of it, since who is given an address may copy padding too
		for _, p := range v.pieces {
			if p.place.Deref && p.place.Side == Callee {
				s.Memory[p.place.Formal] = Memory{v.layout.Size, v.layout.Align}
			}
		}
	}
	pairs := [][2]piece{}
	if same(from.layout, to.layout) {
		for _, a := range from.pieces {
			for _, b := range to.pieces {
				pairs = append(pairs, [2]piece{a, b})
			}
		}
	} else {
		var why string
		if pairs, why = fieldwise(from, to); why != "" {
			return why
		}
	}
	for _, p := range pairs {
		a, b := p[0], p[1]
		at, end := max(a.at, b.at), min(a.at+a.place.Size, b.at+b.place.Size)
		if at >= end {
			continue
		}
		m := Move{From: a.place, To: b.place, Signed: b.sign, What: name}
		if field := cmp.Or(b.name, a.name); field != "" {
			m.What = name + field
		}
		m.From.Off, m.From.Size = a.place.Off+at-a.at, end-at
		m.To.Off, m.To.Size = b.place.Off+at-b.at, end-at
		if b.wide > end-at {
			m.To.Size = b.wide
		}
		s.Moves = append(s.Moves, m)
	}
	return ""
}

// same reports whether the fields of both lie in the same places.
func same(a, b *layout.Layout) bool {
	if a == b || a.Size == b.Size && len(a.Members) == 0 && len(b.Members) == 0 {
		return true
	}
	if a.Size != b.Size {
		return false
	}
	x, y := slices.Collect(a.Fields()), slices.Collect(b.Fields())
	return slices.EqualFunc(x, y, func(p, q layout.Leaf) bool {
		return p.Path == q.Path && p.Start() == q.Start() && p.Size == q.Size && p.BitWidth == q.BitWidth
	})
}

// fieldwise pairs the fields of two layouts of one type.
func fieldwise(from, to *value) (pairs [][2]piece, why string) {
	where := map[string]layout.Leaf{}
	end := int64(0)
	for f := range from.layout.Fields() {
		if f.BitWidth > 0 || f.Offset < end {
			return nil, "the two sides lay it out differently, and it has bit-fields or a union; pass it by its address"
		}
		end = f.Offset + f.Size
		where[f.Path] = f
	}
	for f := range to.layout.Fields() {
		g, ok := where[f.Path]
		if !ok || f.Size != g.Size || f.BitWidth > 0 {
			return nil, fmt.Sprintf("the two sides lay out %s differently, in %d and in %d bytes", f.Path, g.Size, f.Size)
		}
		for _, a := range from.pieces {
			for _, b := range to.pieces {
				a, ok := a.cut(g.Offset, g.Size)
				b, yes := b.cut(f.Offset, f.Size)
				if ok && yes {
					a.at, b.at = a.at-g.Offset, b.at-f.Offset
					a.name, b.name = "."+f.Path, "."+f.Path
					pairs = append(pairs, [2]piece{a, b})
				}
			}
		}
	}
	return pairs, ""
}

// cut returns what of p is in [off, off+size) of the value.
func (p piece) cut(off, size int64) (piece, bool) {
	at, end := max(off, p.at), min(off+size, p.at+p.place.Size)
	if at >= end {
		return p, false
	}
	p.place.Off, p.place.Size, p.at = p.place.Off+at-p.at, end-at, at
	return p, true
}
