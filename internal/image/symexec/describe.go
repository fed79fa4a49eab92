package symexec

import (
	"fmt"
	"strings"
)

// describeByte returns a form such as "R4.1", "[R1+0x8]" or "c[0x0][0x160]", with ± before
// it for copies of its sign.
// Offsets in local memory count from sp where they have the same base.
func (t *Trace) describeByte(b Byte, sp Addr) string {
	if b.Sign {
		b.Sign = false
		return "±" + t.describeByte(b, sp)
	}
	after := ""
	if b.Epoch > 0 {
		after = fmt.Sprintf(" after call %d", b.Epoch)
	}
	switch b.Kind {
	case ConstByte:
		return fmt.Sprintf("the number %#x", b.Off)
	case RegByte:
		return fmt.Sprintf("R%d.%d%s", b.Reg, b.N, after)
	case URegByte:
		return fmt.Sprintf("UR%d.%d%s", b.Reg, b.N, after)
	case LocalByte:
		if b.Base == sp.Base {
			return fmt.Sprintf("[R1%+#x]%s", b.Off-sp.Add, after)
		}
		base := t.describeByte(t.Bases[b.Base], Addr{})
		return fmt.Sprintf("[%s%+#x]%s", strings.TrimSuffix(base, ".0"), b.Off, after)
	case BankByte:
		return fmt.Sprintf("c[%#x][%#x]", b.Reg, b.Off)
	case GlobalByte:
		return fmt.Sprintf("what was loaded from %#x", b.Off)
	case PointedByte:
		return fmt.Sprintf("what memory holds at %s%+#x", t.describeByte(t.Bases[b.Base], Addr{}), b.Off)
	case LabelByte:
		return "the address of a label"
	case MadeByte:
		return fmt.Sprintf("what /*%04x*/ made", b.Off)
	}
	return "nothing"
}

// Describe describes n bytes: by the first alone where the others follow it.
func (t *Trace) Describe(n int, sp Addr, at func(i int) Byte) string {
	first := at(0)
	follow := true
	var all []string
	for i := range n {
		next := first.Next(i)
		if first.Kind == RegByte || first.Kind == URegByte {
			next.Reg, next.N = next.Reg+next.N/4, next.N%4
		}
		follow = follow && at(i) == next
		all = append(all, t.describeByte(at(i), sp))
	}
	if !follow {
		return strings.Join(all, ", ")
	}
	return strings.Replace(all[0], ".0", "", 1)
}
