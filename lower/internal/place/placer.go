package place

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Placer makes plans of functions, one after the other, in memory that it uses again.
type Placer struct {
	Cursor
	*Reporter
	own Plan  // the memory of the plan at hand
	ebb int32 // the straight stretch of code that the statement stands in
	// Kept are the variables, by their indexes, that are in the frame, where registers are
	// allocated and passes remove the words of others; nil for all.
	Kept map[int32]bool

	declared declared
	defs     defs
	callees  callees
	memory   placerMemory
}

// placerMemory is memory for lists and variables.
type placerMemory struct {
	values1, values2 []abi.Value // of the signature that is assigned
	pvars            arena.Arena[Var]
	locals           []*Var
}

// Use makes a placer place functions of another module.
func (pl *Placer) Use(u *Unit, r *Reporter) {
	pl.Plan, pl.Reporter = &pl.own, r
	pl.Unit = u
}

// A Ref is a statement that touches a variable.
type Ref struct {
	Stmt int32 // index in the body
	ebb  int32 // number of the straight stretch of code it stands in
	Call int32 // how many calls stand before it
}

// At is the statement as an index.
func (r Ref) At() int { return int(r.Stmt) }

// A Var is a variable of .param space, or one that needs a place in the
// frame.
type Var struct {
	Sym    *resolved.Symbol
	Source string // as PTX names it
	Size   int    // bytes; 0 if unsized
	Align  int
	Index  int32 // among those of the function

	stores, Loads   refList
	AsArg, AsResult refList
	Addressed       refList // where its address is taken
	Stored          WordSet // words that stores touch

	Place Storage
	Loc   abi.Loc // of a formal: where the assignment puts it
	Frame int     // offset in the frame from the body's stack pointer, if inFrame
}

// A refList is a list of refs, in facts.
type refList struct{ at, N int32 }

// Refs returns the refs of a list.
func (pl *Plan) Refs(l refList) []Ref { return pl.touches[l.at : l.at+l.N] }

// Place makes the plan of the function of a body: what touches each variable, what is
// called, where each variable is, and the frame. It is good until the next one is made.
func (pl *Placer) Place(in *resolved.Body) *Plan {
	pl.reset(in)
	f := pl.F
	s := abi.Signature{Results: pl.values(&pl.memory.values1, f.Results), Params: pl.values(&pl.memory.values2, pl.Params)}
	if f.Entry {
		s.Kind = abi.Entry
	} else {
		s.Preserve = resolve.Preserve(f.Directive(resolve.PreserveName))
	}
	pl.Conv = pl.regsWith(s.Preserve)
	if !pl.assign(&pl.Asn, s, f.NamePos, f.Name, pl.Params, f.Results) || !f.Entry && !pl.bound() {
		// The program is lost; what else is wrong is still to be found.
		pl.Asn = abi.Assignment{Kind: s.Kind, Params: make([]abi.Placement, len(pl.Params)), Results: make([]abi.Placement, len(f.Results))}
	}
	pl.EntryAlign = pl.findEntryAlign()
	pl.registers, pl.defs = registers{}, defs{}
	if !pl.AllVirtual {
		pl.homes, pl.Joins = make(map[virtual]*Home), make([]bool, len(f.Body))
		pl.defs.last = make(map[*Home]Ref)
	}
	pl.declareNames()
	pl.declareFormals(resolved.Param, pl.Params)
	pl.declareFormals(resolved.Result, f.Results)
	pl.planBody()
	pl.findSretAddr()
	for _, v := range pl.Vars {
		pl.choose(v)
	}
	pl.layFrame()
	return &pl.own
}

// reset begins a function.
func (pl *Placer) reset(in *resolved.Body) {
	f := in.Func
	pl.In, pl.F, pl.Params, pl.inBody = in, f, resolve.Params(pl.M, f), resolve.ParamsInBody(pl.M, f)
	pl.At, pl.ebb, pl.Calls, pl.Pos = 0, 0, 0, f.BodyPos
	pl.memory.pvars.Reset()
	pl.touches = slices.Grow(pl.touches[:0], in.Refs())
	pl.callees.other.reset()
	pl.PvarsMade = 0
	pl.Vars = pl.Vars[:0] // each by itself: that writes no pointers
	pl.Sites = slices.Grow(pl.Sites[:0], in.Calls)
	pl.CallVars = pl.CallVars[:0]
	pl.members, pl.Result = nil, nil
	pl.Registers = &Numbers{body: in}
	pl.Spill = spillArea{}
	pl.Frame, pl.alloca = frame{}, false
}

// bound reports whether the convention applies to a function, and reports it if
// it does not.
func (pl *Placer) bound() bool {
	f := pl.F
	if len(f.Results) > 1 {
		pl.LetThrough(f.Results[1].Pos)
		return false
	}
	ok := true
	for i, p := range pl.Asn.Params {
		if p.Loc.Kind == abi.Nowhere {
			if f.Params[i].Opaque() {
				pl.Cannot(f.Params[i].Pos, "%s of %s has no place: its type or state space is not known", f.Params[i].Name, f.Name)
			} else {
				pl.LetThrough(f.Params[i].Pos)
			}
			ok = false
		}
	}
	return ok
}

func (pl *Placer) here() Ref { return Ref{int32(pl.At), pl.ebb, pl.Calls} }

// A member is one of the variables that name<count> declares.
type member struct {
	id    int32 // of the symbol
	index string
}

// track makes v findable by its symbol, which has been declared.
func (pl *Placer) track(v *Var) {
	pl.Syms[v.Sym.ID].v = v
	if !v.Sym.Var.Ranged() {
		pl.Vars = append(pl.Vars, v)
	}
}

// Variable returns the variable that a name means here, nil if it means none
// that is tracked.
func (pl *Cursor) Variable(name string) *Var {
	return pl.VariableOf(pl.In.Lookup(pl.At, name), name)
}

// VariableOf is variable for a name whose symbol is known.
func (pl *Plan) VariableOf(sym *resolved.Symbol, name string) *Var {
	if sym == nil {
		return nil
	}
	v := pl.Syms[sym.ID].v
	if v == nil || !sym.Var.Ranged() {
		return v
	}
	return pl.members[memberOf(sym, name)]
}

// memberOf identifies the one of the variables of a name<count> that a name means.
func memberOf(sym *resolved.Symbol, name string) member {
	return member{sym.ID, name[len(sym.Var.Name):]}
}

// mention returns the variable that a name means whose symbol is known, nil if it is
// none. The members of name<count> are made when they are first mentioned, since the count
// may be anything.
func (pl *Placer) mention(sym *resolved.Symbol, name string) *Var {
	if sym == nil {
		return nil
	}
	v := pl.Syms[sym.ID].v
	if v == nil || !sym.Var.Ranged() {
		return v
	}
	key := memberOf(sym, name)
	one := pl.members[key]
	if one == nil {
		one = pl.newVar(sym, name, sym.Spec.SizeOf(sym.Var))
		one.Loc = v.Loc
		if pl.members == nil {
			pl.members = make(map[member]*Var)
		}
		pl.members[key] = one
		pl.Vars = append(pl.Vars, one)
	}
	return one
}

// formal returns the symbol of formal i of a role.
func (pl *Placer) formal(role resolved.Role, i int) *resolved.Symbol {
	switch {
	case role == resolved.Result:
		return pl.In.Syms[i]
	case !pl.inBody:
		return pl.In.Syms[len(pl.F.Results)+i]
	}
	for _, sym := range pl.In.Syms[len(pl.F.Results):] {
		if sym.Role == resolved.Param {
			if i == 0 {
				return sym
			}
			i--
		}
	}
	return nil
}

func (pl *Placer) declareFormals(role resolved.Role, list []ptx.Formal) {
	places := pl.Asn.Params
	if role == resolved.Result {
		places = pl.Asn.Results
	}
	for i := range list {
		p := &list[i]
		sym, size := pl.formal(role, i), p.Size()
		if p.Space != ptx.ParamSpace {
			pl.allocate(p.Name, sym)
			continue
		}
		v := pl.newVar(sym, p.Name, size)
		if i < len(places) {
			v.Loc = places[i].Loc
		}
		pl.track(v)
		if role == resolved.Result {
			pl.Result = v
		}
	}
}

// planDecl plans a declaration, the first name of which is symbol first.
func (pl *Placer) planDecl(d *ptx.Decl, first int) {
	for i := range d.Vars {
		v := &d.Vars[i]
		if pl.inBody && d.Space == ptx.ParamSpace {
			continue // a formal of a kernel of PTX 1.0 to 1.3
		}
		if d.Space != ptx.ParamSpace && d.Space != ptx.LocalSpace {
			continue
		}
		pl.track(pl.newVar(pl.In.Syms[first+i], v.Name, d.Spec.SizeOf(v)))
	}
}

func (pl *Placer) planAccess(a *ptx.Access) {
	refs := pl.In.Operands(pl.At)
	v := pl.mention(pl.In.Sym(refs[0]), a.Addr.Base)
	if v == nil {
		return // reported when it is emitted
	}
	if !a.Store {
		pl.touch(&v.Loads)
		return
	}
	pl.touch(&v.stores)
	off := pl.Offset(a, v.Sym)
	if off < 0 || off > MaxOffset {
		return
	}
	for k := int(off) / 4; 4*k < int(off)+a.Bytes(); k++ {
		v.Stored.Add(k)
	}
}

// Offset is the offset in bytes of an access to a variable.
func (pl *Plan) Offset(a *ptx.Access, sym *resolved.Symbol) int64 {
	if a.Addr.Indexed {
		return int64(int32(a.Addr.Off * int64(sym.Spec.ElemSize())))
	}
	return int64(int32(a.Addr.Off)) // as the assembler takes it
}

// planInstr looks for names of variables among the operands of an instruction of a kind. It
// returns what there is to know of the instruction when it is emitted.
func (pl *Placer) planInstr(in *ptx.Instr, kind Kind) Kind {
	switch {
	case kind.Ends():
		return kind // it names labels
	case kind == MovesStack:
		pl.alloca = true
	}
	refs := pl.In.Operands(pl.At)
	for n := range ptx.Names(in.Ops()) {
		name, sym := n.Name(), pl.In.Sym(refs[0])
		refs = refs[1:]
		if v := pl.mention(sym, name); v != nil {
			pl.touch(&v.Addressed)
			kind |= TakesAddress
		}
	}
	return kind
}

// assign asks abi for the assignment of a signature, and reports with names
// and positions what it reports.
func (pl *Placer) assign(a *abi.Assignment, s abi.Signature, pos diag.Pos, name string, params, results []ptx.Formal) bool {
	f := resolve.Function{Module: pl.M, Name: name, NamePos: pos, Params: params, Results: results}
	diags := f.AssignTo(a, s, pl.T)
	pl.Diags = append(pl.Diags, diags...)
	return len(diags) == 0
}
