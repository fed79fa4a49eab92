package symexec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// The rules that differences name: steps of docs/abi.md, or its headings.
const (
	ruleResult    = "F3"
	ruleRegisters = "F5"
	ruleStack     = "F6"
	ruleKernel    = "K3"
	ruleValues    = "Values and sizes"
	ruleCalls     = "Calls and returns"
	ruleFrames    = "Frames"
	ruleKept      = "Registers across a call"
	rulePreserve  = ".abi_preserve"
)

// Rules are all that differences may name.
var Rules = []string{ruleResult, ruleRegisters, ruleStack, ruleKernel, ruleValues, ruleCalls, ruleFrames, ruleKept, rulePreserve}

// convention holds a listing against what the convention asks of every function,
// whatever it computes: at each call the stack pointer and the return address, at each
// return those and the registers that a function preserves, and that it writes to no
// frame but its own.
func (c *listingComparison) convention() {
	p := c.theirs
	c.entry()
	for i := range p.points {
		pt := &p.points[i]
		switch pt.kind {
		case callPoint:
			c.callStack(pt)
			c.returnTo(pt)
		case returnPoint:
			if c.sites.kernel {
				c.find(pt.index, "return", "the kernel", "end with EXIT", "it returns", "", ruleCalls)
				continue
			}
			c.r.Returns++
			c.returnStack(pt)
			c.returnFrom(pt)
			c.kept(pt)
		case endPoint:
			c.find(pt.index, "the end", "the code", "end with a return, an exit or a jump", "control runs past the last instruction", "", ruleCalls)
		}
	}
	c.foreignStores()
}

// find adds a difference.
func (c *listingComparison) find(index int, at, place, want, got, last, rule string) {
	c.r.Differences = append(c.r.Differences, ListingDifference{
		Func: c.name, Index: index, Line: c.theirs.line(index), At: at, Place: place, Want: want, Got: got, Last: last, Rule: rule,
	})
}

// unfollowed notes what could not be compared, in the same words.
func (c *listingComparison) unfollowed(index int, at, place, want, got string) {
	c.r.Unfollowed = append(c.r.Unfollowed, ListingDifference{
		Func: c.name, Index: index, Line: c.theirs.line(index), At: at, Place: place, Want: want, Got: got,
	})
}

// at names a point: "call 1 of g", "return".
func (pt *point) at() string {
	switch pt.kind {
	case callPoint:
		return fmt.Sprintf("call %d of %s", pt.nth, pt.name)
	case returnPoint:
		return "return"
	}
	return "the end"
}

// uncertain reports whether it is not known what a word is, for reasons that need not
// be a mistake.
func (c *listingComparison) uncertain(w word) bool {
	return w.base == noBase && slices.ContainsFunc(w.b[:], func(b byteValue) bool {
		return b.kind == lostByte || b.kind == joinByte && c.theirs.loose
	})
}

// entry compares what a function begins with on architectures where all begin alike.
func (c *listingComparison) entry() {
	plain := func(text string) string {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), ";"))
		if strings.Contains(text, "BRA") { // the label is the compiler's to name
			text, _, _ = strings.Cut(text, "`")
		}
		return text
	}
	for i, in := range sass.EntryCode(cmp.Or(c.sites.t.AssumedFrom, c.sites.t.Name)) {
		text, got := in.String(), "nothing"
		if i < len(c.theirs.l.instrs) {
			got = c.tell.code(i)
		}
		if plain(got) != plain(text) {
			c.find(i, "entry", "the function", fmt.Sprintf("begin as all of %s do, here with `%s`", c.sites.t.Name, plain(text)),
				"it has `"+plain(got)+"`", "", ruleKept)
			return
		}
	}
}

// stackPointer returns the stack pointer as an address, false if it is none that is
// followed; then it has said so.
func (c *listingComparison) stackPointer(pt *point) (localAddr, bool) {
	w := pt.state.regs[sass.SP]
	at, ok := c.theirs.m.linear(w)
	sp := c.sites.t.Kernel.SP
	switch {
	case c.uncertain(w), c.sites.alloca && w.base == noBase && slices.ContainsFunc(w.b[:], func(b byteValue) bool { return b.kind == madeByte }):
		c.unfollowed(pt.index, pt.at(), "R1", "be the stack pointer", "it is "+c.tell.word(w, 0xf))
		return localAddr{}, false
	case ok && at.base == spBase && c.sites.kernel:
		c.find(pt.index, pt.at(), "R1", "be what the kernel loads from "+sp.String()+", less its frame", "it is "+c.tell.word(w, 0xf),
			"nothing loads it", ruleFrames)
		return localAddr{}, false
	case ok && c.theirs.m.aligned[at.base] > 0:
		return at, true
	case ok && at.base != noBase:
		from := c.theirs.m.bases[at.base]
		if c.sites.kernel && from == (byteValue{kind: bankByte, reg: sp.Bank, off: int64(sp.Off)}) {
			c.theirs.m.aligned[at.base] = int64(c.sites.t.Frame.KernelAlign)
			return at, true
		}
		if from.kind == madeByte { // alloca, or what is not followed
			c.unfollowed(pt.index, pt.at(), "R1", "be the stack pointer", "it is "+c.tell.word(w, 0xf))
			return localAddr{}, false
		}
	}
	c.find(pt.index, pt.at(), "R1", "be the stack pointer", "it is "+c.tell.word(w, 0xf), c.lastStack(pt), ruleFrames)
	return localAddr{}, false
}

// lastStack says what has changed R1 last.
func (c *listingComparison) lastStack(pt *point) string {
	p := c.theirs
	for i := len(p.log) - 1; i >= 0; i-- {
		if ch := &p.log[i]; ch.reg == sass.SP && ch.index < pt.index {
			return "R1 was changed last in " + c.tell.source(ch.index)
		}
	}
	return "nothing changes R1 before"
}

// callStack checks the stack pointer at a call, and where the memory of a result is.
func (c *listingComparison) callStack(pt *point) {
	if pt.site == nil {
		return
	}
	sp, ok := c.stackPointer(pt)
	if !ok {
		return
	}
	s, need := pt.site, int64(pt.site.needs)
	if have := lowestBit(sp.add, c.theirs.m.aligned[sp.base]); have < need {
		c.find(pt.index, pt.at(), "R1", fmt.Sprintf("be a multiple of %d", need),
			fmt.Sprintf("it is %s, which is aligned to %d", c.tell.address(sp), have), c.lastStack(pt), ruleFrames)
	} else {
		c.r.Registers++
	}
	if c.topKnown(sp) && sp.add+s.passed() > 0 {
		c.find(pt.index, pt.at(), "R1", fmt.Sprintf("leave room for the %d bytes of the callee's stack parameters", s.passed()),
			fmt.Sprintf("it is %s: %d bytes below where the caller's frame ends", c.tell.address(sp), -sp.add), c.lastStack(pt), ruleFrames)
	}
	if s.hidden() > 0 {
		c.hiddenAt(pt, s, sp)
	}
}

// topKnown reports whether the frame of the function ends at the base of an address.
func (c *listingComparison) topKnown(a localAddr) bool {
	return a.base == spBase || c.theirs.m.bases[a.base].kind == bankByte
}

// lowestBit returns what an address is surely a multiple of.
func lowestBit(add, base int64) int64 {
	if add == 0 {
		return base
	}
	return min(add&-add, base)
}

// hiddenAt checks the address of the memory for the result of a call.
func (c *listingComparison) hiddenAt(pt *point, s *site, sp localAddr) {
	own := c.sites.own
	reg := s.asn.Sret.Reg
	place := fmt.Sprintf("R%d", reg)
	w := pt.state.regs[reg]
	want := fmt.Sprintf("hold the address of %d bytes for the result", s.hidden())
	differ := func(more, got string) {
		c.find(pt.index, pt.at(), place, want+more, "it holds "+got,
			c.tell.lastRight(pt.index, reg, func(w word) bool { return w.base == sp.base && w.add >= sp.add+s.passed() }), ruleResult)
	}
	at, ok := c.theirs.m.linear(w)
	if !ok || at.base == noBase {
		if c.uncertain(w) || w.base == noBase && w.b[0].kind == madeByte {
			c.unfollowed(pt.index, pt.at(), place, want, "it holds "+c.tell.word(w, 0xf))
			return
		}
		differ("", c.tell.word(w, 0xf))
		return
	}
	c.r.Words++
	c.r.Bytes += 4
	relative := fmt.Sprintf("R1%+#x", at.add-sp.add)
	switch from := c.theirs.m.bases[at.base]; {
	case at.base != sp.base:
		// In a frame that is aligned, or the caller's own result.
		if at.base != spBase && from.known() && (own.hidden() == 0 || from != regWord(own.asn.Sret.Reg, 0).b[0]) {
			differ("", c.tell.address(at))
		}
	case at.add < sp.add+s.passed():
		differ(" above the stack parameters", fmt.Sprintf("%s, and these end at R1%+#x", relative, s.passed()))
	case c.topKnown(sp) && at.add+int64(s.hidden()) > 0:
		differ(" in the caller's frame", fmt.Sprintf("%s, and the frame ends at R1%+#x", relative, -sp.add))
	case lowestBit(at.add, c.theirs.m.aligned[at.base]) < int64(s.asn.Results[0].Align):
		differ(fmt.Sprintf(", a multiple of %d", s.asn.Results[0].Align), relative)
	}
}

// returnTo checks that a call has the address of what stands after it where the callee
// takes it from.
func (c *listingComparison) returnTo(pt *point) {
	l := c.theirs.l
	if l.instrs[pt.index].op == "JMX" {
		if to, ok := l.labels[pt.state.pushed]; !ok || to != pt.index+1 && !l.targets[pt.index+1] {
			got := "no PRET stands before the call"
			if pt.state.pushed != "" {
				got = "PRET has pushed " + pt.state.pushed
			}
			c.find(pt.index, pt.at(), "the return address", "be the label after the call, pushed by PRET", got, "", ruleCalls)
		}
		return
	}
	if pt.site == nil || !pt.site.regs.HasRetAddr() {
		return
	}
	rule := ruleCalls
	if pt.site.preserve {
		rule = rulePreserve
	}
	for k := range sass.Reg(2) {
		reg := pt.site.regs.RetAddr + k
		w := pt.state.regs[reg]
		place := fmt.Sprintf("R%d", reg)
		want := fmt.Sprintf("hold the %s word of the address of the label after the call", []string{"low", "high"}[k])
		is := func(w word) bool { return c.isBack(w, k, pt.index) }
		own := &c.sites.own.regs
		switch {
		case c.uncertain(w):
			c.unfollowed(pt.index, pt.at(), place, want, "it holds "+c.tell.word(w, 0xf))
		case is(w), pt.site.noreturn && own.HasRetAddr() && w == regWord(own.RetAddr+k, 0):
			c.r.Registers++
		default:
			c.find(pt.index, pt.at(), place, want, "it holds "+c.tell.word(w, 0xf), c.tell.lastRight(pt.index, reg, is), rule)
		}
	}
}

// isBack reports whether a word is half k of the address of the instruction after that
// at an index.
func (c *listingComparison) isBack(w word, k sass.Reg, index int) bool {
	if w.base != noBase || w.b[0].kind != labelByte {
		return false
	}
	l, s := c.theirs.l, c.theirs.m.symbols[w.b[0].off]
	to, ok := l.labels[s.label]
	return ok && to == index+1 && s.name == l.name && w == c.theirs.m.symbolWord(s, uint8(4*k))
}

// returnStack checks the stack pointer at a return.
func (c *listingComparison) returnStack(pt *point) {
	w := pt.state.regs[sass.SP]
	at, ok := c.theirs.m.linear(w)
	switch {
	case ok && at == localAddr{spBase, 0}:
		c.r.Registers++
	case c.uncertain(w):
		c.unfollowed(pt.index, pt.at(), "R1", "hold what it held at entry", "it holds "+c.tell.word(w, 0xf))
	default:
		c.find(pt.index, pt.at(), "R1", "hold what it held at entry", "it holds "+c.tell.word(w, 0xf), c.lastStack(pt), ruleFrames)
	}
}

// returnFrom checks where a return goes.
func (c *listingComparison) returnFrom(pt *point) {
	regs := &c.sites.own.regs
	if !regs.HasRetAddr() {
		return
	}
	rule := ruleCalls
	if c.sites.own.preserve {
		rule = rulePreserve
	}
	in := &c.theirs.l.instrs[pt.index]
	if len(in.Args) > 0 && in.Args[0].Kind == sass.Register && in.Args[0].Reg != regs.RetAddr {
		c.find(pt.index, "return", in.Args[0].String(), fmt.Sprintf("be R%d, where the caller puts the return address", regs.RetAddr),
			"it is another register", "", rule)
		return
	}
	for k := range sass.Reg(2) {
		c.keeps(pt, regs.RetAddr+k, "hold the return address, as at entry", rule)
	}
}

// keeps checks that a register holds at a return what it held at entry.
func (c *listingComparison) keeps(pt *point, r sass.Reg, want, rule string) {
	w := pt.state.regs[r]
	is := func(w word) bool { return w == regWord(r, 0) }
	switch {
	case is(w):
		c.r.Registers++
	case c.uncertain(w):
		c.unfollowed(pt.index, "return", fmt.Sprintf("R%d", r), want, "it holds "+c.tell.word(w, 0xf))
	default:
		c.find(pt.index, "return", fmt.Sprintf("R%d", r), want, "it holds "+c.tell.word(w, 0xf), c.tell.lastRight(pt.index, r, is), rule)
	}
}

// kept checks the registers that a function preserves.
func (c *listingComparison) kept(pt *point) {
	rule := ruleKept
	if c.sites.own.preserve {
		rule = rulePreserve
	}
	for r := range c.sites.own.regs.CalleeSaved.All() {
		if r != sass.SP {
			c.keeps(pt, r, "hold what it held at entry", rule)
		}
	}
	for r := range c.sites.own.regs.UniformCalleeSaved.All() {
		w, place := pt.state.uregs[r], fmt.Sprintf("UR%d", r)
		switch {
		case w == uregWord(int(r), 0):
			c.r.Registers++
		case c.uncertain(w):
			c.unfollowed(pt.index, "return", place, "hold what it held at entry", "it holds "+c.tell.word(w, 0xf))
		default:
			c.find(pt.index, "return", place, "hold what it held at entry", "it holds "+c.tell.word(w, 0xf), "", ruleKept)
		}
	}
}

// foreignStores checks that local memory of others is left alone.
func (c *listingComparison) foreignStores() {
	own := c.sites.own
	for _, s := range c.theirs.frames {
		end := s.at.add + s.size
		was := c.theirs.m.rounded[s.at.base]
		// Some entry is aligned such that the mask takes no more than this of the frame.
		spare := was.add & (min(c.theirs.m.aligned[s.at.base], int64(own.align)) - 1)
		switch {
		case c.sites.kernel && end > 0 && c.theirs.m.bases[s.at.base] == (byteValue{kind: bankByte, reg: c.sites.t.Kernel.SP.Bank, off: int64(c.sites.t.Kernel.SP.Off)}):
			c.find(s.index, "the store", fmt.Sprintf("[R1%+#x] of the entry", s.at.add), "be left alone", "it is written: local memory ends at the R1 that the kernel loads", "", ruleFrames)
		case was.base == spBase && (was.add < 0 || own.asn.StackBytes == 0 && !own.variadic) && !c.sites.kernel && end > spare-was.add:
			c.find(s.index, "the store", fmt.Sprintf("[R1%+#x] of the body", s.at.add), "be left alone", fmt.Sprintf("it is written: the frame may end at R1%+#x", spare-was.add), "", ruleFrames)
		case s.at.base == spBase && !c.sites.kernel:
			if end > 0 && end > int64(own.asn.StackBytes+3)&^3 && !own.variadic {
				c.find(s.index, "the store", fmt.Sprintf("[R1%+#x] of the entry", s.at.add), "be left alone", "it is written: it is in the caller's frame", "", ruleFrames)
			}
		case own.hidden() > 0 && c.theirs.m.bases[s.at.base] == regWord(own.asn.Sret.Reg, 0).b[0]:
			if s.at.add < 0 || end > int64(own.hidden()+3)&^3 {
				c.find(s.index, "the store", fmt.Sprintf("byte %d of the memory for the result", s.at.add), "be left alone",
					fmt.Sprintf("it is written, and the result has %d bytes", own.hidden()), "", ruleResult)
			}
		}
	}
}
