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

	shared map[string]int // names, cut ones too, with how many symbols each is for, if these are several
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
	n.shared = make(map[string]int)
	clear(seen)
	for _, symbol := range symbols {
		if seen[symbol] {
			continue
		}
		seen[symbol] = true
		name := n.name(symbol)
		n.shared[name]++
		if cut := Cut(name, nameRoom); cut != name {
			n.shared[cut]++
		}
	}
	maps.DeleteFunc(n.shared, func(_ string, symbols int) bool { return symbols == 1 })
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

// name is a symbol without mangling and prefix.
func (n *Shown) name(symbol string) string {
	name := Full(symbol)
	if name != symbol && n.Prefix != "" {
		name = strings.ReplaceAll(name, n.Prefix, "")
	}
	return name
}

// Of is a symbol as it is printed: by its name, which is cut unless others are the same then. Functions of unnamed
// namespaces in two files may have one name; such are printed as symbols.
func (n *Shown) Of(symbol string) string {
	if n.Mangled {
		return symbol
	}
	name := n.name(symbol)
	switch cut := Cut(name, nameRoom); {
	case n.shared[cut] == 0:
		return cut
	case n.shared[name] == 0:
		return name
	}
	return symbol
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
