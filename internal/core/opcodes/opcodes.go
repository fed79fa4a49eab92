// Package opcodes has the instructions of PTX: one table of the opcodes and of the words that may follow them.
//
// The words are those of the PTX ISA up to 9.5, asked of the assemblers one by one; opcodes.txt has them.
package opcodes

import (
	_ "embed"
	"strings"
	"sync"
)

// An Info has the facts about an opcode.
type Info struct {
	About string
	words string // its modifiers, and names of groups
}

// Modifiers returns the modifiers of an opcode, with their dots, in the order of completion lists.
func (i Info) Modifiers() (list []string) {
	for word := range strings.FieldsSeq(i.words) {
		group, ok := tables().groups[word]
		if !ok {
			group = word
		}
		for one := range strings.FieldsSeq(group) {
			list = append(list, "."+one)
		}
	}
	return list
}

// All returns the facts about all opcodes, by their names without modifiers. The caller must not change the map.
func All() map[string]Info { return tables().opcodes }

// Unknown returns the first word of an opcode with modifiers that PTX up to the newest known version does not have: the
// name, or a modifier with its dot. It returns "" if there is none. It does not judge words that begin with '_', since the
// assemblers accept some that no document names, nor words that begin with a digit and the shapes of matrices.
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

// Undocumented returns the modifiers, with their dots, that assemblers accept and no document names.
func Undocumented() []string { return tables().others.Modifiers() }

// open reports whether a modifier is of a kind that the table does not list in full.
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
	groups    map[string]string // of modifiers
	modifiers map[string]bool
	others    Info // the modifiers of no opcode
}

// undocumented stands in opcodes.txt before the words that no document has and assemblers accept as modifiers.
const undocumented = "*"

var tables = sync.OnceValue(func() table {
	t := table{opcodes: make(map[string]Info, 256), groups: make(map[string]string), modifiers: make(map[string]bool, 512)}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		group, words, isGroup := strings.Cut(line, " = ")
		if isGroup {
			t.groups[group] = words
		} else {
			var names, about string
			names, words, _ = strings.Cut(line, " : ")
			about, words, _ = strings.Cut(words, " : ")
			for name := range strings.FieldsSeq(names) {
				t.opcodes[name] = Info{about, words}
			}
		}
		for word := range strings.FieldsSeq(words) {
			if _, ok := t.groups[word]; !ok {
				for part := range strings.SplitSeq(word, ".") {
					t.modifiers[part] = true
				}
			}
		}
	}
	t.others = t.opcodes[undocumented]
	delete(t.opcodes, undocumented)
	return t
})

// text has a line for opcodes that have the same modifiers: their names, what they do, their modifiers. Lines with = give
// modifiers that many opcodes have a name.
//
//go:embed opcodes.txt
var text string
