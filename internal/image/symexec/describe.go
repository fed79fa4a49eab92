package symexec

import (
	"fmt"
	"strings"
)

// describe returns a form such as "R4.1", "[R1+0x8]" or "c[0x0][0x160]", with ± before
// it for copies of its sign.
// Offsets in local memory count from sp where they have the same base.
func (t *trace) describe(b byteValue, sp localAddr) string {
	if b.sign {
		b.sign = false
		return "±" + t.describe(b, sp)
	}
	after := ""
	if b.epoch > 0 {
		after = fmt.Sprintf(" after call %d", b.epoch)
	}
	switch b.kind {
	case constByte:
		return fmt.Sprintf("the number %#x", b.off)
	case regByte:
		return fmt.Sprintf("R%d.%d%s", b.reg, b.n, after)
	case uregByte:
		return fmt.Sprintf("UR%d.%d%s", b.reg, b.n, after)
	case localByte:
		if b.base == sp.base {
			return fmt.Sprintf("[R1%+#x]%s", b.off-sp.add, after)
		}
		base := t.describe(t.bases[b.base], localAddr{})
		return fmt.Sprintf("[%s%+#x]%s", strings.TrimSuffix(base, ".0"), b.off, after)
	case bankByte:
		return fmt.Sprintf("c[%#x][%#x]", b.reg, b.off)
	case globalByte:
		return fmt.Sprintf("what was loaded from %#x", b.off)
	case pointedByte:
		return fmt.Sprintf("what memory holds at %s%+#x", t.describe(t.bases[b.base], localAddr{}), b.off)
	case labelByte:
		return "the address of a label"
	case madeByte:
		return fmt.Sprintf("what /*%04x*/ made", b.off)
	}
	return "nothing"
}

// run describes n bytes: by the first alone where the others follow it.
func (t *trace) run(n int, sp localAddr, at func(i int) byteValue) string {
	first := at(0)
	follow := true
	var all []string
	for i := range n {
		next := first
		switch first.kind {
		case regByte, uregByte:
			next.n += uint8(i)
			next.reg += next.n / 4
			next.n %= 4
		case labelByte:
			next.n += uint8(i)
		case localByte, bankByte, globalByte, pointedByte:
			next.off += int64(i)
		}
		follow = follow && at(i) == next
		all = append(all, t.describe(at(i), sp))
	}
	if !follow {
		return strings.Join(all, ", ")
	}
	return strings.Replace(all[0], ".0", "", 1)
}
