package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/layout"
)

// reason is a known cause of what two blocks differ in, as the end of a message; "" where none fits. It explains a
// difference, and makes none. The compiled block is that of fn; host says that the source is not that of the kernel but a
// program that launches it.
func reason(source, compiled *Block, fn *cubin.Function, host bool) string {
	if source == nil || compiled == nil {
		return ""
	}
	first := -1
	for i := range min(len(source.Params), len(compiled.Params)) {
		if a, b := &source.Params[i], &compiled.Params[i]; a.Offset != b.Offset || a.Size != b.Size {
			first = i
			break
		}
	}
	if first < 0 {
		return scratch(source.Params, compiled.Params, fn)
	}
	a, b := &source.Params[first], &compiled.Params[first]
	end := 0 // of what stands before, which is the same on both sides
	if first > 0 {
		end = source.Params[first-1].Offset + source.Params[first-1].Size
	}
	switch {
	case strings.Contains(a.Type, "CUtensorMap") && a.Size == b.Size && (a.Offset-b.Offset)%64 == 0:
		return " (CUtensorMap is aligned to 64 bytes in CUDA 12 and to 128 in CUDA 13)"
	case min(a.Size, b.Size) == 4 && max(a.Size, b.Size) == 8:
		return windows(a, b, fn, first, host)
	case a.Size == b.Size && len(a.Fields) > 0 && a.Offset != b.Offset && aligned(end, a.Offset, source.Base) && aligned(end, b.Offset, compiled.Base):
		return " (one of the two aligns the record otherwise: look for alignas, packing, or a type in it that is aligned otherwise elsewhere)"
	}
	return ""
}

// aligned reports whether a parameter after one that ends there may be at an offset by its alignment, which counts from
// the block or from the bank.
func aligned(end, offset, base int) bool {
	for align := 1; align <= 1<<10; align *= 2 {
		if offset == (end+align-1)/align*align || offset == (base+end+align-1)/align*align-base {
			return true
		}
	}
	return false
}

// windows explains a parameter of 4 bytes on one side and 8 on the other: the name of the kernel says whether it takes a
// long, or the source does.
func windows(a, b *Param, fn *cubin.Function, i int, host bool) string {
	types := cxxname.Params(fn.Name)
	known := i < len(types) && len(types) == len(fn.Params)
	switch long := known && strings.HasSuffix(types[i], "long") && !strings.HasSuffix(types[i], "long long"); {
	case long && b.Size == 4:
		return " (it is a long, which has 4 bytes on Windows, where this was compiled, and 8 elsewhere)"
	case a.long && (host || !known || long):
		return " (long has 4 bytes on Windows and 8 elsewhere; layout -rules msvc shows it as there)"
	}
	return ""
}

// isLong reports whether a type is long itself, and not a name such as size_t, which is another type on Windows.
func isLong(t layout.Type) bool {
	for {
		switch u := t.(type) {
		case *layout.Qualified:
			t = u.Type
		case *layout.Alias:
			if t = u.Type; strings.HasSuffix(u.Name, "_t") {
				return false
			}
		case layout.Scalar:
			return u.Kind == layout.Long || u.Kind == layout.ULong
		default:
			return false
		}
	}
}

// scratch explains addresses after the parameters that a source has. Triton's kernels have names without types, and all
// of them have .reqntid, with a power of two of warps.
func scratch(source, compiled []Param, fn *cubin.Function) string {
	_, mangled := Base(fn.Name)
	threads := slices.Clone(fn.ReqThreads)
	for len(threads) > 1 && threads[len(threads)-1] == 1 {
		threads = threads[:len(threads)-1]
	}
	if mangled || len(source) == 0 || len(threads) != 1 || threads[0] < 32 || threads[0]&(threads[0]-1) != 0 || len(compiled) <= len(source) || len(compiled) > len(source)+2 {
		return ""
	}
	for _, p := range compiled[len(source):] {
		if p.Size != 8 || p.Handle != "" {
			return ""
		}
	}
	return " (if Triton made the kernel: it adds one or two addresses of scratch memory after the parameters)"
}

// externC explains kernels of which one side has the plain name and the other that of C++: it says so of both.
func (r *Report) externC() {
	plain := make(map[string]*Kernel)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if _, mangled := Base(k.Name); !mangled && (k.Status == OnlyInSource || k.Status == OnlyInCubin) {
			plain[k.Name] = k
		}
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		base, _ := Base(k.Name)
		other := plain[base]
		if other == nil || k.Status == other.Status || k.Status != OnlyInSource && k.Status != OnlyInCubin {
			continue
		}
		for _, one := range [...][2]*Kernel{{k, other}, {other, k}} {
			d := &one[0].Differences[0]
			d.Msg += fmt.Sprintf(`; %s is %s, and extern "C" is missing in one of the two`, one[1].Name, one[1].Status)
		}
	}
}
