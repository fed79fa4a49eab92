package verify

import (
	"cmp"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// A Wanted is what a source defines, by which the module of a library is found that was made of it.
type Wanted struct {
	symbols map[string]bool // names as they stand in a cubin
	bases   map[string]bool // names of C++ without what is mangled into them; nil: there are none
	kernel  string          // what [Named] is asked of; "" otherwise
}

// WantedOf is what a source defines that every cubin of it has: kernels, and functions that others can
// call. Kernels of C++ go by their qualified names too.
func WantedOf(s *Source) *Wanted {
	w := &Wanted{symbols: make(map[string]bool), bases: make(map[string]bool)}
	for i := range s.Kernels {
		w.symbols[s.Kernels[i].Name] = true
	}
	for i := range s.Functions {
		if fn := &s.Functions[i]; fn.Kept {
			w.symbols[fn.Name] = true
		}
	}
	if len(s.Functions) == 0 && !s.Complete {
		for name := range w.symbols {
			w.bases[strings.ReplaceAll(name, "(anonymous namespace)::", "")] = true
		}
	}
	return w
}

// WantedKernel is a kernel alone, by a name as [Named] has it; "" is any kernel.
func WantedKernel(name string) *Wanted {
	if name == "" {
		return &Wanted{}
	}
	return &Wanted{symbols: map[string]bool{name: true}, kernel: name}
}

// Has reports whether a name is one of those that are wanted.
func (w *Wanted) Has(name []byte) bool {
	if w.symbols[string(name)] || w.kernel != "" && Named(string(name), w.kernel) {
		return true
	}
	if len(w.bases) == 0 {
		return false
	}
	base, ok := Base(string(name))
	return ok && w.bases[base]
}

// An Overlap is what a compiled module has of what is wanted.
type Overlap struct {
	Shared int  // kernels and functions that are wanted
	Extra  int  // kernels that are not
	Equal  bool // it has the very text of the source as PTX
}

// Count adds a kernel or function of a module.
func (w *Wanted) Count(o *Overlap, n cubin.Named) {
	switch {
	case w.symbols == nil && n.Kernel, w.symbols != nil && (n.Kernel || !n.Local) && w.Has(n.Name):
		o.Shared++
	case n.Kernel:
		o.Extra++
	}
}

// CountPTX adds the kernels and functions of a PTX text.
func (w *Wanted) CountPTX(o *Overlap, p *PTX) {
	for i := range p.Functions {
		fn := &p.Functions[i]
		w.Count(o, cubin.Named{Name: []byte(fn.Name), Kernel: fn.Kernel, Local: fn.Binding == 0})
	}
}

// Compare orders overlaps, the better one first: the one that shares more, then the one with the text
// itself, then the one that has less beside.
func (o Overlap) Compare(p Overlap) int {
	if n := cmp.Compare(p.Shared, o.Shared); n != 0 {
		return n
	}
	if o.Equal != p.Equal {
		if o.Equal {
			return -1
		}
		return 1
	}
	return cmp.Compare(o.Extra, p.Extra)
}
