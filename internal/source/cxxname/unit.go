//go:build !explorer

package cxxname

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Unit parts a symbol into what stays the same when its translation unit is compiled again, and what tells that
// unit: "_ZN12_GLOBAL__N_11kEPf" and "_8_x_cu" of a kernel of an anonymous namespace, which nvcc calls
// _GLOBAL__N_, a hash, the file and another hash; and likewise of a static one of relocatable code, before whose symbol
// nvcc puts __nv_static_ and the same. Unit is "" of a symbol that other files can use.
func Unit(symbol string) (name, unit string) {
	if rest, of, ok := static(symbol); ok {
		symbol, unit = rest, of
	}
	if !strings.Contains(symbol, anonymous) {
		return symbol, unit
	}
	return eachName(symbol, true, func(name string) string {
		if of, ok := strings.CutPrefix(name, anonymous); ok {
			unit = hashes().ReplaceAllString(of, "$1")
			return anonymous + "1"
		}
		return name
	}), unit
}

// Canonical is the name of [Unit] without the L before names that a translation unit keeps to itself.
func Canonical(symbol string) string {
	name, _ := Unit(symbol)
	return eachName(name, false, func(name string) string { return name })
}

// anonymous begins what nvcc and clang call an anonymous namespace.
const anonymous = "_GLOBAL__N_"

var (
	hashes   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`_[0-9a-f]{6,8}(_|$)`) })
	staticOf = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^__nv_static_\d+_(_[0-9a-f]{6,8}_\d+_.+?_[0-9a-f]{6,8}_)(.+)$`)
	})
)

// static parts the symbol of a static kernel.
func static(symbol string) (rest, unit string, ok bool) {
	m := staticOf().FindStringSubmatch(symbol)
	if m == nil {
		return symbol, "", false
	}
	return m[2], hashes().ReplaceAllString(m[1], "$1"), true
}

// eachName is a mangled name with other names in it. The L before names of one translation unit is left out
// unless keep is set.
func eachName(symbol string, keep bool, f func(name string) string) string {
	rest, ok := strings.CutPrefix(symbol, "_Z")
	if !ok {
		return symbol
	}
	var b strings.Builder
	b.WriteString("_Z")
	for rest != "" {
		if name, left, ok := SourceName(rest); ok {
			if keep && rest[0] == 'L' {
				b.WriteByte('L')
			}
			name = f(name)
			fmt.Fprintf(&b, "%d%s", len(name), name)
			rest = left
			continue
		}
		n := 1
		switch rest[0] {
		case 'S', 'T', 'A': // a reference, a template's parameter, an extent
			n = len(rest) - len(strings.TrimLeft(rest[1:], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			if n == len(rest) || rest[n] != '_' {
				n = 1
			}
		case 'D': // a vector's length, a width
			n = len(rest) - len(strings.TrimLeft(rest[min(2, len(rest)):], "0123456789"))
		}
		b.WriteString(rest[:n])
		rest = rest[n:]
	}
	return b.String()
}

// SourceName reads a name with its length before it, at the beginning of a part of a mangled one. L stands before
// the names of one translation unit.
func SourceName(s string) (name, rest string, ok bool) {
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
