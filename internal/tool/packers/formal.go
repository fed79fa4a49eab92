package packers

import (
	"fmt"

	"github.com/ptxabi/ptxabi/ptx"
)

// notPassed says why a launch cannot pass a parameter of a kernel, or why the
// assembler takes none like it; "" if it can. Val is what it is in the language
// to generate.
func notPassed(p *ptx.Formal, val *value, lang language) string {
	scalar := len(p.Dims) == 0
	switch {
	case p.Opaque():
		return "its type, state space or form is not known"
	case p.Space == ptx.RegSpace:
		return "it is in .reg space; kernels take .param"
	case p.Type.Class() == ptx.Alternate && scalar:
		return fmt.Sprintf("%s is a type of instructions, not of variables; .b%d can be passed", p.Type, p.Type.Size()*8)
	case p.Type == ptx.Pred:
		return "the assembler has no predicates in .param space; a .b32 made with selp can be passed"
	case p.Vec != 0 && scalar:
		return fmt.Sprintf("the assembler has no vectors in .param space; .align %d .b8 %s[%d] can be passed",
			p.Spec.Alignment(), p.Name, p.Size())
	case p.Type == ptx.F16X2 && scalar:
		return "the assembler has no .f16x2 scalar in .param space; .b32 can be passed"
	case p.Type.Class() == ptx.Handle:
		return fmt.Sprintf("%s is bound by name, and is not data that a launch passes; its 64-bit handle, a .u64, is", p.Type)
	case p.Var.Unsized():
		return "an array without elements has no bytes to pass; it needs an extent"
	case p.Vec != 0:
		return fmt.Sprintf("an array of vectors has no counterpart in %s; .align %d .b8 %s[%d] has", lang, p.Spec.Alignment(), p.Name, p.Size())
	case val == nil:
		return fmt.Sprintf("%s has no counterpart in %s", p.Type, lang)
	}
	return ""
}
