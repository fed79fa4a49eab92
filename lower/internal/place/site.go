package place

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A Site is a call of the body.
type Site struct {
	Name    string    // of the function or prototype, for notes
	Of      *ptx.Func // nil for a call through a register
	Params  []ptx.Formal
	Results []ptx.Formal
	Regs    *abi.RegFile // what the call does to registers
	Asn     abi.Assignment
	Self    bool
	Reg     bool // through a register
	Targets bool // by a list of targets
	Endless bool // it does not come back once it is made
	Vars    int  // index in Plan.CallVars of those of its operands, params first
	// resultVar is the local that receives the result, nil if it goes to
	// registers or nowhere.
	resultVar *Var
	Buffer    int // offset in the frame of the memory for a result passed by its address; -1 if none
}

// endless reports whether a function never returns. It saves no preserved
// register but those of the return address, as was measured.
func endless(f *ptx.Func) bool { return f.Directive(".noreturn") != nil }

// Gives returns the registers in which a result comes back.
func (s *Site) Gives() []sass.Reg {
	if len(s.Asn.Results) != 1 {
		return nil
	}
	return inRegisters(s.Asn.Results[0])
}

// inRegisters returns the registers that hold a value; none if it is elsewhere.
func inRegisters(p abi.Placement) []sass.Reg {
	if p.Loc.Kind != abi.InReg {
		return nil
	}
	regs := make([]sass.Reg, (p.Size+3)/4)
	for k := range regs {
		regs[k] = p.Loc.Reg + sass.Reg(k)
	}
	return regs
}

// planCall finds out what a call calls and by which assignment, and which
// variables it uses. It returns the site.
func (pl *planner) planCall(c *ptx.Call) *Site {
	refs := pl.plan.In.Operands(pl.at)
	s := Site{Buffer: -1, Vars: len(pl.plan.CallVars)}
	for i := range c.Params {
		if v := pl.argVar(&c.Params[i], refs[2+len(c.Results)+i]); v != nil {
			v.passed = true
		}
	}
	for i := range c.Results {
		if v := pl.argVar(&c.Results[i], refs[2+i]); v != nil {
			v.Given, s.resultVar = true, v
		}
	}
	preserve := resolve.Preserve(pl.findCallee(c, &s, pl.plan.In.Sym(refs[0]), pl.plan.In.Sym(refs[1])))
	sg := abi.Signature{Params: resolve.Values(s.Params), Results: resolve.Values(s.Results), Preserve: preserve}
	if n := len(sg.Params); n > 0 && sg.Params[n-1].Kind == abi.Unsized && len(c.Params) == n { // as large as what is passed
		if v := pl.plan.CallVars[s.Vars+n-1]; v != nil {
			sg.Params[n-1].Size = v.Size
		}
	}
	s.Regs = pl.plan.regsWith(preserve)
	s.Asn = pl.assign(sg, c.Callee.Pos, s.Name, nil, nil)
	if s.resultVar != nil && s.Asn.Sret.Kind == abi.InReg {
		s.resultVar.big = true
	}
	pl.plan.Sites = append(pl.plan.Sites, s)
	return &pl.plan.Sites[len(pl.plan.Sites)-1]
}

// argVar appends the local .param variable that an operand names to those of calls, and returns it; nil
// if the operand names none.
func (pl *planner) argVar(o *ptx.Operand, r body.Ref) *Var {
	var v *Var
	if r.Sym >= 0 && o.Elem == 0 {
		v = pl.mention(r)
	}
	if v != nil && (v.Sym.Role != body.Local || v.Sym.Spec.Space != ptx.ParamSpace) {
		v = nil
	}
	pl.plan.CallVars = append(pl.plan.CallVars, v)
	return v
}

// findCallee resolves what is called, given what the names of the callee and of the prototype mean in the body. It
// returns the directive that says what the call preserves, if there is one.
func (pl *planner) findCallee(c *ptx.Call, s *Site, callee, proto *body.Symbol) *ptx.Directive {
	if s.Reg = callee != nil && callee.Var != nil; !s.Reg {
		f := pl.plan.Table.Lookup(c.Callee.Name()).Func
		s.Of, s.Name, s.Params, s.Results = f, f.Name, f.Params, f.Results // by the aliasee's name
		s.Endless = endless(f)
		s.Self = f.HasBody && f.Name == pl.plan.F.Name // which is a copy where bodies are read one by one
		return f.Directive(resolve.PreserveName)
	}
	if proto != nil && proto.Proto != nil {
		p := proto.Proto
		s.Name, s.Params, s.Results, s.Endless = p.Name, p.Params, p.Results, p.Directive(".noreturn") != nil
		return p.Directive(resolve.PreserveName)
	}
	// The signature is that of the first function that the call may reach: all are declared, and the assembler lets
	// none of them preserve registers. The assembler takes a kernel for a function.
	var list *ptx.TargetList
	switch {
	case proto == nil:
		list = pl.plan.Table.CallTable(c.Proto.Name())
	case proto.Targets != nil:
		list = proto.Targets
	default:
		list = resolve.CallTable(proto.Spec, proto.Var)
	}
	s.Targets, s.Name = true, list.Names[0].Text
	f := pl.plan.Table.Lookup(s.Name).Func
	s.Params, s.Results = f.Params, f.Results
	return nil
}
