package place

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// endlessCall reports whether a call does not come back once it is made.
func (pl *planner) endlessCall(c *ptx.Call, s *Site) bool {
	if c.Proto.Kind != ptx.KindNone {
		sym := pl.plan.In.Sym(pl.protoRef())
		return sym != nil && sym.Proto != nil && sym.Proto.Directive(".noreturn") != nil
	}
	return s.Of != nil && endless(s.Of)
}

// endless reports whether a function never returns. It saves no preserved
// register but those of the return address, as was measured.
func endless(f *ptx.Func) bool { return f.Directive(".noreturn") != nil }

// Gives returns the registers in which a result comes back.
func (s *Site) Gives() []sass.Reg {
	if len(s.Asn.Results) != 1 {
		return nil
	}
	return InRegisters(s.Asn.Results[0])
}

// callTable returns the functions of a list or a table that a call names, which means sym in
// the body; nil if there is none.
func (pl *Plan) callTable(name string, sym *resolved.Symbol) *ptx.TargetList {
	switch {
	case sym == nil:
		return pl.Table.CallTable(name)
	case sym.Targets != nil:
		return sym.Targets
	case sym.Var != nil:
		return resolve.CallTable(sym.Spec, sym.Var)
	}
	return nil
}

// InRegisters returns the registers that hold a value; none if it is elsewhere.
func InRegisters(p abi.Placement) []sass.Reg {
	if p.Loc.Kind != abi.InReg {
		return nil
	}
	regs := make([]sass.Reg, (p.Size+3)/4)
	for k := range regs {
		regs[k] = p.Loc.Reg + sass.Reg(k)
	}
	return regs
}

// calleeRef, protoRef, resultRef and argRef are the operands of the call at hand.
func (pl *planner) calleeRef() resolved.Ref { return pl.plan.In.Operands(pl.at)[0] }

func (pl *planner) protoRef() resolved.Ref { return pl.plan.In.Operands(pl.at)[1] }

func (pl *planner) resultRef(i int) resolved.Ref { return pl.plan.In.Operands(pl.at)[2+i] }

func (pl *planner) argRef(c *ptx.Call, i int) resolved.Ref {
	return pl.plan.In.Operands(pl.at)[2+len(c.Results)+i]
}

// planCall finds out what a call calls and by which assignment, and which
// variables it uses. It returns the site.
func (pl *planner) planCall(c *ptx.Call) *Site {
	pl.plan.Sites = append(pl.plan.Sites, Site{Callee: &Callee{}, Buffer: -1, Vars: len(pl.plan.CallVars)})
	s := &pl.plan.Sites[len(pl.plan.Sites)-1]
	for i := range c.Params {
		v := pl.argVar(&c.Params[i], pl.argRef(c, i))
		pl.plan.CallVars = append(pl.plan.CallVars, v)
		if v != nil {
			pl.touch(&v.asArg)
		}
	}
	for i := range c.Results {
		v := pl.argVar(&c.Results[i], pl.resultRef(i))
		pl.plan.CallVars = append(pl.plan.CallVars, v)
		if v != nil {
			pl.touch(&v.AsResult)
			s.resultVar = v
		}
	}
	pl.findCallee(c, s)
	pl.siteAssign(c, s)
	s.Endless = pl.endlessCall(c, s)
	if s.resultVar != nil && s.Ok && s.Asn.Sret.Kind == abi.InReg {
		s.resultVar.big = true
	}
	return s
}

// signature finds out what the signature of a callee is, and what a call does to registers.
func (pl *planner) signature(k *Callee) {
	k.sig = abi.Signature{Params: resolve.AppendValues(nil, k.Params), Results: resolve.AppendValues(nil, k.Results), Preserve: k.preserve}
	k.Regs = pl.plan.regsWith(k.preserve)
}

// argVar returns the local .param variable that an operand names, nil if it names none.
func (pl *planner) argVar(o *ptx.Operand, r resolved.Ref) *Var {
	if r.Sym < 0 || o.Elem != 0 {
		return nil
	}
	v := pl.mention(pl.plan.In.Sym(r), o.Text)
	if v == nil || v.Sym.Role != resolved.Local || v.Sym.Spec.Space != ptx.ParamSpace {
		return nil
	}
	return v
}

// findCallee resolves what is called.
func (pl *planner) findCallee(c *ptx.Call, s *Site) {
	sym := pl.plan.In.Sym(pl.calleeRef())
	if s.Reg = sym != nil && sym.Var != nil; !s.Reg {
		name := c.Callee.Name()
		if known := pl.callees[name]; known != nil {
			s.Callee = known
		} else {
			f := pl.plan.Table.Lookup(name).Func
			s.Of, s.Name, s.Params, s.Results = f, f.Name, f.Params, f.Results // by the aliasee's name
			s.preserve = resolve.Preserve(f.Directive(resolve.PreserveName))
		}
		s.Self = pl.isItself(s.Of)
		return
	}
	proto := pl.plan.In.Sym(pl.protoRef())
	if proto != nil && proto.Proto != nil {
		s.Name, s.Params, s.Results = proto.Proto.Name, proto.Proto.Params, proto.Proto.Results
		s.preserve = resolve.Preserve(proto.Proto.Directive(resolve.PreserveName))
		return
	}
	// The signature is that of the first function that the call may reach: all are declared, and the assembler lets
	// none of them preserve registers. The assembler takes a kernel for a function.
	list := pl.plan.callTable(c.Proto.Name(), proto)
	s.Targets, s.Name = true, list.Names[0].Text
	f := pl.plan.Table.Lookup(s.Name).Func
	s.Params, s.Results = f.Params, f.Results
}

// isItself reports whether f is the function at hand, which is a copy with a body where
// bodies are read one by one.
func (pl *planner) isItself(f *ptx.Func) bool { return f.HasBody && f.Name == pl.plan.F.Name }

// siteAssign computes the assignment of a call, with the size of what it
// passes for an unsized formal.
func (pl *planner) siteAssign(c *ptx.Call, s *Site) {
	if s.Regs == nil {
		pl.signature(s.Callee)
	}
	sg, n := &s.sig, len(s.sig.Params)
	tail := n > 0 && sg.Params[n-1].Kind == abi.Unsized
	if tail && len(c.Params) == n {
		if v := pl.plan.CallVars[s.Vars+n-1]; v != nil {
			sg.Params[n-1].Size = v.Size
		}
	}
	if s.Ok = s.known || pl.assign(&s.Asn, *sg, c.Callee.Pos, s.Name, nil, nil); !s.Ok || s.known {
		return
	}
	if s.known = !s.Reg && !tail; s.known {
		if pl.callees == nil {
			pl.callees = make(map[string]*Callee)
		}
		pl.callees[c.Callee.Name()] = s.Callee
	}
}

// A Site is a call of the body.
type Site struct {
	*Callee
	Ok      bool
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

// A Callee is what is called: what all calls of one function have in common.
type Callee struct {
	Name    string    // of the function or prototype, for notes
	Of      *ptx.Func // nil for a call through a register
	Params  []ptx.Formal
	Results []ptx.Formal
	// preserve is its directive, regs what a call does to registers.
	preserve abi.Preserve
	Regs     *abi.RegFile
	sig      abi.Signature
	Asn      abi.Assignment
	known    bool // all of that holds for the next call as well
}
