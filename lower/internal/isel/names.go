package isel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/reg"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Only this file looks for names in the text of instructions.

// uniqueName returns the unique name of a register or a variable that the statement at hand mentions, or the home of the
// register.
func (s *selector) uniqueName(name string) string {
	if !s.plan.Names.Any {
		return name
	}
	r := s.plan.Means(s.at, name)
	if r.Sym < 0 {
		return s.symbol(name)
	}
	if h := s.plan.HomeOf(r); h != nil {
		return h.Text(0)
	}
	return name + s.plan.Added(s.plan.In.Sym(r))
}

// symbol returns the text of a name that has no meaning in the function. A name of the module that looks like a register
// is quoted, as it is in calls.
func (s *selector) symbol(name string) string {
	if t := s.plan.Table; t.Machine && reg.MachineName(name) && (t.Var(name) != nil || t.Lookup(name) != nil) {
		return "`(" + name + ")"
	}
	return name
}

// elementHome returns the register that is the home of an element of a vector, if .x or the like stands after its name; ""
// if it has no home.
func (s *selector) elementHome(name, after string) (reg string) {
	if len(after) != 2 {
		return ""
	}
	at := strings.IndexByte("xyzwrgba", after[1])
	r := s.plan.Means(s.at, name)
	h := s.plan.HomeOf(r)
	if h == nil || at < 0 {
		return ""
	}
	vec := s.plan.In.Sym(r).Spec.Vec
	if at%4 >= vec {
		return ""
	}
	return h.Text(at % 4 * h.Words / vec)
}

// guardText returns the text of a guard in pseudo-SASS, "" for none.
func (s *selector) guardText(g *ptx.Guard) string {
	if g == nil {
		return ""
	}
	name := s.uniqueName(g.Name)
	if g.Neg {
		return "@!" + name
	}
	return "@" + name
}

// keepsNames reports whether the text of the statement at hand, an instruction, can stay: none of its names is printed in
// another way. It may report false for one that could stay.
func (s *selector) keepsNames() bool {
	n := &s.plan.Names
	if !n.Any && n.LabelIn == nil {
		return true
	}
	keeps := func(r body.Ref) bool { return r.Sym < 0 || s.plan.Syms[r.Sym].Plain() }
	return n.LabelIn == nil && !s.plan.Table.Machine && keeps(s.plan.In.Guard(s.at)) && !slices.ContainsFunc(s.plan.In.Operands(s.at), func(r body.Ref) bool { return !keeps(r) })
}

// passThrough emits an instruction of the body, with the names that its registers have in the code.
func (s *selector) passThrough(in *ptx.Instr) {
	if s.keepsNames() {
		s.out.Code.AddPass(s.at, s.jumps(), in.Pos)
		s.mention(in)
		return
	}
	args := ptx.ReplaceNames(string(ptx.AppendTokens(nil, in.Args)), func(name, suffix string) string {
		if reg := s.elementHome(name, suffix); reg != "" {
			return reg
		}
		return s.printed(name) + suffix
	})
	s.changed(in.Op + " " + args)
}

// changed emits the statement at hand, an instruction, with another text. Its contract gives all homes that it mentions, since
// it may write any of them.
func (s *selector) changed(text string) {
	if s.out.Guard != "" {
		text = s.out.Guard + " " + text
	}
	c := s.out.Code
	c.AddChanged(text, s.jumps(), s.out.Pos)
	if homes := s.mention(s.plan.F.Body[s.at].(*ptx.Instr)); homes != nil {
		c.List[len(c.List)-1].Contract = &sass.Contract{Gives: homes}
	}
}

// mention records the registers that the statement at hand, an instruction, mentions, and those that it may write: the
// ones in its first operand. It returns the homes that it mentions.
func (s *selector) mention(in *ptx.Instr) (homes []sass.Reg) {
	c := s.out.Code
	add := func(r body.Ref, written bool) {
		sym := s.plan.In.Sym(r)
		if sym == nil || sym.Var == nil {
			return
		}
		h := s.plan.HomeOrSlot(r)
		if h == nil || h.In == place.InSlot {
			n := s.regs.numberOf(r, h)
			if c.Mention(n); written {
				c.Written = append(c.Written, lir.Virt(n, sass.Whole))
			}
			return
		}
		for k := range h.Words {
			homes = append(homes, h.Reg+sass.Reg(k))
			if written {
				c.Written = append(c.Written, lir.Phys(h.Reg+sass.Reg(k)))
			}
		}
	}
	written := 0
	if ops := in.Ops(); len(ops) > 0 {
		for range ptx.Names(ops[:1]) {
			written++
		}
	}
	for k, r := range s.plan.In.Operands(s.at) {
		add(r, k < written)
	}
	add(s.plan.In.Guard(s.at), false)
	return homes
}

// printed returns the text for a name that an instruction mentions.
func (s *selector) printed(name string) string {
	if u := s.label(name); u != name || s.jumps() && s.plan.Names.IsLabel(name) {
		return u
	}
	return s.uniqueName(name)
}

// addressOf lowers a mov or cvta.param that takes the address of a variable. It reports false for other instructions.
func (s *selector) addressOf(in *ptx.Instr) bool {
	ops, op := in.Ops(), s.plan.In.Op(s.at).Name
	if len(ops) != 2 || op != "mov" && !strings.HasPrefix(in.Op, "cvta.param.") || ops[1].Name() == "" {
		return s.noAddress(in)
	}
	o, off := &ops[1], int64(0)
	if o.Kind == ptx.KindSum {
		off = int64(o.Bits)
	}
	refs := s.plan.In.Operands(s.at)
	v := s.plan.VariableOf(refs[len(refs)-1])
	if v == nil || v.Sym.Spec.Type.Class() == ptx.Handle || op == "cvta" && v.Sym.Spec.Space != ptx.ParamSpace {
		return s.noAddress(in)
	}
	r := s.registerAt(refs[0], ops[0].Elem)
	if r.pred || r.size > 8 {
		s.Reporter.Impossible()
	}
	s.address(v, &r, off)
	if op == "cvta" { // it converts the address in place
		reg := s.uniqueName(ops[0].Text)
		s.changed(in.Op + " " + reg + ", " + reg)
	}
	return true
}

// noAddress returns false for an instruction that may keep its text. An instruction that names a variable in .param space,
// but does not move its address, is one that package check refuses.
func (s *selector) noAddress(in *ptx.Instr) bool {
	for _, r := range s.plan.In.Operands(s.at) {
		if v := s.plan.VariableOf(r); v != nil {
			if v.Sym.Spec.Space == ptx.LocalSpace || v.Sym.Spec.Type.Class() == ptx.Handle || s.plan.F.Entry && strings.HasPrefix(in.Op, "prefetch.") {
				return false // the comments of the frame have the place of the variable
			}
			s.Reporter.Impossible()
		}
	}
	return false
}

// address makes a register the address of byte off of a variable.
func (s *selector) address(v *place.Var, r *operand, off int64) {
	text := "address of " + v.Source
	if off != 0 {
		text += "+" + strconv.FormatInt(off, 10)
	}
	s.out.spare = 0
	to := r.list[0].reg
	if r.size < 4 { // the register takes the low bits of the address
		to = s.out.temp()
	}
	switch at := s.out.storage(v); {
	case at.kind != inMemory:
		s.Reporter.Impossible()
	case at.bank > 0:
		s.out.copy(to, source{bits: uint32(int64(v.Loc.Off-s.plan.Asn.Block.Base) + off)}, lir.Say("offset of "+v.Source+" in the parameter block"))
	default:
		s.out.Sum(to, at.reg, int64(at.off)+off, lir.Say(text))
	}
	if r.size < 4 {
		s.out.Move(r.list[0].reg, to, lir.Note{})
	}
	s.out.extend(r.list, 1, false)
}

// moveSlot lowers a mov from or to a register in a slot. It reports false for other instructions.
func (s *selector) moveSlot(in *ptx.Instr) bool {
	if s.plan.Spill.At == nil || !place.IsSlotMove(in) {
		return false
	}
	ops, refs, t := in.Ops(), s.plan.In.Operands(s.at), ptx.TypeOf(in.Op[len("mov"):])
	if !slices.ContainsFunc(refs, func(r body.Ref) bool { h := s.plan.HomeOrSlot(r); return h != nil && h.In == place.InSlot }) {
		return false
	}
	dst, src := s.registerAt(refs[0], ops[0].Elem), operand{}
	if o := &ops[1]; o.Kind != ptx.KindName {
		src = s.operand(o, body.NoRef, t)
		src.size = dst.size
	} else if sym := s.plan.In.Sym(refs[1]); sym != nil && sym.Var != nil && sym.Spec.Space == ptx.RegSpace {
		src = s.registerAt(refs[1], o.Elem)
	}
	if src.size != dst.size || src.elem != dst.elem || len(src.list) != len(dst.list) || dst.pred {
		s.Reporter.BadHome(in.Pos, "%s with a register in a slot of the frame moves a number or another register of as many bits", in.Op)
		return true
	}
	// Slots may overlap. If the words go to higher offsets, the last is copied first, so that none overwrites another that
	// is still to be read.
	for k := range dst.list {
		if to, from := s.slotOf(&dst), s.slotOf(&src); to > from {
			k = len(dst.list) - 1 - k
		}
		s.out.copy(dst.list[k].reg, src.list[k], lir.Note{})
	}
	return true
}

// slotOf returns the offset of a register in a slot, in bytes; -1 for another register.
func (s *selector) slotOf(r *operand) int {
	if off, ok := s.plan.Spill.At.Offset(r.list[0].reg); ok {
		return off
	}
	return -1
}
