package verify

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A compiled is a binary with what a comparison looks up in it, by name.
type compiled struct {
	*cubin.File
	calls  map[string][]*cubin.Reloc // relocations by the section that they are in
	copies map[string]string         // by a function, what the compiler has made of it for one kernel
	debug  *Debug
}

func (b *Binary) compiled() *compiled {
	c := &compiled{File: b.File, calls: make(map[string][]*cubin.Reloc), copies: make(map[string]string)}
	if b.PTX != nil {
		c.debug = b.PTX.debug
	} else {
		c.debug = NewDebug(b.File, b.Host)
	}
	for i := range b.Functions {
		name := b.Functions[i].Name
		if !strings.HasPrefix(name, "$") {
			continue
		}
		for j := 1; j < len(name); j++ {
			if name[j] == '$' {
				addFirst(c.copies, name[j+1:], name)
			}
		}
	}
	for i := range b.Relocs {
		r := &b.Relocs[i]
		c.calls[r.Section] = append(c.calls[r.Section], r)
	}
	return c
}

func addFirst[K comparable, V any](m map[K]V, k K, v V) {
	if _, ok := m[k]; !ok {
		m[k] = v
	}
}
