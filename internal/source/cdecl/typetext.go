package cdecl

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/layout"
)

// nested matches the keyword before a class in a class.
var nested = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^0-9A-Za-z_])(?:struct|union|class) ([\pL\pN_$]+::[\pL\pN_$])`)
})

// ofClass is a type without the keywords that clang puts before classes that types are
// named in: struct S::In is S::In, and struct S stays.
func ofClass(s string) string { return nested().ReplaceAllString(s, "$1$2") }

// onlyC matches what C++ needs not: a keyword before a name, and _Bool. A type without a name keeps its keyword.
var onlyC = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\(unnamed \w+|\b(?:struct|union|class|enum) ([^ (])|\b_Bool\b`)
})

// TypeText spells a type as its language does.
func TypeText(t layout.Type, lang layout.Lang) string {
	s := clangText(t)
	if lang != layout.CXX {
		return s
	}
	return onlyC().ReplaceAllStringFunc(s, func(m string) string {
		switch {
		case m == "_Bool":
			return "bool"
		case m[0] == '(':
			return m
		}
		return m[strings.IndexByte(m, ' ')+1:]
	})
}

// clangText spells a type as clang does in its dumps. What is named in a class is spelled by clang,
// and by the type itself, as if it were a class: an enumeration In of struct S is
// S::In.
func clangText(t layout.Type) string {
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
			return ofClass(s)
		default:
			return s
		}
	}
}
