package verify

import (
	"cmp"
	"debug/elf"
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
func (w *Wanted) Has(name string) bool {
	if w.symbols[name] || w.kernel != "" && Named(name, w.kernel) {
		return true
	}
	if len(w.bases) == 0 {
		return false
	}
	base, ok := Base(name)
	return ok && w.bases[base]
}

// An Overlap is what a compiled module has of what is wanted.
type Overlap struct {
	Shared int  // kernels and functions that are wanted
	Extra  int  // kernels that are not
	Equal  bool // it has the very text of the source as PTX
}

// Count adds the kernels and functions of a module.
func (w *Wanted) Count(o *Overlap, list []cubin.Function) {
	for i := range list {
		switch fn := &list[i]; {
		case w.symbols == nil && fn.Kernel, w.symbols != nil && (fn.Kernel || fn.Binding != elf.STB_LOCAL) && w.Has(fn.Name):
			o.Shared++
		case fn.Kernel:
			o.Extra++
		}
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
