// Package opcodes has the instructions of PTX: one table of the opcodes and of the words that may follow them.
//
// The words are those of the PTX ISA up to 9.5. Each has been tried with the assemblers; opcodes.txt has them.
package opcodes

import (
	_ "embed"
	"strings"
	"sync"
)

// An Info has the facts about an opcode.
type Info struct {
	About     string
	Modifiers []string // with their dots, in the order of completion lists
}

// All returns the facts about all opcodes, by their names without modifiers. The caller must not change the map.
func All() map[string]Info { return infos() }

// Unknown returns the first word of an opcode with modifiers that PTX up to the newest known version does not have: the
// name, or a modifier with its dot. It returns "" if there is none. It does not judge words that begin with '_', since the
// assemblers accept some that no document names, nor words that begin with a digit and the shapes of matrices.
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

// Undocumented returns the modifiers, with their dots, that assemblers accept and no document names.
func Undocumented() []string {
	for _, l := range words().lines {
		if l.names == undocumented {
			return words().list(l)
		}
	}
	return nil
}

// open reports whether a modifier is of a kind that the table does not list in full.
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

// A line is a line of opcodes: their names, their meaning, and their modifiers with the names of groups.
type line struct{ names, about, modifiers string }

// undocumented stands in opcodes.txt before the words that no document has and assemblers accept as modifiers.
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

// text has a line for opcodes that have the same modifiers: their names, their meaning, their modifiers. A line with =
// gives a name to a group of modifiers that many opcodes have.
//
//go:embed opcodes.txt
var text string
