package follow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// operands holds the operands of theirs against what an instruction can have, whatever the source computes: registers
// that there are, pairs that are aligned, addresses that something has written.
func (c *comparison) operands() {
	for i := range c.theirs.l.Instrs {
		if in := &c.theirs.l.Instrs[i]; in.Text == "" {
			c.encodable(i, in)
		}
	}
	c.frameAccesses()
	c.addresses()
}

// encodable checks the numbers of registers of an instruction.
func (c *comparison) encodable(index int, in *symexec.Instr) {
	last := int(c.sites.t.Regs.Last)
	wrong := func(place, want, rule string) {
		c.find(index, "the instruction", place, want, "it is `"+c.tell.code(index)+"`", "", rule)
	}
	for k := range in.Args {
		o := &in.Args[k]
		if digits, ok := strings.CutPrefix(o.Name, "R"); ok && len(digits) >= 3 && strings.Trim(digits, "0123456789") == "" {
			wrong(o.Name, fmt.Sprintf("be among R0 to R%d", last), ruleKept)
		}
		if o.Name != "" || o.Kind != sass.KindRegister && o.Kind != sass.KindMem && o.Kind != sass.KindAddress || o.Reg == sass.RZ {
			continue
		}
		words, place := operandWords(in, k), fmt.Sprintf("R%d", o.Reg)
		switch {
		case int(o.Reg)+words-1 > last:
			wrong(place, fmt.Sprintf("be among R0 to R%d", last-words+1), ruleKept)
		case int(o.Reg)%words != 0:
			wrong(place, fmt.Sprintf("be a multiple of %d, as it begins %d words", words, words), "")
		}
	}
}

// operandWords returns how many registers an operand surely takes, from the one that it names on.
func operandWords(in *symexec.Instr, k int) int {
	o := &in.Args[k]
	if o.Kind == sass.KindAddress && o.Suffix == "64" && !o.HasUni {
		return 2
	}
	if o.Kind != sass.KindRegister {
		return 1
	}
	switch in.Name {
	case "LDL", "LDG", "LD", "LDS", "LDC", "STL", "STG", "ST", "STS":
		n, _ := isa.AccessSize(in.Op)
		return max(n/4, 1)
	case "DADD", "DMUL", "DFMA":
		return 2
	case "IADD", "MOV":
		if in.Has("64") {
			return 2
		}
	case "IMAD":
		if in.Has("WIDE") && k == 0 {
			return 2
		}
	}
	return 1
}

// An addressUse is a register that an access to memory takes its address from, with its value.
type addressUse struct {
	index int
	reg   sass.Reg
	w     symexec.Word
}

// usesAddresses notes the registers that an access to memory takes its address from.
func (p *path) usesAddresses(m *symexec.Machine, in *symexec.Instr) {
	if !p.final || p.alloc != nil || in.Text != "" {
		return
	}
	for k := range in.Args {
		o := &in.Args[k]
		if o.Kind != sass.KindMem && o.Kind != sass.KindAddress || o.Name != "" {
			continue
		}
		if o.Reg != sass.RZ {
			p.addresses = append(p.addresses, addressUse{p.index, o.Reg, m.Regs[o.Reg]})
			if operandWords(in, k) == 2 {
				p.addresses = append(p.addresses, addressUse{p.index, o.Reg + 1, m.Regs[o.Reg+1]})
			}
		}
	}
	if n, _ := isa.AccessSize(in.Op); in.Name == "LDL" && len(in.Args) == 2 && n > 1 {
		if at, err := m.LocalAddress(in.Args[1]); err == nil {
			p.loads = append(p.loads, frameStore{p.index, at, int64(n)})
		}
	}
}

// addresses checks that no address is taken from a register that nothing has written, unless the source reads such.
func (c *comparison) addresses() {
	if c.sites.unwritten {
		return
	}
	seen := make(map[int]bool)
	for _, a := range c.theirs.addresses {
		b := a.w.B[0]
		if a.w.Base != symexec.NoBase {
			b = c.theirs.m.Bases[a.w.Base]
		}
		if !c.neverWritten(b) || seen[a.index] {
			continue
		}
		seen[a.index] = true
		c.find(a.index, "the access", fmt.Sprintf("R%d", a.reg), "hold an address", "it holds "+c.tell.word(a.w, 0xf)+", which is no value of the source", "", ruleCalls)
	}
}

// readsUnwritten reports whether a function reads a register that it never writes.
func readsUnwritten(f *ptx.Func, table *resolve.Table) bool {
	fn := dataflow.New(f, table)
	written := make(map[int]bool)
	for i := range f.Body {
		for _, d := range fn.Defs(i) {
			written[d.Reg] = true
		}
	}
	for i := range f.Body {
		if slices.ContainsFunc(fn.Uses(i), func(r int) bool { return !written[r] && !fn.Registers[r].Formal }) {
			return true
		}
	}
	return false
}

// frameAccesses checks that accesses of several words to local memory are aligned, where it is known how their base is.
func (c *comparison) frameAccesses() {
	if c.crooked {
		return
	}
	for _, s := range slices.Concat(c.theirs.frames, c.theirs.loads) {
		base := c.theirs.m.Aligned[s.at.Base]
		if c.theirs.m.Bases[s.at.Base] == c.sites.kernelStack() {
			base = int64(c.sites.t.Frame.KernelAlign)
		}
		own := c.sites.own
		if s.at.Base == symexec.SPBase { // the assemblers rely on what the declaration says
			base = max(base, int64(own.declared))
		}
		if own.sretSize() > 0 && c.theirs.m.Bases[s.at.Base] == symexec.RegWord(own.asn.Sret.Reg, 0).B[0] {
			base = int64(own.asn.Results[0].Align)
		}
		if have := lowestBit(s.at.Add, base); base >= 4 && have < s.size {
			c.find(s.index, "the access", c.tell.address(s.at), fmt.Sprintf("be a multiple of %d", s.size), fmt.Sprintf("it is one of %d", have), "", ruleFrames)
		}
	}
}

// neverWritten reports whether a byte was at entry in a register that carries no parameter, or after a call in one that
// carries no result. The source never computes such a byte.
func (c *comparison) neverWritten(t symexec.Byte) bool {
	if t.Kind != symexec.RegByte || t.Reg == uint8(sass.SP) {
		return false
	}
	r := sass.Reg(t.Reg)
	if t.Epoch == 0 {
		return c.sites.kernel || !c.sites.own.asn.ParamRegs().Has(r) && (c.sites.own.sretSize() == 0 || r != c.sites.own.asn.Sret.Reg)
	}
	results, ok := c.theirs.results[t.Epoch]
	return ok && !results.Has(r)
}
