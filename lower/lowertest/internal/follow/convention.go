package follow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/lower/internal/stack"
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

// rule is the one that a difference of a call has: another one where the callee preserves registers of its own.
func (s *site) rule(otherwise string) string {
	if s != nil && s.preserve {
		return rulePreserve
	}
	return otherwise
}

// convention holds a listing against what the convention requires of every function,
// whatever it computes: at each call the stack pointer and the return address, at each
// return those and the registers that a function preserves, and that it writes to no
// frame but its own.
func (c *comparison) convention() {
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
func (c *comparison) find(index int, at, place, want, got, last, rule string) {
	c.r.Differences = append(c.r.Differences, Difference{
		Func: c.name, Line: c.theirs.line(index), What: at + ", " + place, Want: want, Got: got, Last: last, Rule: rule,
	})
}

// unfollowed notes what could not be compared, in the same words.
func (c *comparison) unfollowed(index int, at, place, want, got string) {
	c.r.Unfollowed = append(c.r.Unfollowed, Difference{
		Func: c.name, Line: c.theirs.line(index), What: at + ", " + place, Want: want, Got: got,
	})
}

// atEntry is the duty of a register that a function leaves alone.
const atEntry = "hold what it held at entry"

// expect notes whether a place holds what it should at a point, and if not where that was last.
func (c *comparison) expect(pt *point, place, want string, w symexec.Word, right bool, last func() string, rule string) {
	if right {
		c.r.Registers++
	} else if got := "it holds " + c.tell.word(w, 0xf); c.uncertain(w) {
		c.unfollowed(pt.index, pt.at(), place, want, got)
	} else {
		c.find(pt.index, pt.at(), place, want, got, last(), rule)
	}
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
func (c *comparison) uncertain(w symexec.Word) bool {
	return w.Base == symexec.NoBase && slices.ContainsFunc(w.B[:], func(b symexec.Byte) bool {
		return b.Kind == symexec.LostByte || b.Kind == symexec.JoinByte && c.theirs.loose
	})
}

// entry compares what a function begins with on architectures where all begin alike.
func (c *comparison) entry() {
	plain := func(text string) string {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), ";"))
		if strings.Contains(text, "BRA") { // the label is the compiler's to name
			text, _, _ = strings.Cut(text, "`")
		}
		return text
	}
	for i, in := range stack.EntryCode(c.sites.t) {
		text, got := in.String(), "nothing"
		if i < len(c.theirs.l.Instrs) {
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
// followed; then that is reported.
func (c *comparison) stackPointer(pt *point) (symexec.Addr, bool) {
	w := pt.state.Regs[sass.SP]
	at, ok := c.theirs.m.Linear(w)
	made := func(b symexec.Byte) bool { return b.Kind == symexec.MadeByte } // by alloca, or what is not followed
	is := "it is " + c.tell.word(w, 0xf)
	switch base := c.theirs.m.Bases[at.Base]; {
	case c.uncertain(w), c.sites.alloca && w.Base == symexec.NoBase && slices.ContainsFunc(w.B[:], made):
		c.unfollowed(pt.index, pt.at(), "R1", "be the stack pointer", is)
	case ok && at.Base == symexec.SPBase && c.sites.kernel:
		c.find(pt.index, pt.at(), "R1", "be what the kernel loads from "+c.sites.t.Kernel.SP.String()+", less its frame", is, "nothing loads it", ruleFrames)
	case ok && c.theirs.m.Aligned[at.Base] > 0:
		return at, true
	case ok && at.Base != symexec.NoBase && c.sites.kernel && base == c.sites.kernelStack():
		c.theirs.m.Aligned[at.Base] = int64(c.sites.t.Frame.KernelAlign)
		return at, true
	case ok && at.Base != symexec.NoBase && made(base):
		c.unfollowed(pt.index, pt.at(), "R1", "be the stack pointer", is)
	default:
		c.find(pt.index, pt.at(), "R1", "be the stack pointer", is, c.lastStack(pt), ruleFrames)
	}
	return symexec.Addr{}, false
}

// lastStack names the instruction that has changed R1 last.
func (c *comparison) lastStack(pt *point) string {
	p := c.theirs
	for i := len(p.log) - 1; i >= 0; i-- {
		if ch := &p.log[i]; ch.reg == sass.SP && ch.index < pt.index {
			return "R1 was changed last in " + c.tell.source(ch.index)
		}
	}
	return "nothing changes R1 before"
}

// callStack checks the stack pointer at a call, and where the memory of a result is.
func (c *comparison) callStack(pt *point) {
	if pt.site == nil {
		return
	}
	sp, ok := c.stackPointer(pt)
	if !ok {
		return
	}
	s, need := pt.site, int64(pt.site.needs)
	if have := lowestBit(sp.Add, c.theirs.m.Aligned[sp.Base]); have < need {
		c.find(pt.index, pt.at(), "R1", fmt.Sprintf("be a multiple of %d", need),
			fmt.Sprintf("it is %s, which is aligned to %d", c.tell.address(sp), have), c.lastStack(pt), ruleFrames)
	} else {
		c.r.Registers++
	}
	if c.topKnown(sp) && sp.Add+s.passed() > 0 {
		c.find(pt.index, pt.at(), "R1", fmt.Sprintf("leave room for the %d bytes of the callee's stack parameters", s.passed()),
			fmt.Sprintf("it is %s: %d bytes below where the caller's frame ends", c.tell.address(sp), -sp.Add), c.lastStack(pt), ruleFrames)
	}
	if s.sretSize() > 0 {
		c.sretAt(pt, s, sp)
	}
}

// topKnown reports whether the frame of the function ends at the base of an address.
func (c *comparison) topKnown(a symexec.Addr) bool {
	return a.Base == symexec.SPBase || c.theirs.m.Bases[a.Base].Kind == symexec.BankByte
}

// lowestBit returns what an address is surely a multiple of.
func lowestBit(add, base int64) int64 {
	if add == 0 {
		return base
	}
	return min(add&-add, base)
}

// sretAt checks the address of the memory for the result of a call.
func (c *comparison) sretAt(pt *point, s *site, sp symexec.Addr) {
	own := c.sites.own
	reg := s.asn.Sret.Reg
	place := fmt.Sprintf("R%d", reg)
	w := pt.state.Regs[reg]
	want := fmt.Sprintf("hold the address of %d bytes for the result", s.sretSize())
	differ := func(more, got string) {
		c.find(pt.index, pt.at(), place, want+more, "it holds "+got,
			c.tell.lastRight(pt.index, reg, func(w symexec.Word) bool { return w.Base == sp.Base && w.Add >= sp.Add+s.passed() }), ruleResult)
	}
	at, ok := c.theirs.m.Linear(w)
	if !ok || at.Base == symexec.NoBase {
		if c.uncertain(w) || w.Base == symexec.NoBase && w.B[0].Kind == symexec.MadeByte {
			c.unfollowed(pt.index, pt.at(), place, want, "it holds "+c.tell.word(w, 0xf))
			return
		}
		differ("", c.tell.word(w, 0xf))
		return
	}
	c.r.Words++
	c.r.Bytes += 4
	relative := fmt.Sprintf("R1%+#x", at.Add-sp.Add)
	switch from := c.theirs.m.Bases[at.Base]; {
	case at.Base != sp.Base:
		// In a frame that is aligned, or the caller's own result.
		if at.Base != symexec.SPBase && from.Known() && (own.sretSize() == 0 || from != symexec.RegWord(own.asn.Sret.Reg, 0).B[0]) {
			differ("", c.tell.address(at))
		}
	case at.Add < sp.Add+s.passed():
		differ(" above the stack parameters", fmt.Sprintf("%s, and these end at R1%+#x", relative, s.passed()))
	case c.topKnown(sp) && at.Add+int64(s.sretSize()) > 0:
		differ(" in the caller's frame", fmt.Sprintf("%s, and the frame ends at R1%+#x", relative, -sp.Add))
	case lowestBit(at.Add, c.theirs.m.Aligned[at.Base]) < int64(s.asn.Results[0].Align):
		differ(fmt.Sprintf(", a multiple of %d", s.asn.Results[0].Align), relative)
	}
}

// returnTo checks that the address after a call is where the callee
// takes it from.
func (c *comparison) returnTo(pt *point) {
	l := c.theirs.l
	if l.Instrs[pt.index].Name == "JMX" {
		if to, ok := l.Labels[pt.state.Pushed]; !ok || to != pt.index+1 && !l.Targets[pt.index+1] {
			got := "no PRET stands before the call"
			if pt.state.Pushed != "" {
				got = "PRET has pushed " + pt.state.Pushed
			}
			c.find(pt.index, pt.at(), "the return address", "be the label after the call, pushed by PRET", got, "", ruleCalls)
		}
		return
	}
	if pt.site == nil || !pt.site.regs.HasRetAddr() {
		return
	}
	rule := pt.site.rule(ruleCalls)
	for k := range sass.Reg(2) {
		reg := pt.site.regs.RetAddr + k
		w := pt.state.Regs[reg]
		want := fmt.Sprintf("hold the %s word of the address of the label after the call", []string{"low", "high"}[k])
		is := func(w symexec.Word) bool { return c.isBack(w, k, pt.index) }
		own := &c.sites.own.regs
		right := is(w) || pt.site.noreturn && own.HasRetAddr() && w == symexec.RegWord(own.RetAddr+k, 0)
		c.expect(pt, fmt.Sprintf("R%d", reg), want, w, right, func() string { return c.tell.lastRight(pt.index, reg, is) }, rule)
	}
}

// isBack reports whether a word is half k of the address of the instruction after that
// at an index.
func (c *comparison) isBack(w symexec.Word, k sass.Reg, index int) bool {
	if w.Base != symexec.NoBase || w.B[0].Kind != symexec.LabelByte {
		return false
	}
	l, s := c.theirs.l, c.theirs.m.Symbols[w.B[0].Off]
	to, ok := l.Labels[s.Label]
	return ok && to == index+1 && s.Name == l.Name && w == c.theirs.m.SymbolWord(s, uint8(4*k))
}

// returnStack checks the stack pointer at a return.
func (c *comparison) returnStack(pt *point) {
	w := pt.state.Regs[sass.SP]
	at, ok := c.theirs.m.Linear(w)
	c.expect(pt, "R1", atEntry, w, ok && at == symexec.Addr{Base: symexec.SPBase}, func() string { return c.lastStack(pt) }, ruleFrames)
}

// returnFrom checks where a return goes.
func (c *comparison) returnFrom(pt *point) {
	regs := &c.sites.own.regs
	if !regs.HasRetAddr() {
		return
	}
	rule := c.sites.own.rule(ruleCalls)
	in := &c.theirs.l.Instrs[pt.index]
	if len(in.Args) > 0 && in.Args[0].Kind == sass.KindRegister && in.Args[0].Reg != regs.RetAddr {
		c.find(pt.index, "return", in.Args[0].String(), fmt.Sprintf("be R%d, where the caller puts the return address", regs.RetAddr),
			"it is another register", "", rule)
		return
	}
	for k := range sass.Reg(2) {
		c.keeps(pt, regs.RetAddr+k, "hold the return address, as at entry", rule)
	}
}

// keeps checks that a register holds at a return what it held at entry.
func (c *comparison) keeps(pt *point, r sass.Reg, want, rule string) {
	w := pt.state.Regs[r]
	is := func(w symexec.Word) bool { return w == symexec.RegWord(r, 0) }
	c.expect(pt, fmt.Sprintf("R%d", r), want, w, is(w), func() string { return c.tell.lastRight(pt.index, r, is) }, rule)
}

// kept checks the registers that a function preserves.
func (c *comparison) kept(pt *point) {
	rule := c.sites.own.rule(ruleKept)
	for r := range c.sites.own.regs.CalleeSaved.All() {
		if r != sass.SP {
			c.keeps(pt, r, atEntry, rule)
		}
	}
	for r := range c.sites.own.regs.UniformCalleeSaved.All() {
		w := pt.state.URegs[r]
		c.expect(pt, fmt.Sprintf("UR%d", r), atEntry, w, w == symexec.URegWord(int(r), 0), func() string { return "" }, ruleKept)
	}
}

// foreignStores checks that local memory of others is left alone.
func (c *comparison) foreignStores() {
	own := c.sites.own
	for _, s := range c.theirs.frames {
		end := s.at.Add + s.size
		was := c.theirs.m.Rounded[s.at.Base]
		// Some entry is aligned such that the mask takes no more than this of the frame.
		spare := was.Add & (min(c.theirs.m.Aligned[s.at.Base], int64(own.align)) - 1)
		switch {
		case c.sites.kernel && end > 0 && c.theirs.m.Bases[s.at.Base] == c.sites.kernelStack():
			c.find(s.index, "the store", fmt.Sprintf("[R1%+#x] of the entry", s.at.Add), "be left alone", "it is written: local memory ends at the R1 that the kernel loads", "", ruleFrames)
		case was.Base == symexec.SPBase && (was.Add < 0 || own.asn.StackBytes == 0 && !own.variadic) && !c.sites.kernel && end > spare-was.Add:
			c.find(s.index, "the store", fmt.Sprintf("[R1%+#x] of the body", s.at.Add), "be left alone", fmt.Sprintf("it is written: the frame may end at R1%+#x", spare-was.Add), "", ruleFrames)
		case s.at.Base == symexec.SPBase && !c.sites.kernel:
			if end > 0 && end > int64(own.asn.StackBytes+3)&^3 && !own.variadic {
				c.find(s.index, "the store", fmt.Sprintf("[R1%+#x] of the entry", s.at.Add), "be left alone", "it is written: it is in the caller's frame", "", ruleFrames)
			}
		case own.sretSize() > 0 && c.theirs.m.Bases[s.at.Base] == symexec.RegWord(own.asn.Sret.Reg, 0).B[0]:
			if s.at.Add < 0 || end > int64(own.sretSize()+3)&^3 {
				c.find(s.index, "the store", fmt.Sprintf("byte %d of the memory for the result", s.at.Add), "be left alone",
					fmt.Sprintf("it is written, and the result has %d bytes", own.sretSize()), "", ruleResult)
			}
		}
	}
}
