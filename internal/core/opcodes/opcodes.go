// Package opcodes has the instructions of PTX: one table of the opcodes and of the words that may follow them.
//
// The words are those of the PTX ISA up to 9.5, asked of the assemblers one by one; opcodes.txt has them.
package opcodes

import (
	_ "embed"
	"strings"
	"sync"
)

// An Info is what is known of an opcode.
type Info struct {
	About     string
	Modifiers []string // with their dots, in the order in which they are offered
}

// All returns the opcodes, without their modifiers. What is returned is not to be changed.
func All() map[string]Info { return infos() }

// Unknown returns the first word of an opcode with its modifiers that PTX up to the newest known version does not have: an
// opcode, or a modifier with its dot. It returns "" if there is none. Words that begin with '_' are left to the assemblers, which have
// some that no document names; so are those that begin with a digit, and the shapes of matrices.
func Unknown(op string) string {
	t := words()
	name, rest, more := strings.Cut(op, ".")
	if !t.opcodes[name] && !strings.HasPrefix(name, "_") {
		return name
	}
	for more {
		if name, rest, more = strings.Cut(rest, "."); !t.modifiers[name] && !open(name) {
			return "." + name
		}
	}
	return ""
}

// Undocumented returns the modifiers, with their dots, that assemblers know and no document names.
func Undocumented() []string {
	for _, l := range words().lines {
		if l.names == undocumented {
			return words().list(l)
		}
	}
	return nil
}

// open reports whether a modifier is of a kind of which the table has not all.
func open(word string) bool {
	if word == "" {
		return false
	}
	c := word[0]
	return c == '_' || '0' <= c && c <= '9' || c == 'm' && strings.Trim(word, "mnk0123456789") == ""
}

// A table has the words of the text.
type table struct {
	lines              []line
	groups             map[string]string
	opcodes, modifiers map[string]bool // of all lines, modifiers without their dots
}

// A line is one of opcodes: their names, what they do, and their modifiers and the names of groups.
type line struct{ names, about, modifiers string }

// undocumented stands in opcodes.txt before the words that no document has and assemblers know as modifiers.
const undocumented = "*"

var words = sync.OnceValue(func() table {
	t := table{groups: make(map[string]string), opcodes: make(map[string]bool, 256), modifiers: make(map[string]bool, 512)}
	add := func(modifiers string) {
		for word := range strings.FieldsSeq(modifiers) {
			if _, group := t.groups[word]; !group {
				for part := range strings.SplitSeq(word, ".") {
					t.modifiers[part] = true
				}
			}
		}
	}
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if name, of, ok := strings.Cut(l, " = "); ok {
			t.groups[name] = of
			add(of)
			continue
		}
		names, rest, _ := strings.Cut(l, " : ")
		about, modifiers, _ := strings.Cut(rest, " : ")
		add(modifiers)
		t.lines = append(t.lines, line{names, about, modifiers})
		for name := range strings.FieldsSeq(names) {
			t.opcodes[name] = name != undocumented
		}
	}
	return t
})

// list returns the modifiers of a line with their dots.
func (t table) list(l line) (list []string) {
	for word := range strings.FieldsSeq(l.modifiers) {
		group, ok := t.groups[word]
		if !ok {
			group = word
		}
		for one := range strings.FieldsSeq(group) {
			list = append(list, "."+one)
		}
	}
	return list
}

var infos = sync.OnceValue(func() map[string]Info {
	all, t := make(map[string]Info), words()
	for _, l := range t.lines {
		if l.names == undocumented {
			continue
		}
		list := t.list(l)
		for name := range strings.FieldsSeq(l.names) {
			all[name] = Info{l.about, list}
		}
	}
	return all
})

// text has a line for opcodes that have the same modifiers: their names, what they do, their modifiers. Lines with = give
// modifiers that many opcodes have a name.
//
//go:embed opcodes.txt
var text string
