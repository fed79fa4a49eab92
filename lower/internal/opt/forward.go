package opt

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// A byteOf is a byte of a register, or a constant byte where reg is 0. The zero byteOf is a byte without a value.
type byteOf struct {
	reg  lir.Reg
	time int32 // of the register, when it had that byte: see follower.time
	bits uint8 // of a constant
	byte uint8 // its number in the register, 0 for the lowest
	set  bool  // it has a value
}

// A word says where each byte of a register comes from, the lowest first.
type word [4]byteOf

// A copied is the word that a register was given by its last write, and the time of the register then.
type copied struct {
	word
	time int32
}

// A state is the record of a register. Its load and its copy hold as long as neither the register nor their source has
// been written again, which the times say.
type state struct {
	writes int32 // how often it has been written
	load   int32 // where in loads the load that made it is, plus 1
	copy   int32 // where in list its copy is, plus 1
}

// A follower is the pass that makes instructions read words where they come from, within
// stretches that control enters at the top alone. It follows each of the four bytes of a register
// that a copy or a selection of bytes makes: a word that is put together byte by byte
// becomes one selection, and a word that is only passed on becomes a copy.
//
// Every record (a byteOf, a copied, a loaded) carries the times of the registers that it is about. A time is a sum of
// counters of writes, and counters only grow. So if a register has the same time as in a record, nothing has written it
// since, and the record holds. A write therefore removes no records: the times are compared when a record is used. A
// label that other code may jump to ends the stretch, and all records with it.
type follower struct {
	c      *lir.Code
	plan   *place.Plan
	states []state // by register
	calls  int32   // how many calls there were: each counts as a write of all physical registers
	slots  int32   // how many writes of any slot there were: slots may overlap
	// unset has the registers of the convention that have no value for the next call or return.
	unset  abi.RegSet
	in     lir.Inst  // the instruction at hand
	to     *lir.Code // the new code so far
	loads  []loaded
	list   []copied
	stores int32 // how many stores to memory of variables there were
	// The first oldLoads and oldCopies of loads and list belong to stretches before this one, and are not used.
	oldLoads, oldCopies int

	// In a group, all members read before one of them writes. So the physical registers that members write keep their
	// time until the group ends: late has them. The instructions of one member run one after the other: mine has those
	// that the member at hand has written, whose old bytes it can no longer read.
	grouped    bool
	slotted    bool // members write slots: no slot is then read in place of another register
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

// group begins the group whose first instruction is number i.
func (f *follower) group(i int) {
	f.grouped = true
	for i++; f.c.List[i].Op != lir.Apart; i++ {
		f.slotted = f.slotted || f.slot(f.c.List[i].Dst)
	}
}

// apart ends a group: the registers that its members have written count as written from here on.
func (f *follower) apart() {
	f.grouped, f.slotted, f.mine = false, false, f.mine[:0]
	for _, r := range f.late {
		f.states[r].writes++
	}
	f.late = f.late[:0]
}

// needs returns the contract of a call or a return without the registers in unset, and clears unset.
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

// time returns how often a register may have been written: by itself, or as a word or an element of a whole register.
// Calls count as writes of each physical register, and a write of any slot as one of all slots.
func (f *follower) time(r lir.Reg) int32 {
	n := f.states[r].writes
	switch {
	case r.Kind() == sass.KindRegister:
		return n + f.calls
	case f.slot(r): // its address depends on the base of the frame
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

// slot reports whether a register lives in a slot. Other registers may have the same slot.
func (f *follower) slot(r lir.Reg) bool {
	if f.plan.Spill.At == nil {
		return false
	}
	_, ok := f.plan.Spill.At.Offset(r)
	return ok
}

// value returns where the bytes of a register come from; from the register itself, where nothing better is known.
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

// copyOf returns the record of the copy that a register was given in this stretch, nil if there is none. The caller
// compares the times.
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

// plain returns the one register that has the bytes of a word in the same places, or 0 and the bits of a constant. Bytes
// without a value fit any register. ok is false for a word of several sources, and for one without any value.
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

// current reports whether all sources of a word still have the bytes of the word, and may be read by the instruction at
// hand.
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

// instr rewrites instruction number i. It reports false for an instruction that is left out.
func (f *follower) instr(in *lir.Inst, i int) bool {
	switch in.Op {
	case lir.Group:
		f.group(i)
	case lir.Member:
		f.mine = f.mine[:0]
	case lir.Apart:
		f.apart()
	case lir.Label:
		if joins(in) { // a record from one way to here may be wrong on another
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
		if in.Op == lir.Copy && in.A == in.Dst && !f.grouped { // guarded, or to a slot: made leaves out the others
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

// forget drops all copies and all loads.
func (f *follower) forget() {
	f.oldLoads, f.oldCopies = len(f.loads), len(f.list)
}

// text counts the writes of instructions of the source.
func (f *follower) text(in *lir.Inst) {
	if len(f.list) == f.oldCopies && len(f.loads) == f.oldLoads {
		return // no record has a time to compare
	}
	for _, r := range f.c.Writes(in) {
		f.write(r)
	}
}

// made rewrites a copy or a selection of bytes that makes a word. It reports false for an instruction that is left out.
func (f *follower) made(in *lir.Inst, v *word) bool {
	d := in.Dst
	if r, _, ok := v.plain(); ok && r == d { // d has that word already
		return false
	}
	if !f.reload(in, v) {
		f.rewrite(in, v)
	}
	f.write(d)
	for i := range v {
		if b := &v[i]; b.reg == d && int(b.byte) == i {
			b.time = f.time(d) // this write leaves the byte as it is
		}
	}
	f.learn(d, *v)
	return in.Op != lir.Begin
}

// result returns the word that a copy or a selection of bytes makes. ok is false where the instruction stays as it is:
// it replicates a sign, or slots are in its way.
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

// rewrite makes an instruction read the sources of its word, if one instruction can make the word of them: a copy of a
// register, a constant, or a selection from two registers, of which RZ gives the zero bytes. Other instructions stay as
// they are, and read what they read before. Where no byte of the word has a value, the instruction becomes a Begin.
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

// reads replaces the registers that an instruction reads by those that they are copies of, and a zero in A by RZ.
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

// writes counts the writes of an instruction. A whole virtual register is one write, not one for each of its words: the
// times of the words have the counter of the whole in them.
func (f *follower) writes(in *lir.Inst) {
	r, n := in.Dest()
	if r.Kind() == sass.KindVirtual && r.Part() < sass.W0 {
		n = 1
	}
	for k := range n {
		f.write(r + lir.Reg(k))
	}
}

// write counts a write of a register.
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

// temp reports whether a register is one of the two temporary registers of moves between homes. It has no value from one
// move to the next.
func (f *follower) temp(r lir.Reg) bool {
	t := &f.plan.T.Frame
	return !f.plan.AllVirtual && (r == lir.Phys(t.Scratch) || r == lir.Phys(t.OldSP))
}

// learn records the word that a register has just been given. There are no records of physical registers, in which the
// convention wants a value to be, but for temporary ones; of slots; of words with bytes of a temporary register, which
// does not last; and of words with bytes that the register itself had before, at other places, since they are gone.
func (f *follower) learn(d lir.Reg, v word) {
	if d.Kind() != sass.KindVirtual && !f.temp(d) || f.slot(d) || !f.current(&v) {
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
