package verify

import (
	"fmt"
	"strings"
)

// reason is a known cause of what two blocks differ in, as the end of a message; "" where none fits. It explains a
// difference, and makes none.
func reason(source, compiled *Block) string {
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
		return scratch(source.Params, compiled.Params)
	}
	a, b := &source.Params[first], &compiled.Params[first]
	words := strings.Fields(a.Type)
	switch {
	case strings.Contains(a.Type, "CUtensorMap") && a.Size == b.Size && (a.Offset-b.Offset)%64 == 0:
		return " (CUtensorMap is aligned to 64 bytes in CUDA 12 and to 128 in CUDA 13)"
	case len(words) > 0 && words[len(words)-1] == "long" && strings.Count(a.Type, "long") == 1 && min(a.Size, b.Size) == 4 && max(a.Size, b.Size) == 8:
		return " (long has 4 bytes on Windows and 8 elsewhere; layout -rules msvc shows it as there)"
	case a.Size == b.Size && len(a.Fields) > 0 && a.Offset != b.Offset:
		return " (one of the two aligns the record otherwise: look for alignas, packing, or a type in it that is aligned otherwise elsewhere)"
	}
	return ""
}

// scratch explains addresses after the parameters that the two have in common.
func scratch(a, b []Param) string {
	if len(a) > len(b) {
		a, b = b, a
	}
	more := b[len(a):]
	if len(more) < 1 || len(more) > 2 || len(a) == 0 {
		return ""
	}
	for i := range more {
		if more[i].Size != 8 || more[i].Handle != "" {
			return ""
		}
	}
	return " (Triton adds one or two addresses of scratch memory after the parameters of a kernel)"
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
		if base == "" || other == nil || k.Status == other.Status || k.Status != OnlyInSource && k.Status != OnlyInCubin {
			continue
		}
		for _, one := range [...][2]*Kernel{{k, other}, {other, k}} {
			d := &one[0].Differences[0]
			d.Msg += fmt.Sprintf(`; %s is %s, and extern "C" is missing in one of the two`, one[1].Name, one[1].Status)
		}
	}
}
