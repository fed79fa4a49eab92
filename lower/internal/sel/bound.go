package sel

import (
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
)

// What the note of a call says of the convention, which binds code that is
// compiled for separate linking, with -c. There the assembler was seen to keep
// to it in all calls, but for scratch registers of which it knows that a callee
// in the module does not use them; only calls of what is not defined in the
// module, or reached through a pointer, leave it no choice. Without -c there are
// no externs; a function whose address is taken kept its places, while the calls
// were relative ones; a visible function is the assembler's own affair like any
// other ("Without -c" in docs/abi.md).
const (
	boundExtern    = "convention binds: extern"
	boundPrototype = "convention binds: prototype"
	boundTargets   = "convention binds: list of targets"
	boundVisible   = "convention binds with separate compilation"
	freeLocal      = "local function: the assembler may differ"
)

// binding returns the note of a call.
func (fn *Selector) binding(s *place.Site) string {
	switch {
	case s.Reg && s.Targets:
		return boundTargets
	case s.Reg:
		return boundPrototype
	case s.Of == nil || !s.Of.HasBody:
		return boundExtern
	case s.Of.Linkage != ptx.NoLinkage:
		return boundVisible
	}
	return freeLocal
}
