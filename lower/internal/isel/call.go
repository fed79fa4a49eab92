package isel

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// call lowers a call: words on the stack, the sret pointer, words in registers, the return address, the call, the result.
// A branch goes around a guarded call.
func (s *selector) call(c *ptx.Call) {
	site := &s.plan.Sites[s.calls]
	around := int32(-1)
	if c.Guard != nil {
		around = s.out.Code.NewLabel()
		skip := *c.Guard
		skip.Neg = !skip.Neg
		s.out.Guard = s.guardText(&skip)
		in := s.out.Emit("BRA", lir.Note{}, lir.To(around))
		in.Jumps = true
		s.out.Guard = ""
		// PTX does not define the result of a call that is not made.
		s.agree(in, &sass.Contract{Gives: site.Gives()})
	}
	contract := &sass.Contract{Gives: site.Gives()}
	// Words on the stack come first: the registers of the convention may still have values that are stored.
	s.stackBytes = s.stackBytes[:0]
	for i := range c.Params {
		if site.Asn.Params[i].Loc.Kind == abi.OnStack {
			s.argument(c, site, i, contract)
		}
	}
	s.out.group()
	if site.Asn.Sret.Kind == abi.InReg {
		s.out.member()
		s.out.Sum(lir.Phys(site.Asn.Sret.Reg), lir.Phys(s.plan.Base()), int64(site.Buffer), lir.Does(sass.PassesSret, "address of the result", 0))
		needs(contract, site.Asn.Sret.Reg, 0xf)
	}
	for i := range c.Params {
		if site.Asn.Params[i].Loc.Kind == abi.InReg {
			s.argument(c, site, i, contract)
		}
	}
	target, ok := s.target(c, site, contract)
	s.out.endGroup()
	if !ok {
		return
	}
	contract.Bytes = append(contract.Bytes, s.stackBytes...)
	s.leave(s.out.Call(stack.Target{Name: site.Name, Regs: site.Regs, Self: site.Self, Through: target, Indirect: site.Reg}, lir.Say(s.binding(site))), contract)
	s.result(c, site)
	if around >= 0 {
		s.out.Code.AddLabel(around)
	}
}

// argument copies argument i of a call to its place.
func (s *selector) argument(c *ptx.Call, site *place.Site, i int, contract *sass.Contract) {
	o, f, at := &c.Params[i], &site.Params[i], &site.Asn.Params[i]
	v := value{Placement: *at, name: f.Name}
	if v.name == "_" && o.Kind == ptx.KindName {
		v.name = o.Text
	}
	if signed, ok := place.PromotedKind(f); ok {
		v.promoted = extended(signed)
	}
	of := s.plan.CallVars[site.Vars+i]
	if of != nil {
		v.storage = s.out.storage(of)
	} else {
		v.storage = s.operand(o, s.plan.In.Operands(s.at)[2+len(c.Results)+i], f.Type).Place
	}
	v.words = s.out.passed(of, v.Size)
	s.out.transfer(&v, s.out.outgoing(at), true)
	for _, k := range v.words {
		mask := s.valued(of, k, v.Size, v.promoted != keep)
		if at.Loc.Kind == abi.InReg {
			needs(contract, at.Loc.Reg+sass.Reg(k), mask)
		} else {
			contract.Stack = append(contract.Stack, int64(at.Loc.Off+4*k))
			s.stackBytes = append(s.stackBytes, mask)
		}
	}
}

// target returns the register with the address of the callee; no operand if the call names its callee. If an argument
// needs that register, or it has only half of an address, the address is copied to other registers. It reports false,
// after a diagnostic, if no register is free.
func (s *selector) target(c *ptx.Call, site *place.Site, contract *sass.Contract) (lir.Arg, bool) {
	if !site.Reg {
		return lir.Arg{}, true
	}
	r := s.registerAt(s.plan.In.Operands(s.at)[0], c.Callee.Elem)
	n := s.out.Spelling.IndirectWords
	narrow := len(r.list) < n // an address of 32 bits, which is extended with zeros
	first := r.list[0].reg
	if !r.homed && !narrow {
		if n > 1 {
			first, _ = first.Group(n)
		}
		return lir.Of(first), true
	}
	taken := stack.RetAddr(site.Regs).Union(abi.Regs(contract.Needs...))
	if !narrow && taken.Intersect(abi.RegRange(first.Num(), first.Num()+sass.Reg(n)-1)) == (abi.RegSet{}) {
		return lir.Of(first), true
	}
	if narrow && s.plan.AllVirtual {
		to := s.regs.names.Make(c.Callee.Text+".callee"+s.plan.Registers.Suffix+"x2", -1, lir.NoText)
		s.out.Move(lir.Virt(to, sass.Lo), first, lir.Say("callee"))
		s.out.Move(lir.Virt(to, sass.Hi), lir.Zero, lir.Say("callee"))
		return lir.Of(lir.Virt(to, sass.Whole)), true
	}
	free := site.Regs.CallerSaved.Minus(place.Reserved(s.plan.T)).Minus(taken).Minus(s.plan.Spill.Temps)
	for to := range free.All() {
		if int(to)%n != 0 || abi.RegRange(to, to+sass.Reg(n)-1).Minus(free) != (abi.RegSet{}) {
			continue
		}
		for k := range n {
			s.out.member()
			from := lir.Zero
			if k < len(r.list) {
				from = r.list[k].reg
			}
			s.out.Move(lir.Phys(to+sass.Reg(k)), from, lir.Say("callee"))
			needs(contract, to+sass.Reg(k), 0xf)
		}
		return lir.Of(lir.Phys(to)), true
	}
	if narrow {
		s.Reporter.BadHome(c.Callee.Pos, "%s holds half of an address, which takes two registers, and no caller-saved register is free: pass fewer words in registers", c.Callee.Text)
	} else {
		s.Reporter.BadHome(c.Callee.Pos, "%s lives in %s, which the call needs for an argument, and no caller-saved register is free: give it a callee-saved home", c.Callee.Text, sass.Register(first.Num()))
	}
	return lir.Arg{}, false
}

// agree gives an instruction a contract, unless only the text of the code is used.
func (s *selector) agree(in *lir.Inst, c *sass.Contract) {
	if !s.TextOnly {
		in.Contract = c
	}
}

// leave marks a call or a return as an instruction that leaves the function, and gives it a contract.
func (s *selector) leave(in *lir.Inst, c *sass.Contract) {
	in.Leaves = true
	s.agree(in, c)
}

// result copies the result of a call to the operand that receives it.
func (s *selector) result(c *ptx.Call, site *place.Site) {
	if len(c.Results) == 0 || c.Results[0].Kind == ptx.KindSink {
		return
	}
	o, f, at := &c.Results[0], &site.Results[0], &site.Asn.Results[0]
	if at.Loc.Kind != abi.InReg { // the callee has stored it in the variable
		return
	}
	v := value{Placement: *at, name: f.Name}
	of := s.plan.CallVars[site.Vars+len(c.Params)]
	if of != nil {
		v.storage, v.name = s.out.storage(of), of.Source
	} else {
		reg := s.registerAt(s.plan.In.Operands(s.at)[2], o.Elem)
		if v.storage = reg.Place; v.name == "_" {
			v.name = o.Text
		}
	}
	v.words = s.out.passed(nil, v.Size)
	s.out.group()
	s.out.transfer(&v, s.out.outgoing(at), false)
	s.out.endGroup()
}

// The notes of calls, on whether the convention binds the assembler. It does in code that is compiled for separate
// linking, with -c. There the assembler was seen to follow the convention in all calls, except that it keeps values in
// caller-saved registers that a callee in the module does not use. It has no choice in calls of functions that the module
// does not define, and in calls through a pointer. Without -c there are no externs; a function whose address is taken was
// seen to keep its places, with relative calls; the assembler may change a visible function like any other ("Without -c"
// in docs/abi.md).
const (
	boundExtern    = "convention binds: extern"
	boundPrototype = "convention binds: prototype"
	boundTargets   = "convention binds: list of targets"
	boundVisible   = "convention binds with separate compilation"
	freeLocal      = "local function: the assembler may differ"
)

// binding returns the note of a call.
func (s *selector) binding(site *place.Site) string {
	switch {
	case site.Reg && site.Targets:
		return boundTargets
	case site.Reg:
		return boundPrototype
	case site.Of == nil || !site.Of.HasBody:
		return boundExtern
	case site.Of.Linkage != ptx.NoLinkage:
		return boundVisible
	}
	return freeLocal
}

// needs adds a register that must have a value, and says which of its bytes have one.
func needs(c *sass.Contract, r sass.Reg, bytes uint8) {
	c.Needs, c.Bytes = append(c.Needs, r), append(c.Bytes, bytes)
}

// valued returns which bytes of word k of an argument or a result may have a value, bit 0 for the lowest.
func (s *selector) valued(v *place.Var, k, size int, promoted bool) uint8 {
	mask := uint8(1<<min(4, size-4*k) - 1)
	switch {
	case promoted || s.TextOnly:
		return 0xf
	case v != nil:
		mask &= v.StoredBytes(k)
	}
	return mask
}
