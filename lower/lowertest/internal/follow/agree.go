package follow

import (
	"math/bits"
	"slices"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/sass"
)

// An agreement says how two bytes compare.
type agreement uint8

const (
	agrees agreement = iota
	unclear
	differs
)

// word compares the bytes of one word that the mask has. What is undefined in ours may be anything.
func (c *comparison) word(t *point, place string, reg sass.Reg, theirs, ours symexec.Word, mask uint8, stack bool, want, rule string) {
	c.r.Words++
	bad := agrees
	switch {
	case ours.Base != symexec.NoBase && theirs.Base != symexec.NoBase && c.theirs.inFrame(theirs.Base) && c.ours.inFrame(ours.Base): // each in its own
	case ours.Base != symexec.NoBase && theirs.Base != symexec.NoBase && c.machineCode() && c.ours.m.Bases[ours.Base].Kind == symexec.TermByte:
		bad = unclear // a number more than what the source computes
	case ours.Base != symexec.NoBase && theirs.Base != symexec.NoBase: // what a place held, and a number
		if !c.sameSum(theirs, ours) {
			bad = differs
		}
	case theirs.Base != symexec.NoBase && c.machineCode() && slices.ContainsFunc(ours.B[:], func(b symexec.Byte) bool { return b.Kind == symexec.TermByte }):
		bad = unclear // a sum, and what the source computes
	case ours.Base != symexec.NoBase && certain(theirs, mask), theirs.Base != symexec.NoBase && certain(ours, mask):
		bad = differs
	case ours.Base != symexec.NoBase || theirs.Base != symexec.NoBase:
		bad = unclear
	default:
		bad = c.agree(theirs, ours, mask, stack)
	}
	if c.judge(bad, t.index, t.at(), place, reg, theirs, ours, mask, want, rule) {
		c.r.Bytes += knownBytes(ours, mask)
		if ours.Base != symexec.NoBase && !c.ours.inFrame(ours.Base) { // what a place held, and a number
			c.r.Bytes += bits.OnesCount8(mask)
		}
	}
}

// judge notes how two words compare, and reports whether they agree. Reg is RZ for one in memory.
func (c *comparison) judge(bad agreement, index int, at, place string, reg sass.Reg, theirs, ours symexec.Word, mask uint8, want, rule string) bool {
	if bad == agrees {
		return true
	}
	got := "it holds " + c.tell.word(theirs, mask)
	if bad == differs {
		is := func(w symexec.Word) bool { return w.Base == symexec.NoBase && c.agree(w, ours, mask, false) == agrees }
		if ours.Base != symexec.NoBase {
			is = func(w symexec.Word) bool { return w.Base != symexec.NoBase && c.sameSum(w, ours) }
		}
		c.find(index, at, place, "hold "+want, got, c.tell.lastRight(index, reg, is), c.ruleOf(theirs, ours, mask, rule))
	} else {
		c.unfollowed(index, at, place, "hold "+want, got)
	}
	return false
}

// sameSum compares what places held and a number; addresses in frames are equal, each in its own.
func (c *comparison) sameSum(theirs, ours symexec.Word) bool {
	return c.theirs.inFrame(theirs.Base) && c.ours.inFrame(ours.Base) ||
		c.same(c.theirs.m.Bases[theirs.Base], c.ours.m.Bases[ours.Base]) && theirs.Add == ours.Add
}

// inFrame reports whether a base is the stack pointer, in whatever way a function has it, or an address that is
// not followed.
func (p *path) inFrame(base int16) bool {
	b := p.m.Bases[base]
	return base == symexec.SPBase || b.Kind == symexec.MadeByte || b.Kind == symexec.RegByte && b.Reg == uint8(sass.SP) || b == p.sites.kernelStack()
}

// knownBytes returns how many bytes of a word that the mask has are not undefined.
func knownBytes(w symexec.Word, mask uint8) int {
	n := 0
	for i, b := range w.B {
		if mask>>i&1 != 0 && (b.Known() || b.Kind == symexec.PointedByte || b.Kind == symexec.FrameByte) {
			n++
		}
	}
	return n
}

// certain reports whether it is known where the bytes of a word came from, or that they
// came from nowhere.
func certain(w symexec.Word, mask uint8) bool {
	for i, b := range w.B {
		if mask>>i&1 != 0 && !b.Known() && b.Kind != symexec.Nothing {
			return false
		}
	}
	return true
}

// agree compares words byte by byte.
func (c *comparison) agree(theirs, ours symexec.Word, mask uint8, stack bool) agreement {
	worst := agrees
	for i := range ours.B {
		if mask>>i&1 != 0 {
			worst = max(worst, c.byteAgrees(theirs.B[i], ours.B[i], stack))
		}
	}
	return worst
}

// byteAgrees compares two bytes.
func (c *comparison) byteAgrees(t, o symexec.Byte, stack bool) agreement {
	switch {
	case o.Kind == symexec.Nothing:
		return agrees
	case c.same(t, o):
		return agrees
	case (c.neverWritten(t) || stack && (t.Kind == symexec.Nothing || t.Kind == symexec.LocalByte && t.Epoch > 0)) && (o.Known() || o.Kind == symexec.PointedByte || c.computes(o)):
		return differs
	case t.Kind == symexec.PointedByte && o.Known(), o.Kind == symexec.PointedByte && t.Known(), t.Kind == symexec.PointedByte && o.Kind == symexec.PointedByte:
		if c.sites.stores || c.theirs.mayKeep(t) { // memory may hold what the function has stored
			return unclear
		}
		return differs
	case !o.Known(), c.theirs.mayKeep(t), c.sites.noTable && c.plainAddress(t, o), c.otherCall(t, o):
		return unclear
	case t.Kind == symexec.Nothing:
		return differs
	case !t.Known(), o.Kind == symexec.TermByte && c.machineCode():
		return unclear
	}
	return differs
}

// computes reports whether a byte is what an instruction of the source makes of defined values.
func (c *comparison) computes(o symexec.Byte) bool {
	list := c.ours.l.Instrs
	return o.Kind == symexec.MadeByte && o.Off >= 0 && o.Off < int64(len(list)) && list[o.Off].Text != ""
}

// mayKeep reports whether a byte is what a call has left in a register that the function called may leave alone.
func (p *path) mayKeep(t symexec.Byte) bool {
	results, ok := p.unsure[t.Epoch]
	return t.Kind == symexec.RegByte && ok && !results.Has(sass.Reg(t.Reg))
}

// otherCall reports whether two bytes are from different calls of one name, in a function with several paths. There the order
// of the calls does not show which call of the source a call of the listing is.
func (c *comparison) otherCall(t, o symexec.Byte) bool {
	if t.Epoch == 0 || o.Epoch == 0 || t.Epoch == o.Epoch || c.straight() || c.theirs.nameOf(t.Epoch) != c.ours.nameOf(o.Epoch) {
		return false
	}
	t.Epoch = o.Epoch
	return c.same(t, o)
}

// plainAddress reports whether a byte is of the address of the function whose entry in the table ours has.
func (c *comparison) plainAddress(t, o symexec.Byte) bool {
	return t.Kind == symexec.LabelByte && o.Kind == symexec.LabelByte && t.N == o.N &&
		c.ours.m.Symbols[o.Off].Name == "fun@unified("+c.theirs.m.Symbols[t.Off].Name+")"
}

// calledAt returns the point of a call by its number, nil for none.
func (p *path) calledAt(nth uint16) *point {
	i := slices.IndexFunc(p.points, func(pt point) bool { return pt.kind == callPoint && pt.nth == int(nth) })
	if i < 0 {
		return nil
	}
	return &p.points[i]
}

// nameOf returns the name of the callee of a call, by the number of the call.
func (p *path) nameOf(nth uint16) string {
	if pt := p.calledAt(nth); pt != nil {
		return pt.name
	}
	return ""
}

// same reports whether two bytes have one origin. Addresses and symbols are numbered in
// each trace for itself.
func (c *comparison) same(theirs, ours symexec.Byte) bool {
	if theirs.Kind != ours.Kind || theirs.Sign != ours.Sign {
		return false
	}
	switch theirs.Kind {
	case symexec.PointedByte:
		return ours.Off == theirs.Off && c.same(c.theirs.m.Bases[theirs.Base], c.ours.m.Bases[ours.Base])
	case symexec.LocalByte:
		return theirs.Epoch == ours.Epoch && ours.Off == theirs.Off && (ours.Base == symexec.SPBase && theirs.Base == symexec.SPBase ||
			c.same(c.theirs.m.Bases[theirs.Base], c.ours.m.Bases[ours.Base]))
	case symexec.LabelByte:
		t, o := c.theirs.m.Symbols[theirs.Off], c.ours.m.Symbols[ours.Off]
		return theirs.N == ours.N && (t == o || t.Label != "" && o.Label != "")
	case symexec.FrameByte:
		t, o := theirs.Base, ours.Base
		return theirs.N == ours.N && (c.theirs.inFrame(t) && c.ours.inFrame(o) || theirs.Off == ours.Off && c.same(c.theirs.m.Bases[t], c.ours.m.Bases[o]))
	case symexec.MadeByte, symexec.JoinByte, symexec.LostByte, symexec.Nothing:
		return false
	}
	return theirs == ours
}

// ruleOf is the rule for a word: that of values where only the bytes above a value
// differ.
func (c *comparison) ruleOf(theirs, ours symexec.Word, mask uint8, rule string) string {
	if theirs.Base != symexec.NoBase || ours.Base != symexec.NoBase {
		return rule
	}
	above := func(b symexec.Byte) bool { return b.Sign || b.Kind == symexec.ConstByte && b.Off == 0 }
	for i := range ours.B {
		o, t := ours.B[i], theirs.B[i]
		if mask>>i&1 != 0 && c.byteAgrees(t, o, false) == differs && (i == 0 || !above(o) || !above(t)) {
			return rule
		}
	}
	return ruleValues
}
