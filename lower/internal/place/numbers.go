package place

import (
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/sass"
)

// Numbers are the numbers of the names of virtual registers: those of a body, and after them those of
// the registers that lowering makes itself. It is a [lir.Names].
type Numbers struct {
	body *resolved.Body
	made []string
	of   map[string]int32 // of what is made
}

// Number returns the number of a name, a new one if it has none.
func (t *Numbers) Number(name string) int32 {
	if n := t.body.Numbered(name); n >= 0 {
		return n
	}
	n, ok := t.of[name]
	if !ok {
		if t.of == nil {
			t.of = make(map[string]int32)
		}
		n = int32(t.body.Numbers() + len(t.made))
		t.of[name], t.made = n, append(t.made, name)
	}
	return n
}

// Numbered returns the number of a name, -1 if it has none.
func (t *Numbers) Numbered(name string) int32 {
	if n := t.body.Numbered(name); n >= 0 {
		return n
	}
	if n, ok := t.of[name]; ok {
		return n
	}
	return -1
}

// Count returns how many numbers names have.
func (t *Numbers) Count() int { return t.body.Numbers() + len(t.made) }

// Name returns the name of a number.
func (t *Numbers) Name(n int32) string {
	if k := int(n) - t.body.Numbers(); k >= 0 {
		return t.made[k]
	}
	return t.body.Name(n)
}

// Virtual is a part of the virtual register of a name.
func (pl *Plan) Virtual(name string, part sass.Part) lir.Reg {
	return lir.Virt(pl.Registers.Number(name), part)
}
