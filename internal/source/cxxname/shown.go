package cxxname

import (
	"maps"
	"strings"
	"unicode/utf8"
)

// A Shown prints the names of a list of functions, for people. The zero Shown demangles them.
type Shown struct {
	// Mangled leaves names as the linker has them.
	Mangled bool
	// Prefix is what many of them begin with, which is left out; "" if nothing is.
	Prefix string

	alike map[string]likeness // the symbols whose names others have
}

// A likeness says how much of a symbol's name another symbol has too.
type likeness uint8

const (
	whenCut likeness = iota + 1 // what is left of it when it is cut
	whole                       // all of it, as functions of unnamed namespaces in two files
)

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
	seen := make(map[string]bool)
	for _, symbol := range symbols {
		name := Name(symbol)
		if name == symbol || seen[symbol] {
			continue
		}
		seen[symbol] = true
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
	n.tell(symbols, whenCut)
	if n.alike != nil {
		n.tell(symbols, whole)
	}
	return n
}

// tell takes down the symbols that are printed alike.
func (n *Shown) tell(symbols []string, how likeness) {
	first := make(map[string]string) // symbols by their names
	alike := maps.Clone(n.alike)
	for _, symbol := range symbols {
		name := n.Of(symbol)
		if other, ok := first[name]; !ok {
			first[name] = symbol
		} else if other != symbol {
			if alike == nil {
				alike = make(map[string]likeness)
			}
			alike[symbol], alike[other] = how, how
		}
	}
	n.alike = alike
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
	if n.Mangled || n.alike[symbol] == whole {
		return symbol
	}
	name := Full(symbol)
	if name != symbol && n.Prefix != "" {
		name = strings.ReplaceAll(name, n.Prefix, "")
	}
	if n.alike[symbol] == whenCut {
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
