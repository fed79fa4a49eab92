package main

import (
	"fmt"

	"github.com/ptxabi/ptxabi/internal/lab/sim"
	"github.com/ptxabi/ptxabi/ptx"
)

// A world is what instructions that lowering leaves as they are work on.
type world struct {
	m      *sim.Machine
	text   sim.Text
	memory map[uint64]sim.Byte       // global memory, from the end of local memory on
	widths map[string]map[string]int // bytes of registers, by function
	stack  []string                  // functions that run
}

// widthsOf are the sizes of the registers that a function declares.
func widthsOf(f *ptx.Func) map[string]int {
	all := map[string]int{}
	for _, s := range f.Body {
		d, ok := s.(*ptx.Decl)
		if !ok || d.Space != ptx.RegSpace {
			continue
		}
		for _, v := range d.Vars {
			all[v.Name] = d.Type.Size()
			for i := range v.Count {
				all[fmt.Sprintf("%s%d", v.Name, i)] = d.Type.Size()
			}
		}
	}
	return all
}

func (w *world) width(reg string) int { return w.widths[w.stack[len(w.stack)-1]][reg] }

func (w *world) store(_, base string, off int64, bytes []sim.Byte) error {
	at, err := w.text.Address(base, off)
	if err != nil {
		return err
	}
	if at < stackTop {
		return w.m.StoreAny(uint32(at), bytes)
	}
	for k, b := range bytes {
		w.memory[at+uint64(k)] = b
	}
	return nil
}

func (w *world) load(_, base string, off int64, size int) ([]sim.Byte, error) {
	at, err := w.text.Address(base, off)
	if err != nil {
		return nil, err
	}
	if at < stackTop {
		return w.m.LoadAny(uint32(at), size)
	}
	bytes := make([]sim.Byte, size)
	for k := range bytes {
		b, ok := w.memory[at+uint64(k)]
		if !ok {
			return nil, fmt.Errorf("nothing is at address %#x: it is taken of a value", at)
		}
		bytes[k] = b
	}
	return bytes, nil
}
