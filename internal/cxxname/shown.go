package cxxname

import (
	"strings"
	"unicode/utf8"
)

// A Shown prints the names of a list of functions, for people. The zero Shown demangles them.
type Shown struct {
	// Mangled leaves names as the linker has them.
	Mangled bool
	// Prefix is what many of them begin with, which is left out; "" if nothing is.
	Prefix string

	whole map[string]bool // the symbols whose names another one has when they are cut
}

// Bounds of a prefix that is worth to be left out, and of a name.
const (
	prefixNames  = 4   // names that begin with it
	prefixLength = 12  // bytes
	nameRoom     = 100 // characters, so that a line with it has 120 at most
)

// Show is for names that are those symbols.
func Show(symbols []string, mangled bool) *Shown {
	n := &Shown{Mangled: mangled}
	if mangled {
		return n
	}
	prefix, count := "", 0
	for _, symbol := range symbols {
		name := Name(symbol)
		if name == symbol {
			continue
		}
		if count++; count == 1 {
			prefix = name
		}
		prefix = prefix[:common(prefix, name)]
	}
	// Arguments of templates have colons too, which are no part of a prefix.
	if i := strings.IndexByte(prefix, '<'); i >= 0 {
		prefix = prefix[:i]
	}
	if i := strings.LastIndex(prefix, "::"); count >= prefixNames && i+2 >= prefixLength {
		n.Prefix = prefix[:i+2]
	}
	first := make(map[string]string) // symbols by their names
	for _, symbol := range symbols {
		name := n.Of(symbol)
		if other, ok := first[name]; !ok {
			first[name] = symbol
		} else if other != symbol {
			if n.whole == nil {
				n.whole = make(map[string]bool)
			}
			n.whole[symbol], n.whole[other] = true, true
		}
	}
	return n
}

// common is the length of what two texts begin with.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Of is a symbol as it is printed.
func (n *Shown) Of(symbol string) string {
	if n.Mangled {
		return symbol
	}
	name := Full(symbol)
	if name != symbol && n.Prefix != "" {
		name = strings.ReplaceAll(name, n.Prefix, "")
	}
	if n.whole[symbol] {
		return name
	}
	return Cut(name, nameRoom)
}

// Cut is a text of at most that many characters: of a longer one the middle is left out.
func Cut(s string, room int) string {
	if utf8.RuneCountInString(s) <= room {
		return s
	}
	r := []rune(s)
	head := room * 3 / 5
	return string(r[:head]) + "…" + string(r[len(r)-(room-1-head):])
}

// CutStart is Cut that leaves out the beginning, of a path.
func CutStart(s string, room int) string {
	if r := []rune(s); len(r) > room {
		return "…" + string(r[len(r)-room+1:])
	}
	return s
}
