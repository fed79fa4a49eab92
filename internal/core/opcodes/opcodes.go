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
func All() map[string]Info { return tables().opcodes }

// Unknown returns the first word of an opcode with its modifiers that PTX up to the newest known version does not have: an
// opcode, or a modifier with its dot. It returns "" if there is none. Words that begin with '_' are left to the assemblers, which have
// some that no document names; so are those that begin with a digit, and the shapes of matrices.
func Unknown(op string) string {
	t := tables()
	name, rest, more := strings.Cut(op, ".")
	if _, ok := t.opcodes[name]; !ok && !strings.HasPrefix(name, "_") {
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
func Undocumented() []string { return tables().others }

// open reports whether a modifier is of a kind of which the table has not all.
func open(word string) bool {
	if word == "" {
		return false
	}
	c := word[0]
	return c == '_' || '0' <= c && c <= '9' || c == 'm' && strings.Trim(word, "mnk0123456789") == ""
}

// A table has the opcodes, and the modifiers of all of them without their dots.
type table struct {
	opcodes   map[string]Info
	modifiers map[string]bool
	others    []string // modifiers of no opcode
}

// undocumented stands in opcodes.txt before the words that no document has and assemblers know as modifiers.
const undocumented = "*"

var tables = sync.OnceValue(func() table {
	t := table{opcodes: make(map[string]Info), modifiers: make(map[string]bool)}
	groups := make(map[string]string)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, words, ok := strings.Cut(line, " = "); ok {
			groups[name] = words
			continue
		}
		names, rest, _ := strings.Cut(line, " : ")
		about, mods, _ := strings.Cut(rest, " : ")
		var list []string
		for word := range strings.FieldsSeq(mods) {
			group, ok := groups[word]
			if !ok {
				group = word
			}
			for one := range strings.FieldsSeq(group) {
				list = append(list, "."+one)
				for part := range strings.SplitSeq(one, ".") {
					t.modifiers[part] = true
				}
			}
		}
		for name := range strings.FieldsSeq(names) {
			if name == undocumented {
				t.others = list
			} else {
				t.opcodes[name] = Info{about, list}
			}
		}
	}
	return t
})

// text has a line for opcodes that have the same modifiers: their names, what they do, their modifiers. Lines with = give
// modifiers that many opcodes have a name.
//
//go:embed opcodes.txt
var text string
