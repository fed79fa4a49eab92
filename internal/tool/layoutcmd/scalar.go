package layoutcmd

import (
	"cmp"
	"encoding/json"
	"strconv"

	"github.com/ptxabi/ptxabi/layout"
)

// A jsonScalar says what a field is made of.
type jsonScalar struct {
	// Kind is "" where the field is a record: one without fields, or _Atomic.
	Kind        string           `json:"kind,omitempty"`
	Signed      *bool            `json:"signed,omitempty"`
	Bits        int64            `json:"bits,omitempty"`
	Lanes       int64            `json:"lanes,omitempty"`
	Element     string           `json:"element,omitempty"`
	Dims        []int64          `json:"dims,omitempty"`
	Enumerators []jsonEnumerator `json:"enumerators,omitempty"`
	Record      string           `json:"record,omitempty"`
}

type jsonEnumerator struct {
	Name  string      `json:"name"`
	Value json.Number `json:"value"`
}

// scalar takes the type of a field apart.
func (r *Result) scalar(t layout.Type, rules layout.Rules) jsonScalar {
	var j jsonScalar
	for {
		a, ok := layout.Unalias(t).(*layout.Array)
		if !ok {
			break
		}
		j.Dims, t = append(j.Dims, max(a.Len, 0)), a.Elem
	}
	l, err := r.of(t, rules)
	if err != nil {
		return j
	}
	j.Bits = l.Size * 8
	switch t := layout.Unalias(t).(type) {
	case layout.Scalar:
		j.builtin(t)
	case *layout.Pointer:
		j.Kind = "pointer"
	case *layout.Enum:
		j.Kind = "enum"
		if s, ok := layout.Unalias(t.Underlying).(layout.Scalar); ok {
			signed := s.Signed()
			j.Signed = &signed
		}
		for _, e := range t.Enumerators {
			value := strconv.FormatUint(e.Bits, 10)
			if e.Negative {
				value = strconv.FormatInt(int64(e.Bits), 10)
			}
			j.Enumerators = append(j.Enumerators, jsonEnumerator{e.Name, json.Number(value)})
		}
	case *layout.Vector:
		elem := r.scalar(t.Elem, rules)
		j.Kind, j.Element, j.Lanes, j.Bits, j.Signed = "vector", elem.Kind, t.Len, elem.Bits, elem.Signed
	default:
		j.Bits = 0
	}
	return j
}

// builtin is about a built-in type, of which Bits are known.
func (j *jsonScalar) builtin(s layout.Scalar) {
	switch {
	case s.Complex:
		j.Kind, j.Bits = "complex", j.Bits/2
		elem := jsonScalar{}
		elem.builtin(layout.Scalar{Kind: s.Kind, Bits: s.Bits})
		j.Element, j.Signed = elem.Kind, elem.Signed
	case s.Kind == layout.Bool:
		j.Kind = "bool"
	case s.Kind == layout.NullPtr, s.Kind == layout.VaList:
		j.Kind = "pointer"
	case s.Integer():
		signed := s.Signed()
		j.Kind, j.Signed = "int", &signed
		if s.Bits > 0 {
			j.Bits = s.Bits
		}
	default:
		j.Kind = "float"
	}
}

// recordName is the name of a record, or of the innermost one around it that has a name.
func recordName(r *layout.Record) string {
	for ; r != nil; r = r.Parent {
		if name := cmp.Or(r.Name, r.TypedefName); name != "" {
			return name
		}
	}
	return ""
}
