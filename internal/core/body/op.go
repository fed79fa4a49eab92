package body

import (
	"slices"
	"strings"
)

// An Op is an opcode, split into its words. It does not change.
type Op struct {
	Name   string   // without modifiers, such as "ld"
	Mods   []string // the modifiers, with their dots
	effect effect   // 0 if it is unknown
}

// Has reports whether a modifier, with its dot, is one of the opcode.
func (o *Op) Has(mod string) bool { return slices.Contains(o.Mods, mod) }

// Known is [Known] for the opcode.
func (o *Op) Known() bool { return o.effect != 0 }

// maxOps is how many opcodes a Body keeps for the next bodies that are read into it.
const maxOps = 1 << 12

// op returns the Op of a text, the same for equal texts.
func (b *Body) op(text string) *Op {
	o := b.ops[text]
	if o == nil {
		if b.ops == nil || len(b.ops) >= maxOps {
			b.ops = make(map[string]*Op)
		}
		words := strings.Split(text, ".")
		o = &Op{Name: words[0], effect: effectOf(text)}
		for _, word := range words[1:] {
			o.Mods = append(o.Mods, "."+word)
		}
		b.ops[text] = o
	}
	return o
}
