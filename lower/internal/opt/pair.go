package opt

import (
	"github.com/ptxabi/ptxabi/lower/internal/lir"
)

// Pair is the pass that makes one access of two or four consecutive instructions, which load or store words side by side
// in memory, from or to registers side by side.
func Pair(c *lir.Code) *lir.Code {
	to := c.Next(0)
	for i := 0; i < len(c.List); {
		in, n := c.List[i], widest(c, i)
		if n > 1 {
			r := moved(&in)
			*r, _ = r.Group(n)
			in.Size, in.Note.End = uint8(4*n), c.List[i+n-1].Note.End
		}
		to.List = append(to.List, in)
		i += n
	}
	return to
}

// widest returns how many accesses from instruction i on can be one access: 4, 2, or 1 where there are no others.
func widest(c *lir.Code, i int) int {
	for _, n := range [...]int{lir.Widest, 2} {
		if together(c, i, n) {
			return n
		}
	}
	return 1
}

// together reports whether n accesses from instruction i on can be one. Nothing stands between them, so one access does
// the same as the n, unless a load writes the base that the next one reads.
func together(c *lir.Code, i, n int) bool {
	first := &c.List[i]
	if first.Op != lir.Load && first.Op != lir.Store || i+n > len(c.List) || first.Size != 4 || !first.Aligned(4*n) || first.Note.End == lir.Text ||
		c.Opcode(first, 4*n, false) == "" {
		return false
	}
	if _, ok := moved(first).Group(n); !ok {
		return false
	}
	for k := 1; k < n; k++ {
		a, b := &c.List[i+k-1], &c.List[i+k]
		if b.Op != first.Op || b.Size != first.Size || b.Bank != first.Bank || b.B != first.B || b.Off != a.Off+4 ||
			b.Guard != first.Guard || !b.Note.Follows(a.Note) || !moved(b).Follows(*moved(a)) || a.Op == lir.Load && a.Dst == a.B {
			return false
		}
	}
	return true
}

// moved returns the place of the register that an access loads or stores.
func moved(in *lir.Inst) *lir.Reg {
	if in.Op == lir.Load {
		return &in.Dst
	}
	return &in.A
}
