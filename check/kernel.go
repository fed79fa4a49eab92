package check

import (
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Bytes of parameters that kernels may have, as measured: of every version,
// and of those that have large blocks.
const (
	smallBlock = 4352
	largeBlock = 32764
	// constantBank is the size of what the parameters lie in, behind other things.
	constantBank = 1 << 16
)

// block holds the size of a kernel's parameters against the limit. Offsets
// count from the block's start; handles take no bytes and are aligned to 4.
func (c *checker) block(f *ptx.Func) {
	end := 0
	for i := range f.Params {
		p := &f.Params[i]
		align := resolve.Align(&p.Spec)
		if p.Align >= constantBank && p.Align&(p.Align-1) == 0 { // which an int may not hold
			c.errorf(OversizedBlock, p.AlignPos, "parameter %s of kernel %s is aligned to %d bytes, beyond the end of the constant bank: align it to less", p.Name, f.Name, p.Align)
			return
		}
		if align&(align-1) != 0 || resolve.Unsized(&p.Var) {
			return
		}
		end = (end + align - 1) &^ (align - 1)
		end += resolve.Size(&p.Spec, &p.Var)
	}
	pos := f.NamePos
	if f.HasBody {
		pos = f.EndPos
	}
	switch {
	case end > largeBlock:
		c.errorf(OversizedBlock, pos, "kernel %s has %d bytes of parameters; %d is the most there is: pass a pointer", f.Name, end, largeBlock)
	case end > smallBlock:
		f := largeBlocks
		f.name = sprintf("kernel parameters of %d bytes, more than %d", end, smallBlock)
		c.need(f, pos)
	}
}
