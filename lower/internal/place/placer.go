package place

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Placer makes plans of the functions of a module, one after the other.
type Placer struct {
	Unit     *Unit
	Reporter *Reporter
	// Kept are the variables, by their indexes, that are in the frame, where registers are
	// allocated and passes remove the words of others; nil for all.
	Kept map[int32]bool
}

// A planner makes the plan of one function.
type planner struct {
	*Reporter
	plan *Plan
	of   *Placer
	// The statement at hand, how many calls stand before it, and the straight
	// stretch of code that it stands in.
	at    int
	syms  int // so many symbols have been declared
	calls int32
	ebb   int32

	alloca     bool // the body has an instruction that moves the stack pointer
	unassigned bool // something has no places, which has been reported
	declared   declared
	defs       defs
}

// A Var is a variable of .param space, or one that needs a place in the
// frame.
type Var struct {
	Sym    *body.Symbol
	Source string // as PTX names it
	Size   int    // bytes; 0 if unsized
	Align  int
	Index  int32 // among those of the function

	// What there is in the body: stores to it and loads of it, calls that pass it or give it a value, and
	// instructions that take its address.
	stores, loads, passed, Given, Addressed bool

	stored []uint8 // the bytes of each word that stores touch, bit 0 for the lowest

	big   bool // it receives a result that comes through memory
	Place Storage
	Loc   abi.Loc // of a formal: where the assignment puts it
	Frame int     // offset in the frame from the body's stack pointer, if inFrame
}

// Place makes the plan of the function of a body: what touches each variable, what is
// called, where each variable is, and the frame.
func (p *Placer) Place(in *body.Body) *Plan {
	f, u := in.Func, p.Unit
	p.Reporter.At = f.BodyPos
	pl := planner{Reporter: p.Reporter, of: p, plan: &Plan{
		Unit: u, In: in, F: f, Params: resolve.Params(u.M, f),
		Registers: lir.Names{Body: in},
	}}
	pl.run()
	return pl.plan
}

// run makes the plan.
func (pl *planner) run() {
	f := pl.plan.F
	s := abi.Signature{Results: resolve.Values(f.Results), Params: resolve.Values(pl.plan.Params)}
	if f.Entry {
		s.Kind = abi.Entry
	} else {
		s.Preserve = resolve.Preserve(f.Directive(resolve.PreserveName))
	}
	pl.plan.Conv = pl.plan.regsWith(s.Preserve)
	pl.plan.Asn = pl.assign(s, f.NamePos, f.Name, pl.plan.Params, f.Results)
	if pl.unassigned {
		// The program is lost; what else is wrong is still to be found.
		pl.plan.Asn = abi.Assignment{Kind: s.Kind, Params: make([]abi.Placement, len(pl.plan.Params)), Results: make([]abi.Placement, len(f.Results))}
	}
	pl.plan.EntryAlign = stack.EntryAlign(pl.plan.T, &pl.plan.Asn)
	if !pl.plan.AllVirtual {
		pl.plan.homes = make(map[body.Ref]*Home)
		pl.defs.last = make(map[*Home]mention)
	}
	pl.declareNames()
	pl.declareFormals(body.Param, pl.plan.Params, pl.plan.Asn.Params)
	pl.declareFormals(body.Result, f.Results, pl.plan.Asn.Results)
	pl.planBody()
	if pl.unassigned {
		return // without a frame
	}
	pl.findSretAddr()
	for _, v := range pl.plan.Vars {
		pl.choose(v)
	}
	pl.layFrame()
}

// track makes v findable by its symbol, which has been declared.
func (pl *planner) track(v *Var) {
	pl.plan.Syms[v.Sym.ID].v = v
	if !v.Sym.Var.Ranged() {
		pl.plan.Vars = append(pl.plan.Vars, v)
	}
}

// VariableOf returns the variable that a name means, nil if it means none that is tracked.
func (pl *Plan) VariableOf(r body.Ref) *Var {
	if r.Sym < 0 {
		return nil
	}
	v := pl.Syms[r.Sym].v
	if v == nil || !v.Sym.Var.Ranged() {
		return v
	}
	return pl.members[r]
}

// mention returns the variable that a name means, nil if it is none. The members of name<count> are made when they are
// first mentioned, since the count may be anything.
func (pl *planner) mention(r body.Ref) *Var {
	v, sym := pl.plan.VariableOf(r), pl.plan.In.Sym(r)
	if v != nil || sym == nil || pl.plan.Syms[sym.ID].v == nil {
		return v
	}
	v = pl.newVar(sym, pl.plan.In.Name(r.Name), sym.Spec.SizeOf(sym.Var))
	if pl.plan.members == nil {
		pl.plan.members = make(map[body.Ref]*Var)
	}
	pl.plan.members[r] = v
	pl.plan.Vars = append(pl.plan.Vars, v)
	return v
}

// declareFormals plans the formals of a role, which have been assigned places.
func (pl *planner) declareFormals(role body.Role, list []ptx.Formal, places []abi.Placement) {
	i := 0
	for _, sym := range pl.plan.In.Syms {
		if sym.Role != role {
			continue
		}
		if p := &list[i]; p.Space != ptx.ParamSpace {
			pl.allocate(body.Ref{Name: sym.Name, Sym: sym.ID})
		} else {
			v := pl.newVar(sym, p.Name, p.Size())
			v.Loc = places[i].Loc
			pl.track(v)
			if role == body.Result {
				pl.plan.Result = v
			}
		}
		i++
	}
}

// declare plans what the statement at hand declares.
func (pl *planner) declare() {
	list := pl.plan.In.Syms
	for ; pl.syms < len(list) && int(list[pl.syms].From) <= pl.at; pl.syms++ {
		sym := list[pl.syms]
		if sym.Var != nil && sym.Role == body.Local && (sym.Spec.Space == ptx.ParamSpace || sym.Spec.Space == ptx.LocalSpace) {
			pl.track(pl.newVar(sym, sym.Var.Name, sym.Spec.SizeOf(sym.Var)))
		}
	}
}

func (pl *planner) planAccess(a *ptx.Access) {
	v := pl.mention(pl.plan.In.Operands(pl.at)[0])
	if v == nil {
		return // reported when it is emitted
	}
	if !a.Store {
		v.loads = true
		return
	}
	v.stores = true
	off := int(pl.plan.Offset(a, v.Sym))
	if off < 0 || off > MaxOffset {
		return
	}
	end := off + a.Bytes()
	if more := (end+3)/4 - len(v.stored); more > 0 {
		v.stored = append(v.stored, make([]uint8, more)...)
	}
	for i := off; i < end; i++ {
		v.stored[i/4] |= 1 << (i % 4)
	}
}

// Offset is the offset in bytes of an access to a variable.
func (pl *Plan) Offset(a *ptx.Access, sym *body.Symbol) int64 {
	if a.Addr.Indexed {
		return int64(int32(a.Addr.Off * int64(sym.Spec.ElemSize())))
	}
	return int64(int32(a.Addr.Off)) // as the assembler takes it
}

// planInstr looks for names of variables among the operands of an instruction with an opcode. It reports whether control
// may go on after it.
func (pl *planner) planInstr(op string) bool {
	switch op {
	case "ret", "exit", "trap", "bra", "brx": // whose names are labels
		return false
	case "alloca", "stacksave", "stackrestore":
		pl.alloca = true
	}
	for _, r := range pl.plan.In.Operands(pl.at) {
		if v := pl.mention(r); v != nil {
			v.Addressed = true
		}
	}
	return true
}

// assign looks up abi's assignment of a signature, and reports with names
// and positions what it reports.
func (pl *planner) assign(s abi.Signature, pos diag.Pos, name string, params, results []ptx.Formal) abi.Assignment {
	f := resolve.Function{Module: pl.plan.M, Name: name, NamePos: pos, Params: params, Results: results}
	a, diags := (&resolve.CallSite{Callee: &f, Signature: s}).Assign(pl.plan.T)
	pl.Diags = append(pl.Diags, diags...)
	pl.unassigned = pl.unassigned || len(diags) > 0
	return a
}
