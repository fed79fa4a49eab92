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
	Regs    *abi.RegFile // the registers that the call preserves and changes
	Asn     abi.Assignment
	Self    bool // the function calls itself
	Reg     bool // the call is through a register
	Targets bool // a list of targets says what it may call
	Endless bool // the callee does not return
	Vars    int  // index in Plan.CallVars of the first of its operands: params, then results
	// resultVar is the local that receives the result, nil if it goes to
	// registers or nowhere.
	resultVar *Var
	Buffer    int // offset in the frame of the memory for a result passed by its address; -1 if none
}

// endless reports whether a function never returns. Such a function saves no callee-saved register but those of the return
// address, as was measured.
func endless(f *ptx.Func) bool { return f.Directive(".noreturn") != nil }

// Gives returns the registers in which a result comes back.
func (s *Site) Gives() []sass.Reg {
	if len(s.Asn.Results) != 1 {
		return nil
	}
	return inRegisters(s.Asn.Results[0])
}

// inRegisters returns the registers that hold a value; nil if it is in memory.
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

// planCall records a call: its callee, its assignment, and the variables that it passes and receives.
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
	if n := len(sg.Params); n > 0 && sg.Params[n-1].Kind == abi.Unsized && len(c.Params) == n { // it has the size of its argument
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

// argVar appends the local .param variable that an operand of a call names to CallVars, and returns it; nil if the operand
// names none.
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

// findCallee fills in the callee of a call: a function, a prototype, or the first of a list of targets. callee and proto
// are the symbols of the body with these names, nil if there are none. It returns the directive that says what the call
// preserves, nil if there is none.
func (pl *planner) findCallee(c *ptx.Call, s *Site, callee, proto *body.Symbol) *ptx.Directive {
	if s.Reg = callee != nil && callee.Var != nil; !s.Reg {
		f := pl.plan.Table.Lookup(c.Callee.Name()).Func
		s.Of, s.Name, s.Params, s.Results = f, f.Name, f.Params, f.Results // by the aliasee's name
		s.Endless = endless(f)
		s.Self = f.HasBody && f.Name == pl.plan.F.Name // the pointers may differ: each body that is read has its own ptx.Func
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
