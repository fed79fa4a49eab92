package check

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

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

// attributes complains about .attribute(.managed) on what is in no memory, and about
// .unified where it means nothing.
func (c *checker) attributes(s *ptx.Spec) bool {
	switch {
	case strings.Contains(s.Attr, ".managed"):
	case strings.Contains(s.Attr, ".unified") && !c.Compile:
		c.errorf(UnifiedFunction, s.SpacePos, ".attribute(.unified) on a %s variable, which only separate compilation has; compile with -c", s.Space)
		return false
	default:
		return true
	}
	c.errorf(MisplacedDirective, s.SpacePos, ".attribute(.managed) on a %s variable; it is for those in .global space", s.Space)
	return false
}

// independent reports whether the module's .target has samplers by themselves.
func (c *checker) independent() bool {
	return slices.ContainsFunc(c.m.Items, func(it ptx.Item) bool {
		d, ok := it.(*ptx.Directive)
		return ok && d.Name == ".target" && strings.Contains(d.Args, "texmode_independent")
	})
}
