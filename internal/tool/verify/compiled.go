package verify

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A compiled is a cubin with what a comparison looks up in it, by name.
type compiled struct {
	*cubin.File
	funcs      map[string]*cubin.Function
	prototypes map[string]*cubin.Prototype
	calls      map[string][]*cubin.Reloc // relocations by the section that they are in
	copies     map[string]string         // by a function, what the compiler has made of it for one kernel
	bodies     map[cubin.Place]string    // by where it stands, the function that has the code
	debug      *Debug
}

func newCompiled(f *cubin.File) *compiled {
	c := &compiled{
		File:       f,
		funcs:      make(map[string]*cubin.Function, len(f.Functions)),
		prototypes: make(map[string]*cubin.Prototype, len(f.Prototypes)),
		calls:      make(map[string][]*cubin.Reloc),
		copies:     make(map[string]string),
		bodies:     make(map[cubin.Place]string),
	}
	for i := range f.Functions {
		fn := &f.Functions[i]
		addFirst(c.funcs, fn.Name, fn)
		if fn.Size > 0 {
			addFirst(c.bodies, fn.Place(), fn.Name)
		}
		if !strings.HasPrefix(fn.Name, "$") {
			continue
		}
		for j := 1; j < len(fn.Name); j++ {
			if fn.Name[j] == '$' {
				addFirst(c.copies, fn.Name[j+1:], fn.Name)
			}
		}
	}
	for i := range f.Prototypes {
		addFirst(c.prototypes, f.Prototypes[i].Name, &f.Prototypes[i])
	}
	for i := range f.Relocs {
		r := &f.Relocs[i]
		c.calls[r.Section] = append(c.calls[r.Section], r)
	}
	return c
}

func addFirst[K comparable, V any](m map[K]V, k K, v V) {
	if _, ok := m[k]; !ok {
		m[k] = v
	}
}
