package lower

import (
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
	boundAddress   = "convention binds: address taken"
	boundVisible   = "convention binds with separate compilation"
	freeLocal      = "local function: the assembler may differ"
)

// binding returns the note of a call.
func (fn *fn) binding(s *site) string {
	switch {
	case s.reg && s.targets:
		return boundTargets
	case s.reg:
		return boundPrototype
	}
	switch {
	case s.of == nil || !s.of.HasBody:
		return boundExtern
	case fn.addressTaken(s.name):
		return boundAddress
	case s.of.Linkage != ptx.NoLinkage:
		return boundVisible
	}
	return freeLocal
}

// noReturn reports whether a call does not come back once it is made.
func (pl *cursor) noReturn(c *ptx.Call, s *site) bool {
	if c.Proto.Kind != ptx.KindNone {
		sym := pl.in.Sym(pl.protoRef())
		return sym != nil && sym.Proto != nil && sym.Proto.Directive(".noreturn") != nil
	}
	return s.of != nil && endless(s.of)
}

// endless reports whether a function never returns. It saves no preserved
// register but those of the return address, as was measured.
func endless(f *ptx.Func) bool { return f.Directive(".noreturn") != nil }
