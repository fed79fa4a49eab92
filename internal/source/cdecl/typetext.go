package cdecl

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/layout"
)

// ofClass is a type without the keywords that clang puts before classes that types are
// named in: struct S::In is S::In, and struct S stays.
func ofClass(s string) string {
	var out strings.Builder
	last := ' '
	for i := 0; i < len(s); {
		if !isASCIIWord(last) {
			if n := classKeyword(s[i:]); n > 0 && qualified(s[i+n:]) {
				i += n
			}
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		out.WriteString(s[i : i+size])
		i, last = i+size, r
	}
	return out.String()
}

// classKeyword is the length of a keyword of classes and the blank after it; 0 where
// none begins s.
func classKeyword(s string) int {
	for _, k := range []string{"struct ", "union ", "class "} {
		if strings.HasPrefix(s, k) {
			return len(k)
		}
	}
	return 0
}

// qualified reports whether s begins with a name and one of a class in it.
func qualified(s string) bool {
	name := func(s string) string { return s[:len(s)-len(strings.TrimLeftFunc(s, isNameRune))] }
	first := name(s)
	rest, ok := strings.CutPrefix(s[len(first):], "::")
	return first != "" && ok && name(rest) != ""
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

func isASCIIWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// onlyC matches what C++ needs not: a keyword before a name, and _Bool. A type without a name keeps its keyword.
var onlyC = regexp.MustCompile(`\(unnamed \w+|\b(?:struct|union|class|enum) ([^ (])|\b_Bool\b`)

// TypeText spells a type as its language does.
func TypeText(t layout.Type, lang layout.Lang) string {
	s := clangText(t)
	if lang != layout.CXX {
		return s
	}
	return onlyC.ReplaceAllStringFunc(s, func(m string) string {
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
