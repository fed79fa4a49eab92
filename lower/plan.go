package lower

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A ref is a statement that touches a variable.
type ref struct {
	stmt int32 // index in the body
	ebb  int32 // number of the straight stretch of code it stands in
	call int32 // how many calls stand before it
}

// at is the statement as an index.
func (r ref) at() int { return int(r.stmt) }

// A pvar is a variable of .param space, or one that needs a place in the
// frame.
type pvar struct {
	sym    *resolved.Symbol
	source string // as PTX names it
	size   int    // bytes; 0 if unsized
	align  int
	index  int32 // among those of the function

	stores, loads   refList
	asArg, asResult refList
	addressed       refList // where its address is taken
	stored          wordSet // words that stores touch
	held            wordSet // words that forwarded copies need in registers of their own

	place place
	loc   abi.Loc // of a formal: where the assignment puts it
	frame int     // offset in the frame from the body's stack pointer, if inFrame
}

// A refList is a list of refs, in facts.
type refList struct{ at, n int32 }

// refs returns the refs of a list.
func (pl *plan) refs(l refList) []ref { return pl.touches[l.at : l.at+l.n] }

// place makes the plan of the function of a body: what touches each variable, what is
// called, where each variable is, and the frame. It is good until the next one is made.
func (pl *placer) place(in *resolved.Body) *plan {
	pl.reset(in)
	f := pl.f
	s := abi.Signature{Results: pl.values(&pl.memory.values1, f.Results), Params: pl.values(&pl.memory.values2, pl.params)}
	if f.Entry {
		s.Kind = abi.Entry
	} else {
		s.Preserve = resolve.Preserve(f.Directive(resolve.PreserveName))
	}
	pl.conv = pl.regsWith(s.Preserve)
	if !pl.assign(&pl.asn, s, f.NamePos, f.Name, pl.params, f.Results) || !f.Entry && !pl.bound() {
		// The program is lost; what else is wrong is still to be found.
		pl.asn = abi.Assignment{Kind: s.Kind, Params: make([]abi.Placement, len(pl.params)), Results: make([]abi.Placement, len(f.Results))}
	}
	pl.entryAlign = pl.findEntryAlign()
	if pl.registers = (registers{allVirtual: pl.home == nil && pl.unit.slot == nil}); !pl.allVirtual {
		pl.homes, pl.joins = make(map[virtual]*home), make([]bool, len(f.Body))
	}
	pl.defs.reset(pl.allVirtual)
	pl.declareNames()
	pl.declareFormals(resolved.Param, pl.params)
	pl.declareFormals(resolved.Result, f.Results)
	pl.planBody()
	if pl.falls { // the end of the body returns
		pl.rets = append(pl.rets, ref{int32(len(f.Body)), pl.ebb, pl.calls})
	}
	if !pl.allVirtual {
		pl.finishHomes()
	}
	for _, v := range pl.vars {
		pl.choose(v)
	}
	pl.findForwards()
	pl.layFrame()
	return &pl.own
}

// reset begins a function.
func (pl *placer) reset(in *resolved.Body) {
	f := in.Func
	pl.in, pl.f, pl.params, pl.inBody = in, f, resolve.Params(pl.m, f), resolve.ParamsInBody(pl.m, f)
	pl.at, pl.ebb, pl.calls, pl.pos = 0, 0, 0, f.BodyPos
	pl.memory.pvars.Reset()
	pl.touches = slices.Grow(pl.touches[:0], in.Refs())
	pl.callees.other.reset()
	pl.pvarsMade = 0
	pl.vars = pl.vars[:0] // each by itself: that writes no pointers
	pl.rets = pl.rets[:0]
	pl.sites = slices.Grow(pl.sites[:0], in.Calls)
	pl.callVars = pl.callVars[:0]
	pl.movs = pl.movs[:0]
	pl.direct = pl.direct[:0]
	pl.members, pl.result = nil, nil
	pl.uses.reset(in)
	pl.writers.found, pl.writers.seen = false, 0
	pl.spill = spillArea{}
	pl.frame, pl.alloca, pl.percent, pl.tracked, pl.bareNames = frame{}, false, false, 0, 0
}

// bound reports whether the convention applies to a function, and reports it if
// it does not.
func (pl *placer) bound() bool {
	f := pl.f
	if len(f.Results) > 1 {
		pl.cannot(f.Results[1].Pos, "%s has %d results, which switches the ABI off", f.Name, len(f.Results))
		return false
	}
	ok := true
	for i, p := range pl.asn.Params {
		if p.Loc.Kind == abi.Nowhere {
			pl.cannot(f.Params[i].Pos, "%s of %s has no place in the ABI: a handle is passed as a .b64", f.Params[i].Name, f.Name)
			ok = false
		}
	}
	return ok
}

// resized returns a list of n elements, of which nothing is known, in the memory of
// one if there is enough.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

func (pl *placer) here() ref { return ref{int32(pl.at), pl.ebb, pl.calls} }

// A member is one of the variables that name<count> declares.
type member struct {
	id    int32 // of the symbol
	index string
}

// track makes v findable by its symbol, which has been declared.
func (pl *placer) track(v *pvar) {
	pl.syms[v.sym.ID].v = v
	pl.tracked.add(v.sym.Var)
	if !v.sym.Var.Ranged() {
		pl.vars = append(pl.vars, v)
	}
}

// variable returns the variable that a name means here, nil if it means none
// that is tracked.
func (pl *cursor) variable(name string) *pvar {
	return pl.variableOf(pl.in.Lookup(pl.at, name), name)
}

// variableOf is variable for a name whose symbol is known.
func (pl *plan) variableOf(sym *resolved.Symbol, name string) *pvar {
	if sym == nil {
		return nil
	}
	v := pl.syms[sym.ID].v
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
func (pl *placer) mention(sym *resolved.Symbol, name string) *pvar {
	if sym == nil {
		return nil
	}
	v := pl.syms[sym.ID].v
	if v == nil || !sym.Var.Ranged() {
		return v
	}
	key := memberOf(sym, name)
	one := pl.members[key]
	if one == nil {
		one = pl.pvar(sym, name, resolve.Size(sym.Spec, sym.Var))
		one.loc = v.loc
		if pl.members == nil {
			pl.members = make(map[member]*pvar)
		}
		pl.members[key] = one
		pl.vars = append(pl.vars, one)
	}
	return one
}

// formal returns the symbol of formal i of a role.
func (pl *placer) formal(role resolved.Role, i int) *resolved.Symbol {
	switch {
	case role == resolved.Result:
		return pl.in.Syms[i]
	case !pl.inBody:
		return pl.in.Syms[len(pl.f.Results)+i]
	}
	for _, sym := range pl.in.Syms[len(pl.f.Results):] {
		if sym.Role == resolved.Param {
			if i == 0 {
				return sym
			}
			i--
		}
	}
	return nil
}

func (pl *placer) declareFormals(role resolved.Role, list []ptx.Formal) {
	places := pl.asn.Params
	if role == resolved.Result {
		places = pl.asn.Results
	}
	for i := range list {
		p := &list[i]
		sym, size := pl.formal(role, i), resolve.Size(&p.Spec, &p.Var)
		pl.uses.use(sym.Name).reads = allBytes // by the caller, where it is a register
		if p.Space != ptx.ParamSpace {
			if h := pl.allocate(p.Name, sym); h != nil && role == resolved.Param {
				pl.defs.write(h, -1)
			}
			continue
		}
		v := pl.pvar(sym, p.Name, size)
		if i < len(places) {
			v.loc = places[i].Loc
		}
		pl.track(v)
		if role == resolved.Result {
			pl.result = v
		}
		pl.noteName(p.Name)
	}
}

// noteName remembers whether names that are not registers may begin with %.
func (pl *placer) noteName(name string) {
	if name != "" && name[0] == '%' {
		pl.percent = true
	}
}

// planDecl plans a declaration, the first name of which is symbol first.
func (pl *placer) planDecl(d *ptx.Decl, first int) {
	for i := range d.Vars {
		v := &d.Vars[i]
		if v.Init != "" {
			pl.taking(d)
		}
		if pl.inBody && d.Space == ptx.ParamSpace {
			continue // a formal of a kernel of PTX 1.0 to 1.3
		}
		if d.Space != ptx.ParamSpace && d.Space != ptx.LocalSpace {
			continue
		}
		pl.noteName(v.Name)
		pl.track(pl.pvar(pl.in.Syms[first+i], v.Name, resolve.Size(&d.Spec, v)))
	}
}

func (pl *placer) planAccess(a *ptx.Access) {
	reads := accessReads(a)
	refs := pl.in.Operands(pl.at)
	for _, r := range refs[1:] {
		pl.noteReads(r.Name, reads)
	}
	pl.noteReads(refs[0].Name, allBytes) // of a register
	v := pl.mention(pl.in.Sym(refs[0]), a.Addr.Base)
	pl.noteGuard(a.Guard)
	if a.Store {
		pl.uses.passes = true
	}
	if v == nil {
		return // reported when it is emitted
	}
	if !a.Store {
		pl.touch(&v.loads)
		return
	}
	pl.touch(&v.stores)
	off := pl.offset(a, v.sym)
	if off < 0 || off > maxOffset {
		return
	}
	for k := int(off) / 4; 4*k < int(off)+a.Bytes(); k++ {
		v.stored.add(k)
	}
}

// offset is the offset in bytes of an access to a variable.
func (pl *plan) offset(a *ptx.Access, sym *resolved.Symbol) int64 {
	if a.Addr.Indexed {
		return a.Addr.Off * int64(resolve.ElemSize(sym.Spec))
	}
	return a.Addr.Off
}

// planInstr looks for names of variables among the operands of an instruction of a kind,
// for one that is not plain or where they do not all begin with a percent sign. It
// returns what there is to know of the instruction when it is emitted.
func (pl *placer) planInstr(in *ptx.Instr, kind instrKind) instrKind {
	switch {
	case kind == returns:
		pl.rets = append(pl.rets, pl.here())
		return kind | named
	case kind.ends():
		return kind | named // labels among them
	case kind == movesStack:
		pl.alloca = true
	}
	names := identifiers{text: in.Args}
	for name := names.nextBare(); name != ""; name = names.nextBare() {
		if kind&named == 0 {
			kind |= named
			pl.taking(in)
		}
		bit := filterBit(name)
		pl.bareNames |= bit
		if pl.tracked&bit != 0 && pl.addresses(name) {
			kind |= takesAddress
		}
	}
	if !pl.percent {
		return kind
	}
	names = identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		if name[0] == '%' && pl.tracked.has(name) && pl.addresses(name) {
			kind |= takesAddress
		}
	}
	return kind
}

// addresses takes note of a variable that an instruction names. It reports whether
// it is one.
func (pl *placer) addresses(name string) bool {
	v := pl.mention(pl.in.Lookup(pl.at, name), name)
	if v == nil {
		return false
	}
	pl.touch(&v.addressed)
	return true
}

// assign asks abi for the assignment of a signature, and reports with names
// and positions what it reports.
func (pl *placer) assign(a *abi.Assignment, s abi.Signature, pos diag.Pos, name string, params, results []ptx.Formal) bool {
	f := resolve.Function{Module: pl.m, Name: name, NamePos: pos, Params: params, Results: results}
	diags := f.AssignTo(a, s, pl.t)
	pl.diags = append(pl.diags, diags...)
	return len(diags) == 0
}
