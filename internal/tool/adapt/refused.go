package adapt

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// refuses says why a producer does not take a type, as docs/producers.md has it; "" where it
// does. Recordings of what compilers refuse hold it, in TestRefusedTypes.
func (c Convention) refuses(l *layout.Layout) string {
	if c.numba {
		return "" // fieldsOf says what it has
	}
	if why := l.Doubt(layout.Rustc); c.producer == layout.Rustc && why != "" {
		return why
	}
	return c.refusesPart(l)
}

func (c Convention) refusesPart(l *layout.Layout) (why string) {
	switch t := layout.Unalias(l.Type).(type) {
	case *layout.Vector:
		why = c.refusesVector(t, l.Size)
	case layout.Scalar:
		why = c.refusesScalar(t)
	}
	if why == "" && l.Elem != nil {
		return c.refusesPart(l.Elem)
	}
	for i := 0; why == "" && i < len(l.Members); i++ {
		why = c.refusesPart(l.Members[i].Layout)
	}
	return why
}

func (c Convention) refusesVector(v *layout.Vector, size int64) string {
	kind, release, _ := strings.Cut(c.name, "-")
	switch {
	case c.producer == layout.NVCC:
		return "a vector, which cicc refuses and NVRTC takes for its element"
	case kind == "clang" && size == 2 && slices.Contains([]string{"18", "19", "20", "21"}, release):
		return "a vector of two bytes, on which it stops with an error of its own"
	case kind == "clang" && release == "21" && size == 16 && v.Elem == layout.Type(layout.Scalar{Kind: layout.Float}):
		return "a vector of four floats, on which it stops with an error of its own"
	}
	return ""
}

func (c Convention) refusesScalar(s layout.Scalar) string {
	kind, release, _ := strings.Cut(c.name, "-")
	not := func(releases ...string) bool { return kind == "clang" && slices.Contains(releases, release) }
	switch {
	case s.Kind == layout.Float16 && (c.producer == layout.NVCC || c.producer == layout.GCC || not("14", "15", "16", "17", "18")),
		s.Kind == layout.BFloat16 && (c.producer == layout.NVCC || c.producer == layout.GCC || not("14", "15", "16")),
		s.Kind == layout.LongDouble && c.producer == layout.GCC,
		s.Complex && (kind == "nvrtc" || c.producer == layout.NVCC && (layout.Scalar{Kind: s.Kind, Bits: s.Bits}).Integer()):
		return s.String() + ", which it does not take"
	case (s.Kind == layout.BitInt || s.Kind == layout.UBitInt) && (c.name != "clang-19" || s.Bits > 64) && c.producer != layout.Manual:
		return s.String() + ", of which it was not measured what becomes"
	}
	return ""
}
