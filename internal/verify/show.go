package verify

import (
	"strings"
	"unicode/utf8"

	"github.com/ptxabi/ptxabi/internal/cxxname"
)

// Widths of what is printed, in characters, so that lines have 120 at most.
const (
	widest   = 54  // a cell of a table with two columns
	nameRoom = 100 // a name, with what stands before it
)

// names prints the names of a report's kernels and functions.
type names struct {
	mangled bool
	prefix  string // that many of them begin with, which is left out
}

// Bounds of a prefix that is worth to be left out.
const (
	prefixNames  = 4  // names that begin with it
	prefixLength = 12 // characters
)

func newNames(r *Report, st Style) *names {
	n := &names{mangled: st.Mangled}
	if st.Mangled {
		return n
	}
	prefix, count := "", 0
	for i := range r.Kernels {
		name := cxxname.Name(r.Kernels[i].Name)
		if name == r.Kernels[i].Name {
			continue
		}
		if count++; count == 1 {
			prefix = name
		}
		prefix = prefix[:common(prefix, name)]
	}
	// Names may have colons among the arguments of templates, which are no part of a prefix.
	if i := strings.IndexAny(prefix, "<("); i >= 0 && !strings.HasPrefix(prefix, "(anonymous") {
		prefix = prefix[:i]
	}
	if i := strings.LastIndex(prefix, "::"); count >= prefixNames && i+2 >= prefixLength {
		n.prefix = prefix[:i+2]
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

// of is a name as it is printed.
func (n *names) of(symbol string) string {
	if n.mangled {
		return symbol
	}
	name := cxxname.Full(symbol)
	if name != symbol && n.prefix != "" {
		name = strings.ReplaceAll(name, n.prefix, "")
	}
	return middleOut(name, nameRoom)
}

// middleOut is a text of at most that many characters: of a longer one the middle is left out.
func middleOut(s string, room int) string {
	if utf8.RuneCountInString(s) <= room {
		return s
	}
	r := []rune(s)
	head := room * 3 / 5
	return string(r[:head]) + "…" + string(r[len(r)-(room-1-head):])
}

// lastOf is a text of at most that many characters: of a longer one the end.
func lastOf(s string, room int) string {
	if r := []rune(s); len(r) > room {
		return "…" + string(r[len(r)-room+1:])
	}
	return s
}

// label is the name of a parameter without that of its kernel, which compilers put before it.
func (p *Param) label() string {
	if p.short != "" {
		return p.short
	}
	return p.Name
}
