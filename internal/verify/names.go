package verify

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/cubin"
)

// Linked is what a kernel that a C or C++ file calls name may go by in a
// cubin: its own name if that is there, otherwise every kernel whose mangled
// name has this one in it, arguments left out. Empty: no kernel. Of several the
// file's name alone does not tell which is meant.
func Linked(f *cubin.File, name string) []string {
	if fn := f.Func(name); fn != nil {
		return []string{name}
	}
	var all []string
	for i := range f.Functions {
		fn := &f.Functions[i]
		if base, ok := Base(fn.Name); ok && fn.Kernel && base == name {
			all = append(all, fn.Name)
		}
	}
	return all
}

// Base is the qualified name in a mangled one of the Itanium C++ ABI,
// "ns::step" of _ZN2ns4stepEPfi. Anonymous namespaces leave no trace in it. It
// is false for what is not mangled and for instances of templates.
func Base(symbol string) (string, bool) {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return "", false
	}
	rest, nested := strings.CutPrefix(rest, "N")
	if nested {
		rest = strings.TrimLeft(rest, "rVK")
	}
	var parts []string
	for {
		part, left, ok := sourceName(rest)
		if !ok {
			break
		}
		if rest = left; !strings.HasPrefix(part, "_GLOBAL__N") {
			parts = append(parts, part)
		}
		if !nested {
			break
		}
	}
	if nested {
		if rest, ok = strings.CutPrefix(rest, "E"); !ok {
			return "", false
		}
	}
	if len(parts) == 0 || strings.HasPrefix(rest, "I") {
		return "", false
	}
	return strings.Join(parts, "::"), true
}

// sourceName reads a name with its length before it. L stands before the names
// of one translation unit.
func sourceName(s string) (name, rest string, ok bool) {
	s = strings.TrimPrefix(s, "L")
	n, i := 0, 0
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9' && n <= len(s); i++ {
		n = n*10 + int(s[i]-'0')
	}
	if n == 0 || n > len(s)-i {
		return "", s, false
	}
	return s[i : i+n], s[i+n:], true
}
