package body

import (
	"slices"
	"strings"
)

// An Op is what is known of the text of an opcode. It does not change.
type Op struct {
	Name   string   // without modifiers, such as "ld"
	Mods   []string // the modifiers, with their dots
	effect effect   // 0 if it is not known
}

// Has reports whether a modifier, with its dot, is one of the opcode.
func (o *Op) Has(mod string) bool { return slices.Contains(o.Mods, mod) }

// Known is [Known] of the text.
func (o *Op) Known() bool { return o.effect != 0 }

// maxOps is how many opcodes a body keeps for those that it reads later.
const maxOps = 1 << 12

// op returns the opcode of a text, the same for equal texts.
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
