package packers

import (
	"fmt"
	"strings"
)

// A span is a range of bytes.
type span struct{ From, To int64 }

// spans lists what of a value is used, what is a bool, and what is an address
// in a uintptr.
type spans struct {
	Used, Bools, Addresses []span
}

func (s *spans) add(v *value, off int64) {
	switch v.kind {
	case structure:
		for _, f := range v.ordered() {
			if !f.blank() {
				s.add(f.Val, off+f.Off)
			}
		}
	case array:
		for i := range v.n {
			s.add(v.elem, off+i*v.elem.size)
		}
	default:
		if n := len(s.Used); n > 0 && s.Used[n-1].To == off {
			s.Used[n-1].To = off + v.size
		} else if v.size > 0 {
			s.Used = append(s.Used, span{off, off + v.size})
		}
		switch {
		case v.kind == boolean:
			s.Bools = append(s.Bools, span{off, off + 1})
		case v.basic == "uintptr":
			s.Addresses = append(s.Addresses, span{off + 4, off + 8})
		}
	}
}

// testFile is a test of what is generated: bytes that are loaded and stored
// come back, and padding is zero.
func (u *unit) testFile(path string) *goFile {
	f := &goFile{path: path}
	for _, m := range u.packed() {
		if m.Val.size > 0 {
			m.emitTest(f)
		}
	}
	return f
}

// emitTest writes the test of a type.
func (m *methods) emitTest(f *goFile) {
	var s spans
	s.add(m.Val, 0)
	var set []string // bit-fields to what they are
	for _, a := range m.access {
		if a.width > 0 {
			first := strings.Repeat("0, ", a.dims)
			set = append(set, fmt.Sprintf("v.Set%s(%sv.%[1]s(%s))", a.Name, first, strings.TrimSuffix(first, ", ")))
		}
	}
	f.part(m.by, "")
	f.template("test.go.tmpl", struct {
		*methods
		spans
		Set []string
	}{m, s, set})
}
