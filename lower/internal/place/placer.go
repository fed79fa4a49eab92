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
	// Kept has the indexes of the variables that are in the frame and not in words, where registers are allocated: the
	// passes do not remove their words, for which no physical registers are allocated. If it is nil, all are in the frame.
	Kept map[int32]bool
}

// A planner makes the plan of one function.
type planner struct {
	*Reporter
	plan  *Plan
	of    *Placer
	at    int   // the index of the statement at hand
	syms  int   // how many symbols have been declared before it
	calls int32 // how many calls stand before it
	ebb   int32 // the number of the straight stretch of code in which it stands: each begins with a label

	alloca     bool // the body has an instruction that moves the stack pointer
	unassigned bool // a signature has no assignment, which has been reported
	declared   declared
	defs       defs
}

// A Var is a variable of .param space or of .local space.
type Var struct {
	Sym    *body.Symbol
	Source string // as PTX names it
	Size   int    // bytes; 0 if unsized
	Align  int
	Index  int32 // among those of the function

	// The body stores to it, loads it, passes it in a call, gives it the result of a call, takes its address.
	stores, loads, passed, Given, Addressed bool

	stored []uint8 // the bytes of each word that stores touch, bit 0 for the lowest

	big   bool // it receives a result through memory
	Place Storage
	Loc   abi.Loc // of a formal: where the assignment puts it
	Frame int     // if InFrame: offset in the frame from the body's stack pointer, in bytes
}

// Place makes the plan of the function of a body. Errors go to the Reporter; no code may then be made of the plan.
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
		// There will be no code, but the walk over the body may find more errors.
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

// track makes v the variable of its symbol. The members of name<count> get their own variables: see mention.
func (pl *planner) track(v *Var) {
	pl.plan.Syms[v.Sym.ID].v = v
	if !v.Sym.Var.Ranged() {
		pl.plan.Vars = append(pl.plan.Vars, v)
	}
}

// VariableOf returns the variable that a name means, nil if it means none of .param or .local space.
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

// mention returns the variable that a name means, nil if it means none. The members of name<count> are made when they are
// first mentioned, since the count may be large.
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

// declareFormals declares the formals of a role, whose places have been assigned.
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

// declare declares the variables of the statement at hand.
func (pl *planner) declare() {
	list := pl.plan.In.Syms
	for ; pl.syms < len(list) && int(list[pl.syms].From) <= pl.at; pl.syms++ {
		sym := list[pl.syms]
		if sym.Var != nil && sym.Role == body.Local && (sym.Spec.Space == ptx.ParamSpace || sym.Spec.Space == ptx.LocalSpace) {
			pl.track(pl.newVar(sym, sym.Var.Name, sym.Spec.SizeOf(sym.Var)))
		}
	}
}

// planAccess records what an ld.param or st.param does to its variable, and of a store, which bytes it writes.
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

// Offset returns the offset in bytes of an access to a variable: the low 32 bits, with their sign, as the assembler does.
func (pl *Plan) Offset(a *ptx.Access, sym *body.Symbol) int64 {
	if a.Addr.Indexed {
		return int64(int32(a.Addr.Off * int64(sym.Spec.ElemSize())))
	}
	return int64(int32(a.Addr.Off)) // as the assembler takes it
}

// planInstr records the variables that the operands of an instruction name, whose address it takes. It reports whether
// control goes on to the next statement when the instruction is executed.
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

// assign returns the assignment of a signature. Errors become diagnostics with names and positions.
func (pl *planner) assign(s abi.Signature, pos diag.Pos, name string, params, results []ptx.Formal) abi.Assignment {
	f := resolve.Function{Module: pl.plan.M, Name: name, NamePos: pos, Params: params, Results: results}
	a, diags := (&resolve.CallSite{Callee: &f, Signature: s}).Assign(pl.plan.T)
	pl.Diags = append(pl.Diags, diags...)
	pl.unassigned = pl.unassigned || len(diags) > 0
	return a
}
