package follow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/sass"
)

// A teller describes in words what a machine has found in one listing.
type teller struct{ p *path }

// line returns "line 12", or the instruction where the listing has no lines.
func (t *teller) line(i int) string {
	if i < 0 || i >= len(t.p.l.Instrs) {
		return "the end"
	}
	if n := t.p.line(i); n > 0 {
		return fmt.Sprintf("line %d", n)
	}
	return "`" + t.code(i) + "`"
}

// code returns the text of an instruction.
func (t *teller) code(i int) string {
	in := *t.p.l.Instrs[i].Instr
	in.Note = ""
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(in.String()), ";"))
}

// source returns "line 12, `MOV R4, R5`".
func (t *teller) source(i int) string {
	if t.p.line(i) == 0 {
		return t.line(i)
	}
	return t.line(i) + ", `" + t.code(i) + "`"
}

// called returns "call 1 of g".
func (t *teller) called(epoch uint16) string {
	if pt := t.p.calledAt(epoch); pt != nil {
		return pt.at()
	}
	return fmt.Sprintf("call %d", epoch)
}

// word describes a word of which some bytes count.
func (t *teller) word(w symexec.Word, mask uint8) string {
	if w.Base != symexec.NoBase {
		return t.address(symexec.Addr{Base: w.Base, Add: w.Add})
	}
	var parts []string
	for i := 0; i < 4; {
		if mask>>i&1 == 0 {
			i++
			continue
		}
		end := i + 1
		for end < 4 && mask>>end&1 != 0 && follows(w.B[i], w.B[end], end-i) {
			end++
		}
		text := t.run(w.B[i:end])
		switch {
		case i == 0 && mask>>end == 0:
			return text
		case end == i+1:
			parts = append(parts, fmt.Sprintf("in byte %d %s", i, text))
		default:
			parts = append(parts, fmt.Sprintf("in bytes %d to %d %s", i, end, text))
		}
		i = end
	}
	if parts == nil {
		return "anything"
	}
	return strings.Join(parts, ", ")
}

// address describes an address in local memory.
func (t *teller) address(a symexec.Addr) string {
	base := "what R1 held at entry"
	switch a.Base {
	case symexec.NoBase:
		return fmt.Sprintf("the number %#x", uint32(a.Add))
	case symexec.SPBase:
	default:
		base = t.byte(t.p.m.Bases[a.Base], 4)
	}
	if a.Add == 0 {
		return base
	}
	return fmt.Sprintf("%s%+#x", base, a.Add)
}

// follows reports whether a byte is the one that is n after another.
func follows(first, b symexec.Byte, n int) bool {
	switch {
	case first.Kind == symexec.ConstByte, first.Kind == symexec.Nothing:
		return b.Kind == first.Kind
	case first.Sign:
		return first == b
	}
	return first.Next(n) == b
}

// run describes bytes that follow each other.
func (t *teller) run(list []symexec.Byte) string {
	if list[0].Kind != symexec.ConstByte {
		return t.byte(list[0], len(list))
	}
	v := uint64(0)
	for i, b := range list {
		v |= uint64(b.Off) << (8 * i)
	}
	return fmt.Sprintf("the number %#x", v)
}

// ofBytes is "bytes 2 to 4 of ", "" for all four.
func ofBytes(n uint8, count int) string {
	switch {
	case n == 0 && count == 4:
		return ""
	case count == 1:
		return fmt.Sprintf("byte %d of ", n)
	}
	return fmt.Sprintf("bytes %d to %d of ", n, int(n)+count)
}

// byte describes n bytes from one on.
func (t *teller) byte(b symexec.Byte, n int) string {
	if b.Sign {
		b.Sign = false
		return "copies of the sign of " + t.byte(b, 1)
	}
	switch b.Kind {
	case symexec.RegByte:
		return t.register(b, n)
	case symexec.URegByte:
		if b.Epoch == 0 {
			return fmt.Sprintf("%swhat UR%d held at entry", ofBytes(b.N, n), b.Reg)
		}
		return fmt.Sprintf("%swhat %s left in UR%d", ofBytes(b.N, n), t.called(b.Epoch), b.Reg)
	case symexec.LocalByte:
		return t.memory(b, n)
	case symexec.ResultByte:
		if pt := t.p.calledAt(b.Epoch); pt != nil && pt.site != nil {
			p := part{name: pt.site.result, first: int(b.Off), end: int(b.Off) + n, size: pt.site.sretSize()}
			return p.text("result") + " of " + t.called(b.Epoch)
		}
	case symexec.BankByte:
		at := fmt.Sprintf("c[%#x][%#x]", b.Reg, b.Off)
		if p := t.p.sites.own.at(abi.Loc{Kind: abi.InConst, Bank: b.Reg, Off: int(b.Off)}, false); p != nil && t.p.sites.kernel {
			return p.slice(0, n).text("parameter") + ", which is at " + at
		}
		return t.loaded(b) + at
	case symexec.GlobalByte:
		return t.loaded(b) + fmt.Sprintf("global memory at %#x", b.Off)
	case symexec.PointedByte:
		return fmt.Sprintf("what memory holds at %+#x from %s", b.Off, t.byte(t.p.m.Bases[b.Base], 4))
	case symexec.LabelByte:
		s := t.p.m.Symbols[b.Off]
		half := "low"
		if b.N >= 4 {
			half = "high"
		}
		what := s.Name
		if s.Label != "" {
			what = "the label " + s.Label + " of " + s.Name
		}
		return fmt.Sprintf("%sthe %s word of the address of %s", ofBytes(b.N%4, n), half, what)
	case symexec.TermByte:
		if i, ok := t.p.computed[b.Off]; ok {
			return "what " + t.source(i) + ", computes"
		}
		return "what another instruction computes"
	case symexec.MadeByte:
		return "what " + t.source(int(b.Off)) + ", makes"
	case symexec.JoinByte:
		return "another value on each way to " + t.line(int(b.Off&0xfffff))
	case symexec.FrameByte:
		return fmt.Sprintf("%s%+#x", t.byte(t.p.m.Bases[b.Base], 4), b.Off)
	case symexec.PhiByte:
		return "another value on each way to " + t.line(t.p.alloc.meets[b.Off])
	case symexec.LostByte:
		return "what " + t.source(int(b.Off)) + ", may have left: it is not known"
	}
	return "nothing that was put there"
}

// register describes n bytes of a register.
func (t *teller) register(b symexec.Byte, n int) string {
	r, own := sass.Reg(b.Reg), t.p.sites.own
	if b.Epoch > 0 {
		if pt := t.p.calledAt(b.Epoch); pt != nil {
			if p := pt.site.at(abi.Loc{Kind: abi.InReg, Reg: r}, true); p != nil {
				return p.slice(int(b.N), n).text("result") + " of " + t.called(b.Epoch)
			}
		}
		return fmt.Sprintf("%swhat %s left in R%d", ofBytes(b.N, n), t.called(b.Epoch), r)
	}
	if t.p.sites.kernel {
		return fmt.Sprintf("%swhat R%d held at entry", ofBytes(b.N, n), r)
	}
	if p := own.at(abi.Loc{Kind: abi.InReg, Reg: r}, false); p != nil {
		return p.slice(int(b.N), n).text("parameter") + fmt.Sprintf(", which R%d held at entry", r)
	}
	if own.sretSize() > 0 && r == own.asn.Sret.Reg {
		return fmt.Sprintf("%sthe address of the result, which R%d held at entry", ofBytes(b.N, n), r)
	}
	return fmt.Sprintf("%swhat R%d held at entry", ofBytes(b.N, n), r)
}

// memory describes n bytes of local memory.
func (t *teller) memory(b symexec.Byte, n int) string {
	place := fmt.Sprintf("[R1%+#x]", b.Off)
	if b.Base != symexec.SPBase {
		place = "[" + t.address(symexec.Addr{Base: b.Base, Add: b.Off}) + "]"
	}
	if b.Epoch > 0 {
		return fmt.Sprintf("what %s may have left at %s of the entry's stack", t.called(b.Epoch), place)
	}
	if b.Base == symexec.SPBase && b.Off >= 0 && !t.p.sites.kernel {
		if p := t.p.sites.own.at(abi.Loc{Kind: abi.OnStack, Off: int(b.Off)}, false); p != nil {
			return p.slice(0, n).text("parameter") + ", which lay at " + place + " at entry"
		}
	}
	return "what lay at " + place + " at entry, where nothing was stored"
}

// loaded is "what line 12 loads from ", by the first register that has the byte.
func (t *teller) loaded(b symexec.Byte) string {
	for i := range t.p.log {
		c := &t.p.log[i]
		for _, have := range c.w.B {
			if have == b {
				return "what " + t.line(c.index) + " loads from "
			}
		}
	}
	return "what is loaded from "
}

// before returns the changes before an instruction, and all of them where there are several paths.
func (t *teller) before(at int) []change {
	log := t.p.log
	if n := slices.IndexFunc(log, func(c change) bool { return c.index >= at }); n >= 0 && t.p.straight() {
		return log[:n]
	}
	return log
}

// held returns the change that made a register hold a value last, before an instruction, and the change that ended that; nil for
// none.
func (t *teller) held(at int, reg sass.Reg, is func(w symexec.Word) bool) (since, until *change) {
	if reg != sass.RZ && is(symexec.RegWord(reg, 0)) {
		since = &change{index: -1, reg: reg}
	}
	log := t.before(at)
	for i := range log {
		switch c := &log[i]; {
		case c.reg != reg:
		case is(c.w):
			since, until = c, nil
		case since != nil && until == nil:
			until = c
		}
	}
	return since, until
}

// until returns "until the call in line 12" or "until line 12, `MOV R4, R5`".
func (t *teller) until(c *change) string {
	if c.call {
		return "until the call in " + t.line(c.index)
	}
	return "until " + t.source(c.index)
}

// lastRight describes where a register, or another one, held the value last, before an instruction: is reports whether a word
// is that value. Reg is RZ for a value that belongs in memory.
func (t *teller) lastRight(at int, reg sass.Reg, is func(w symexec.Word) bool) string {
	since, until := t.held(at, reg, is)
	other := t.elsewhere(at, reg, is)
	if since != nil && since.index < 0 && t.isKept(reg) {
		other = "" // a callee-saved register: it is about no other
	}
	if other != "" {
		other = "; " + other
	}
	from := "the entry"
	if since != nil && since.index >= 0 {
		from = t.line(since.index)
	}
	switch {
	case since != nil && until != nil:
		return fmt.Sprintf("R%d held it from %s %s%s", reg, from, t.until(until), other)
	case since != nil && !t.p.straight():
		return fmt.Sprintf("R%d holds it from %s on, but not on every path", reg, from)
	case reg == sass.RZ && other != "":
		return other[2:]
	case other != "":
		return fmt.Sprintf("nothing puts it into R%d%s", reg, other)
	case reg != sass.RZ:
		return fmt.Sprintf("nothing puts it into R%d; no register ever holds it", reg)
	}
	return "no register ever holds it"
}

// isKept reports whether a register holds at a return what it held at entry.
func (t *teller) isKept(r sass.Reg) bool {
	regs := &t.p.sites.own.regs
	return regs.CalleeSaved.Has(r) || regs.HasRetAddr() && (r == regs.RetAddr || r == regs.RetAddr+1)
}

// elsewhere names the register but one that held the value last, before an instruction;
// "" if none did.
func (t *teller) elsewhere(at int, but sass.Reg, is func(w symexec.Word) bool) string {
	var last, until *change
	log := t.before(at)
	for i := range log {
		switch c := &log[i]; {
		case c.reg != but && is(c.w) && !c.call:
			last, until = c, nil
		case last != nil && until == nil && c.reg == last.reg:
			until = c
		}
	}
	if last == nil {
		last, until = t.fromEntry(at, but, is)
	}
	switch {
	case last == nil:
		return ""
	case until == nil && last.index < 0:
		return fmt.Sprintf("it is in R%d, as at entry", last.reg)
	case until == nil:
		return fmt.Sprintf("it is in R%d since %s", last.reg, t.line(last.index))
	}
	return fmt.Sprintf("it was last in R%d, %s", last.reg, t.until(until))
}

// fromEntry returns the first register but one that held a value at entry, and the change that ended that before an instruction.
func (t *teller) fromEntry(at int, but sass.Reg, is func(w symexec.Word) bool) (last, until *change) {
	for r := range sass.RZ {
		if r == but || !is(symexec.RegWord(r, 0)) {
			continue
		}
		if i := slices.IndexFunc(t.p.log, func(c change) bool { return c.reg == r && c.index < at }); i >= 0 {
			until = &t.p.log[i]
		}
		return &change{index: -1, reg: r}, until
	}
	return nil, nil
}
