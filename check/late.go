package check

import "github.com/ptxabi/ptxabi/ptx"

// lateInKernel complains about .align behind the type of a kernel's parameter, which
// newer releases of the assembler take there alone, and returns the parameter as they
// read it.
func (c *checker) lateInKernel(p *ptx.Formal) *ptx.Spec {
	if p.Ptr != nil || p.AlignPos.Before(p.TypePos) {
		return &p.Spec
	}
	c.forbidf(LateAlignment, p.AlignPos, ".align stands behind the type, where releases of the assembler before 12.9 do not take it; write .align %d %s", p.Align, p.Type)
	s := p.Spec
	s.AlignLate = false
	return &s
}

// lateAlignment complains about .align behind the type or the vector.
func (c *checker) lateAlignment(s *ptx.Spec) {
	behind := "type"
	if s.Vec != 0 && s.AlignPos.Before(s.TypePos) {
		behind = "vector"
	}
	vec := ""
	if s.Vec != 0 {
		vec = sprintf(" .v%d", s.Vec)
	}
	c.refusef(LateAlignment, s.AlignPos, ".align stands behind the %s; write .align %d%s %s", behind, s.Align, vec, s.Type)
}
