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
	used, bools, addresses []span
}

func (s *spans) add(v *value, off int64) {
	switch v.kind {
	case structure:
		for _, f := range v.ordered() {
			if !f.blank() {
				s.add(f.val, off+f.off)
			}
		}
	case array:
		for i := range v.n {
			s.add(v.elem, off+i*v.elem.size)
		}
	default:
		if n := len(s.used); n > 0 && s.used[n-1].To == off {
			s.used[n-1].To = off + v.size
		} else if v.size > 0 {
			s.used = append(s.used, span{off, off + v.size})
		}
		switch {
		case v.kind == boolean:
			s.bools = append(s.bools, span{off, off + 1})
		case v.basic == "uintptr":
			s.addresses = append(s.addresses, span{off + 4, off + 8})
		}
	}
}

// testFile is a test of what is generated: bytes that are loaded and stored
// come back, and padding is zero.
func (u *unit) testFile(path string) *goFile {
	f := &goFile{path: path}
	for _, r := range u.records {
		r.methods().emitTest(f, r.access)
	}
	for _, k := range u.kernels {
		if k.size > 0 {
			k.methods().emitTest(f, nil)
		}
	}
	return f
}

// emitTest writes the test of a type.
func (m *methods) emitTest(f *goFile, access []accessor) {
	var s spans
	s.add(m.val, 0)
	var set []string // bit-fields to what they are
	for _, a := range access {
		if a.width > 0 {
			first := strings.Repeat("0, ", a.dims)
			set = append(set, fmt.Sprintf("v.Set%s(%sv.%[1]s(%s))", a.name, first, strings.TrimSuffix(first, ", ")))
		}
	}
	f.part(m.by, "")
	f.template("test.go.tmpl", map[string]any{
		"Test": "Test" + upperFirst(m.typ) + m.put, "Type": m.typ, "Put": m.put, "Append": m.app, "Unmarshal": m.get, "Size": m.size,
		"Bools": s.bools, "Addresses": s.addresses, "Used": s.used, "Set": set,
	})
}
