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
	for line := range strings.Lines(text) {
		names, rest, _ := strings.Cut(strings.TrimSpace(line), " : ")
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

// groups are modifiers that many opcodes have.
var groups = map[string]string{
	"INT":   "u16 u32 u64 s16 s32 s64",
	"INT32": "u32 s32",
	"BITS":  "b16 b32 b64",
	"FLOAT": "f16 f16x2 bf16 bf16x2 f32 f32x2 f64",
	"HALF":  "f16 f16x2 bf16 bf16x2",
	"TINY":  "e4m3x4 e5m2x4 e3m2x4 e2m3x4 e2m1x4",
	"ROUND": "rn rz rm rp",
	"ANY":   "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64",
	"SPACE": "global local param shared const",
	"CMP":   "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor",
	"SEM":   "relaxed acquire release acq_rel sc",
	"SCOPE": "cta cluster gpu sys",
	"CACHE": "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::evict_normal L2::evict_first L2::evict_last L2::cache_hint L2::64B L2::128B L2::256B",
	"GEOM":  "1d 2d 3d a1d a2d cube acube 2dms a2dms",
	"SIMD":  "u32 s32 sat add",
	"VIDEO": "u32 s32 sat min max add",
}

// text has a line for opcodes that have the same modifiers: their names, what they do, their modifiers.
//
//go:embed opcodes.txt
var text string
