package cubin

import (
	"debug/elf"

	"github.com/ptxabi/ptxabi/sass"
)

// Helper reports whether the assembler has added the function: by its name, as the function
// [sass.Helper] has it, and because it is neither a kernel nor global, which none of them is.
func (fn *Function) Helper() bool {
	return !fn.Kernel && fn.Binding != elf.STB_GLOBAL && sass.Helper(fn.Name)
}
