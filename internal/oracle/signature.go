package oracle

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
)

// What is compared are functions of the test kit.
type (
	Signature = abitest.Function
	Formal    = abitest.Formal
)

// dialect returns what tk accepts for a target.
func dialect(tk *Toolkit, target *abi.Target) abitest.Dialect {
	return abitest.DialectFor(target, tk.PTX)
}

// touched returns the number of bytes that a probe may touch of parameter i.
func touched(s *Signature, i int) int {
	if s.Params[i].Unsized() {
		return s.Tail
	}
	return s.Params[i].Value().Size
}
