package opt

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// Pair is the pass that makes one access of two or four that are of words side by side, one
// after the other, whose registers are one already.
func Pair(c *lir.Code, t *abi.Target) *lir.Code {
	to := c.Next(0)
	for i := 0; i < len(c.List); {
		in, n := c.List[i], 1
		for _, wide := range [...]int{lir.Widest, 2} {
			if op := together(c, i, wide, t); op != "" {
				r := moved(&in)
				*r, _ = r.Group(wide)
				in.Name, in.Note.End, n = op, c.List[i+wide-1].Note.End, wide
				break
			}
		}
		to.List = append(to.List, in)
		i += n
	}
	return to
}

// together returns the opcode of an access of n words that does what n accesses from
// instruction i on do; "" if there is none.
func together(c *lir.Code, i, n int, t *abi.Target) string {
	first := &c.List[i]
	ops := widths(first, t)
	if i+n > len(c.List) || ops == nil || first.Name != ops.B32 || !first.Aligned(4*n) || first.Note.End == lir.Text {
		return ""
	}
	if _, ok := moved(first).Group(n); !ok {
		return ""
	}
	for k := 1; k < n; k++ {
		a, b := &c.List[i+k-1], &c.List[i+k]
		if b.Op != first.Op || b.Name != first.Name || b.Kind != first.Kind || b.Bank != first.Bank || b.B != first.B || b.Off != a.Off+4 ||
			c.GuardOf(b) != c.GuardOf(first) || !b.Note.Follows(a.Note) || !moved(b).Follows(*moved(a)) || a.Op == lir.Load && a.Dst == a.B {
			return ""
		}
	}
	if n == 2 {
		return ops.B64
	}
	return ops.B128
}

// moved is where the register is that an access loads or stores.
func moved(in *lir.Inst) *lir.Reg {
	if in.Op == lir.Load {
		return &in.Dst
	}
	return &in.A
}

// widths returns the opcodes of accesses such as one; nil for what is none.
func widths(in *lir.Inst, t *abi.Target) *abi.Widths {
	switch {
	case in.Op == lir.Store:
		return &t.Spelling.StoreLocal
	case in.Op != lir.Load:
	case in.Kind == sass.Mem:
		return &t.Spelling.LoadLocal
	case in.B == 0:
		return &t.Spelling.LoadConst
	default:
		return &t.Spelling.LoadConstIndexed
	}
	return nil
}
