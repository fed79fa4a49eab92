package sassverify

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// A textInstr is what Verify reads of an instruction that was passed through as
// its source text.
type textInstr struct {
	guard  string
	target string // the label that it branches to, or the list of labels
	list   bool
	ends   bool // control does not go on after it, where no guard keeps it
	rest   string
}

// parseText reads the text of an instruction.
func parseText(text string) textInstr {
	var t textInstr
	rest := strings.TrimSpace(text)
	if strings.HasPrefix(rest, "@") {
		end := strings.IndexAny(rest, " \t\n\r")
		if end < 0 {
			end = len(rest)
		}
		t.guard, rest = rest[:end], strings.TrimSpace(rest[end:])
	}
	t.rest = rest
	end := strings.IndexAny(rest, " \t\n\r")
	if end < 0 {
		end = len(rest)
	}
	op, _, _ := strings.Cut(rest[:end], ".")
	switch op {
	case "bra", "brx":
		first, list, indexed := strings.Cut(rest[end:], ",")
		if t.ends, t.list = true, indexed; indexed {
			first = list
		}
		t.target = strings.TrimSpace(first)
	case "trap":
		t.ends = true
	}
	return t
}

// A flow is the analysis of one function: what holds at each label.
type flow struct {
	*verifier
	at     map[int]*state // by the item of a label, -1 for the beginning; nil where control never comes
	again  map[int]bool   // labels whose state has changed
	lists  map[string][]string
	report bool
}

// flow follows control through the function.
func (v *verifier) flow() {
	f := &flow{verifier: v, at: make(map[int]*state), again: make(map[int]bool), lists: make(map[string][]string)}
	starts := []int{-1}
	for i := range v.f.Items {
		switch it := &v.f.Items[i]; it.Kind {
		case sass.Label:
			starts = append(starts, i)
		case sass.Comment:
			if it.List != nil {
				f.lists[it.List.Name] = it.List.Labels
			}
		}
	}
	start := &state{}
	for _, r := range v.f.Gives {
		start.full.add(r)
	}
	v.homes = regSet{}
	for _, r := range v.f.Homes {
		v.homes.add(r)
		start.full.add(r)
	}
	if !v.f.Kernel {
		start.own = v.entryRegs()
		for i, w := range start.own {
			start.full[i] |= w
		}
		start.set(v.m.SP, value{kind: stackAddr})
	}
	f.at[-1] = start
	f.again[-1] = true
	for len(f.again) > 0 {
		for _, s := range starts {
			if f.again[s] {
				delete(f.again, s)
				f.block(s)
			}
		}
	}
	f.report = true
	for _, s := range starts {
		if f.at[s] != nil {
			f.block(s)
		}
	}
}

// entryRegs returns the registers whose value a function has to give back.
func (v *verifier) entryRegs() regSet {
	set, back := v.convention(v.f.Own)
	if back != sass.RZ {
		set.add(back)
		set.add(back + 1)
	}
	return set
}

// errorf adds a diagnostic, once what holds is known.
func (f *flow) errorf(format string, args ...any) {
	if f.report {
		f.verifier.errorf(format, args...)
	}
}

// goTo says that control may come to a label from a path.
func (f *flow) goTo(label string, p *path) {
	to, ok := f.labels[label]
	if !ok || p.dead {
		return // reported before
	}
	if s := f.at[to]; s == nil {
		s := p.state
		f.at[to] = &s
	} else if !s.meet(&p.state) {
		return
	}
	f.again[to] = true
}

// block follows control from the label at item start to the next one.
func (f *flow) block(start int) {
	now := fork{paths: [2]path{{state: *f.at[start]}}}
	for i := start + 1; ; i++ {
		if i == len(f.f.Items) {
			f.verifier.at = len(f.f.Items) - 1
			if !now.dead() {
				f.errorf("control runs past the end of %s", f.f.Name)
			}
			return
		}
		f.verifier.at = i
		it := &f.f.Items[i]
		switch {
		case now.dead() && it.Kind != sass.Label:
		case it.Kind == sass.Label:
			now.join()
			f.goTo(it.Text, &now.paths[0])
			return
		case it.Kind == sass.Code && it.Instr.Text != "":
			f.text(&it.Instr, &now)
		case it.Kind == sass.Code && f.form[i] != nil:
			f.execute(&it.Instr, &now)
		}
	}
}

// text executes an instruction of which only the text is known.
func (f *flow) text(in *sass.Instr, now *fork) {
	t := parseText(in.Text)
	for i := range now.under(t.guard) {
		p := &now.under(t.guard)[i]
		if p.dead {
			continue
		}
		if c := in.Contract; c != nil {
			for _, r := range c.Gives {
				p.set(r, value{})
			}
		}
		if t.list {
			for _, l := range f.lists[t.target] {
				f.goTo(l, p)
			}
		} else if t.target != "" {
			f.goTo(t.target, p)
		}
		p.dead = t.ends
	}
	if name := strings.TrimLeft(now.guard, "@!"); name != "" && strings.Contains(t.rest, name) {
		now.join() // it may have written the predicate
	}
}

// execute executes an instruction on the paths that its guard leaves.
func (f *flow) execute(in *sass.Instr, now *fork) {
	form := f.form[f.verifier.at]
	paths := now.under(in.Guard)
	for i := range paths {
		if !paths[i].dead {
			f.step(in, form, &paths[i])
		}
	}
	for i, slot := range f.slots[form] {
		if slot == "P" && strings.TrimLeft(now.guard, "@!") == in.Args[i].Name {
			now.join()
		}
	}
}

// step executes an instruction on one path.
func (f *flow) step(in *sass.Instr, form *form, p *path) {
	slots := f.slots[form]
	for i, slot := range slots {
		o := &in.Args[i]
		switch {
		case slot == "d":
		case o.Kind == sass.Register:
			f.read(p, o.Reg, words(form.Op, slot, f.sm))
		case o.Kind == sass.ConstReg, o.Kind == sass.Mem && o.Name == "":
			f.read(p, o.Reg, 1)
		}
	}
	op, _, _ := strings.Cut(form.Op, ".")
	switch op {
	case "BRA":
		if in.Contract != nil {
			for _, r := range in.Contract.Gives {
				p.set(r, value{})
			}
		}
		f.goTo(in.Args[0].Name, p)
		p.dead = true
	case "EXIT":
		p.dead = true
	case "RET":
		f.ret(in, p)
		p.dead = true
	case "PRET":
		p.pushed = in.Args[0].Name
	case "CALL", "JCAL", "CAL", "JMX":
		f.call(in, op, p)
		p.dead = in.Contract != nil && in.Contract.Endless
	case "STL":
		f.store(in, p)
	default:
		for i, slot := range slots {
			if slot == "d" && in.Args[i].Kind == sass.Register {
				f.write(in, form, p, in.Args[i].Reg)
			}
		}
	}
}

// read reports registers that hold nothing.
func (f *flow) read(p *path, r sass.Reg, n int) {
	for k := range n {
		if r == sass.RZ || p.full.has(r+sass.Reg(k)) {
			continue
		}
		f.errorf("R%d is read, and on some path nothing was put there", int(r)+k)
		p.full.add(r + sass.Reg(k)) // one diagnostic is enough
	}
}

// write gives the destination of an instruction its value.
func (f *flow) write(in *sass.Instr, form *form, p *path, dst sass.Reg) {
	val := value{}
	restored := false
	args := in.Args
	switch op, _, _ := strings.Cut(form.Op, "."); op {
	case "MOV":
		switch o := &args[1]; o.Kind {
		case sass.Register:
			val = p.value(o.Reg)
			restored = o.Reg == dst && p.own.has(dst)
		case sass.Lo32:
			val = value{kind: loLabel, label: o.Label}
		case sass.Hi32:
			val = value{kind: hiLabel, label: o.Label}
		}
	case "IADD3", "IADD", "IADD32I":
		val = sum(p, args[1:])
	case "LDL":
		at, known := f.place(p, &args[1], moved(form.Op), false)
		if known && form.Op == "LDL" {
			if slices.Contains(p.slots, slot{at.base, at.off, f.m.SP}) {
				val = value{kind: stackAddr} // of the entry
			} else {
				restored = slices.Contains(p.slots, slot{at.base, at.off, dst})
			}
		}
	}
	if dst == sass.RZ {
		f.errorf("%s puts its result into RZ, where it is lost", form.Op)
		return
	}
	if dst == f.m.SP {
		p.stored = nil
		if o := &args[len(args)-1]; form.Op == "MOV" && (o.Kind == sass.Register || o.Kind == sass.Imm) && val.kind != stackAddr {
			f.errorf("R%d, the stack pointer, gets what is none", dst)
		}
		if val.kind != stackAddr { // aligned, loaded, moved by a size in a register
			val = value{kind: stackAddr, base: f.verifier.at + 1}
		}
	}
	for k := range words(form.Op, "d", f.sm) {
		p.set(dst+sass.Reg(k), val)
	}
	if restored {
		p.own.add(dst)
	}
}

// sum returns the value of an addition of a number to an address.
func sum(p *path, args []sass.Operand) value {
	var val value
	add := int64(0)
	for i := range args {
		o := &args[i]
		switch {
		case o.Kind == sass.Pred, o.Kind == sass.Register && o.Reg == sass.RZ:
		case o.Kind == sass.Imm:
			add += int64(int32(o.Off))
		case o.Kind == sass.Register && !o.Neg && val.kind == unknown && p.value(o.Reg).kind == stackAddr:
			val = p.value(o.Reg)
		default:
			return value{}
		}
	}
	val.off += add
	return val
}

// place returns the address of an access where it counts from a stack pointer,
// and reports one that cannot be meant.
func (f *flow) place(p *path, o *sass.Operand, size int64, store bool) (value, bool) {
	if o.Name != "" {
		return value{}, false
	}
	at, sp := p.value(o.Reg), p.value(f.m.SP)
	if at.kind != stackAddr {
		return value{}, false
	}
	at.off += o.Off
	switch {
	case sp.kind == stackAddr && at.base == sp.base && at.off < sp.off:
		f.errorf("%s lies below the stack pointer", o)
	case store && at.base == 0 && at.off+size > 0:
		f.errorf("%s lies in the caller's frame", o)
	}
	return at, true
}

// moved is how many bytes a load or store moves.
func moved(op string) int64 {
	n, _ := sass.AccessSize(op)
	return int64(n)
}

// store executes a store.
func (f *flow) store(in *sass.Instr, p *path) {
	size := moved(in.Op)
	at, known := f.place(p, &in.Args[0], size, true)
	if !known {
		return
	}
	p.invalidate(at.base, at.off, size)
	sp := p.value(f.m.SP)
	src := &in.Args[1]
	for k := int64(0); 4*k < size; k++ {
		if off := at.off - sp.off + 4*k; at.base == sp.base {
			first := off & 3
			p.stored = append(p.stored, part{off - first, uint8(1<<min(size, 4)-1) << first})
		}
		r := src.Reg + sass.Reg(k)
		if size < 4 || src.Kind != sass.Register || src.Reg == sass.RZ {
			continue
		}
		atEntry := p.value(r) == value{kind: stackAddr}
		if atEntry {
			r = f.m.SP
		}
		if atEntry || p.own.has(r) {
			p.slots = append(p.slots[:len(p.slots):len(p.slots)], slot{at.base, at.off + 4*k, r})
		}
	}
}
