package cdecl

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/layout"
)

// ofClass is the keyword that clang puts before the class that a type is named
// in: struct S::In.
var ofClass = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:struct|union|class) ((?:[\p{L}\p{N}_$]+::)+[\p{L}\p{N}_$]+)`)
})

// TypeText spells a type as C++ does. What is named in a class is spelled by clang,
// and by the type itself, as if it were a class: an enumeration In of struct S is
// S::In.
func TypeText(t layout.Type) string {
	s := t.String()
	if !strings.Contains(s, "::") {
		return s
	}
	for u := layout.Unalias(t); ; {
		switch x := u.(type) {
		case *layout.Array:
			u = layout.Unalias(x.Elem)
		case *layout.Vector:
			u = layout.Unalias(x.Elem)
		case *layout.Pointer:
			u = layout.Unalias(x.Elem)
		case layout.Scalar, *layout.Enum:
			return ofClass().ReplaceAllString(s, "$1")
		default:
			return s
		}
	}
}
