package opt

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// A byteOf is a byte of a register, or of a constant where reg is none. The zero byteOf is one
// without a value.
type byteOf struct {
	reg  lir.Reg
	time int32 // how often the register had been written
	bits uint8 // a constant
	byte uint8
	set  bool
}

// A word is where the bytes of a register come from, the lowest first.
type word [4]byteOf

// A copied is what a register is a copy of, since it was written at a time.
type copied struct {
	word
	time int32
}

// A state is what is known of a register. A copy is good as long as neither of its ends has been written again.
type state struct {
	writes int32 // how often it has been written
	load   int32 // where in loads the load that made it is, plus 1
	copy   int32 // where in list its copy is, plus 1
}

// A follower is the pass that makes instructions read words where they come from, within
// stretches that control enters at the top alone. It follows each of the four bytes of a register
// that a copy or a selection of bytes makes, so that a word that is put together byte by byte
// becomes one selection, and one that is only passed on a copy.
type follower struct {
	c      *lir.Code
	plan   *place.Plan
	states []state // of registers
	calls  int32   // which write all physical registers
	slots  int32   // how often any slot has been written: they may overlap
	// unset are the registers of the convention that have no value for the next call or return.
	unset  abi.RegSet
	in     lir.Inst  // the one at hand
	to     *lir.Code // with what the instructions before have become
	loads  []loaded
	list   []copied
	stores int32 // how often memory has been written that is for variables
	// So many loads and copies are of stretches before.
	oldLoads, oldCopies int

	// Of a group all members read before one writes: late are the registers that they write, mine
	// those of the member at hand.
	grouped    bool
	slotted    bool // members write slots, so that none is read in another one's place
	late, mine []lir.Reg

	regs []lir.Reg
}

// Forward runs the pass, and removes what nothing reads any more.
func (o *Optimizer) Forward(c *lir.Code, plan *place.Plan) *lir.Code {
	o.before.reset(c)
	next := o.f.run(c, plan)
	o.r.reset(next)
	unread(next, plan, &o.before, &o.r)
	return next
}

func (f *follower) run(c *lir.Code, plan *place.Plan) *lir.Code {
	*f = follower{
		c: c, plan: plan, to: c.Next(len(c.List) / 8), stores: 1, states: zeroed(f.states, c.Names.Regs()),
		loads: f.loads[:0], list: f.list[:0], regs: f.regs,
	}
	for i := range c.List {
		f.in = c.List[i]
		if f.instr(&f.in, i) {
			if contract := f.in.Contract; contract != nil && contract.Needs != nil && f.unset != (abi.RegSet{}) {
				f.in.Contract = f.needs(contract)
			}
			f.to.List = append(f.to.List, f.in)
		}
	}
	return f.to
}

// group begins a group, of which instruction i is the beginning.
func (f *follower) group(i int) {
	f.grouped = true
	for i++; f.c.List[i].Op != lir.Apart; i++ {
		f.slotted = f.slotted || f.slot(f.c.List[i].Dst)
	}
}

// apart ends a group: what its members have written changes now.
func (f *follower) apart() {
	f.grouped, f.slotted, f.mine = false, false, f.mine[:0]
	for _, r := range f.late {
		f.states[r].writes++
	}
	f.late = f.late[:0]
}

// needs returns a contract without the registers that have no value for it.
func (f *follower) needs(old *sass.Contract) *sass.Contract {
	c := *old
	c.Needs, c.Bytes = nil, nil
	for k, r := range old.Needs {
		if !f.unset.Has(r) {
			c.Needs, c.Bytes = append(c.Needs, r), append(c.Bytes, old.Bytes[k])
		}
	}
	c.Bytes, f.unset = append(c.Bytes, old.Bytes[len(old.Needs):]...), abi.RegSet{}
	return &c
}

// time returns how often a register has been written: by itself, as a word or an element of a
// whole register, or with all of that.
func (f *follower) time(r lir.Reg) int32 {
	n := f.states[r].writes
	switch {
	case r.Kind() == sass.KindRegister:
		return n + f.calls
	case f.slot(r): // which the base of the frame addresses
		return f.slots + f.states[lir.Phys(f.plan.Base())].writes
	}
	if r.Part() != sass.Whole {
		n += f.states[r.WithPart(sass.Whole)].writes
	}
	if w := f.c.Names.Owner(r.Name()); w >= 0 && w != r.Name() {
		n += f.states[lir.Virt(w, sass.Whole)].writes
	}
	return n
}

// slot reports whether a register is in a slot, which may be another's as well.
func (f *follower) slot(r lir.Reg) bool {
	if f.plan.Spill.At == nil {
		return false
	}
	_, ok := f.plan.Spill.At.Offset(r)
	return ok
}

// value returns the bytes of a register.
func (f *follower) value(r lir.Reg) (v word) {
	if r == lir.Zero {
		return constant(0)
	}
	time := f.time(r)
	if have := f.copyOf(r); have != nil && have.time == time && f.current(&have.word) {
		return have.word
	}
	for i := range v {
		v[i] = byteOf{reg: r, byte: uint8(i), set: true, time: time}
	}
	return v
}

// copyOf returns what a register was a copy of when it was written, nil where that is not known.
func (f *follower) copyOf(r lir.Reg) *copied {
	if k := int(f.states[r].copy); k > f.oldCopies {
		return &f.list[k-1]
	}
	return nil
}

func constant(bits uint32) (v word) {
	for i := range v {
		v[i] = byteOf{bits: uint8(bits >> (8 * i)), set: true}
	}
	return v
}

// plain returns the one register whose bytes a word has in their places, none for a constant.
func (v *word) plain() (r lir.Reg, bits uint32, ok bool) {
	seen := false
	for i, b := range v {
		switch {
		case !b.set:
			continue
		case b.reg == 0:
			bits |= uint32(b.bits) << (8 * i)
		case int(b.byte) != i:
			return 0, 0, false
		}
		if seen && b.reg != r {
			return 0, 0, false
		}
		r, seen = b.reg, true
	}
	return r, bits, seen
}

// current reports whether no source of a word has been written again.
func (f *follower) current(v *word) bool {
	for i := range v {
		b := &v[i]
		if i > 0 && b.reg == v[i-1].reg && b.time == v[i-1].time {
			continue
		}
		if b.reg != 0 && (b.time != f.time(b.reg) || f.slotted && f.slot(b.reg) || len(f.mine) > 0 && slices.Contains(f.mine, b.reg)) {
			return false
		}
	}
	return true
}

// instr makes an instruction, which is number i, what it becomes. It reports false for one that is
// left out.
func (f *follower) instr(in *lir.Inst, i int) bool {
	switch in.Op {
	case lir.Group:
		f.group(i)
	case lir.Member:
		f.mine = f.mine[:0]
	case lir.Apart:
		f.apart()
	case lir.Label:
		if joins(in) { // what is known on one way here may be wrong on another
			f.forget()
		}
	case lir.Begin:
		f.write(in.Dst)
		f.learn(in.Dst, word{})
	case lir.Pass, lir.Changed:
		f.text(in)
	case lir.Copy, lir.Perm:
		if v, ok := f.result(in); ok && in.Guard == "" {
			return f.made(in, &v)
		}
		f.reads(in)
		if in.Op == lir.Copy && in.A == in.Dst && !f.grouped { // under a guard
			return false
		}
		f.writes(in)
	case lir.Const:
		f.write(in.Dst)
		if in.Guard == "" {
			f.learn(in.Dst, constant(uint32(in.Off)))
		}
	default:
		f.reads(in)
		f.writes(in)
		f.memory(in)
		if calls(f.c, in) {
			f.calls++
			f.stores++
		}
	}
	return true
}

// forget drops all copies, and all loads.
func (f *follower) forget() {
	f.oldLoads, f.oldCopies = len(f.loads), len(f.list)
}

// text takes note of what instructions of the source may write.
func (f *follower) text(in *lir.Inst) {
	if len(f.list) == f.oldCopies && len(f.loads) == f.oldLoads {
		return // of what is not known it does not matter whether it is written
	}
	for _, r := range f.c.Writes(in) {
		f.write(r)
	}
}

// made rewrites a copy or a selection of bytes, which makes a word. It reports false for one that is left out.
func (f *follower) made(in *lir.Inst, v *word) bool {
	d := in.Dst
	if r, _, ok := v.plain(); ok && r == d { // it has that word already
		return false
	}
	if !f.reload(in, v) {
		f.rewrite(in, v)
	}
	f.write(d)
	for i := range v {
		if b := &v[i]; b.reg == d && int(b.byte) == i {
			b.time = f.time(d) // it stays what it was
		}
	}
	f.learn(d, *v)
	return in.Op != lir.Begin
}

// result returns the word that a copy or a selection of bytes makes; ok is false for copies of
// a sign.
func (f *follower) result(in *lir.Inst) (v word, ok bool) {
	if f.slot(in.Dst) || f.slotted && (f.slot(in.A) || in.Op == lir.Perm && f.slot(in.B)) {
		return v, false
	}
	a := f.value(in.A)
	if in.Op == lir.Copy {
		return a, true
	}
	b := f.value(in.B)
	for i := range v {
		switch digit := int(in.Off>>(4*i)) & 15; {
		case digit < 4:
			v[i] = a[digit]
		case digit < 8:
			v[i] = b[digit-4]
		default:
			return v, false
		}
	}
	return v, true
}

// rewrite makes an instruction read the sources of its word, if one instruction can make the word of them.
func (f *follower) rewrite(in *lir.Inst, v *word) {
	if r, bits, ok := v.plain(); ok {
		in.Op, in.A, in.B, in.Off = lir.Copy, r, 0, 0
		switch {
		case r != 0:
		case bits == 0:
			in.A = lir.Zero
		default:
			in.Op, in.A, in.Off = lir.Const, 0, int64(bits)
		}
		return
	}
	regs, bits, sel, set, zeros := f.regs[:0], uint8(0), int64(0), false, false
	for i, b := range v {
		digit := 7 // a byte of RZ, which is read second
		switch k := slices.Index(regs, b.reg); {
		case !b.set:
			digit = i
		case b.reg == 0:
			bits |= b.bits
		case k < 0:
			digit, regs = 4*len(regs)+int(b.byte), append(regs, b.reg)
		default:
			digit = 4*k + int(b.byte)
		}
		sel |= int64(digit) << (4 * i)
		set = set || b.set
		zeros = zeros || b.set && b.reg == 0
	}
	f.regs = regs
	switch {
	case !set:
		in.Op = lir.Begin
		if in.Dst.Kind() == sass.KindRegister {
			f.unset = f.unset.Union(abi.Regs(in.Dst.Num()))
		}
	case bits != 0:
	case len(regs) == 1:
		in.Op, in.A, in.B, in.Off = lir.Perm, regs[0], lir.Zero, sel
	case len(regs) == 2 && !zeros:
		in.Op, in.A, in.B, in.Off = lir.Perm, regs[0], regs[1], sel
	}
}

// reads replaces the registers that an instruction reads by those that they are copies of.
func (f *follower) reads(in *lir.Inst) {
	for p := range in.Sources {
		if f.slot(*p) || *p == lir.Zero {
			continue
		}
		v := f.value(*p)
		switch r, bits, ok := v.plain(); {
		case !ok || r == *p:
		case r != 0:
			*p = r
		case bits == 0 && p != &in.B:
			*p = lir.Zero
		}
	}
}

// writes takes note of the registers that an instruction writes, a whole one for all of its words.
func (f *follower) writes(in *lir.Inst) {
	r, n := in.Dest()
	if r.Kind() == sass.KindVirtual && r.Part() < sass.W0 {
		n = 1
	}
	for k := range n {
		f.write(r + lir.Reg(k))
	}
}

// write takes note that a register changes.
func (f *follower) write(r lir.Reg) {
	if f.grouped && r.Kind() == sass.KindRegister && !f.temp(r) {
		f.late, f.mine = append(f.late, r), append(f.mine, r)
		return
	}
	f.states[r].writes++
	if f.slot(r) {
		f.slots++
	}
}

// temp reports whether a register is one that selection takes where registers have homes: it
// keeps nothing from one move to the next.
func (f *follower) temp(r lir.Reg) bool {
	t := &f.plan.T.Frame
	return !f.plan.AllVirtual && (r == lir.Phys(t.Scratch) || r == lir.Phys(t.OldSP))
}

// learn takes note of what a register that has just been written is a copy of. Physical ones are
// copies of nothing: what is in them is what the convention wants.
func (f *follower) learn(d lir.Reg, v word) {
	if d.Kind() != sass.KindVirtual && !f.temp(d) || f.slot(d) || !f.current(&v) { // or it has bytes of what it was before
		return
	}
	for i := range v {
		if f.temp(v[i].reg) {
			return
		}
	}
	have := f.copyOf(d)
	if have == nil {
		f.list = append(f.list, copied{})
		have = &f.list[len(f.list)-1]
		f.states[d].copy = int32(len(f.list))
	}
	*have = copied{v, f.time(d)}
}
