package images

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Cubin is one with what there is beside it.
type Cubin struct {
	file   *cubin.File
	target *abi.Target // nil: it is not known
	debug  *verify.Debug
	// texts are the functions of PTX of the same module, by name, those of which the cubin was made first. They are read once.
	texts func() map[string][]textual
}

// A textual is a function of PTX. Other is the target of the PTX, "" if the cubin was made of it: conditional compilation may
// give that of another target other parameters of the same sizes.
type textual struct {
	*resolve.Function
	other string
}

// NewCubin takes a cubin, whose target lookup has; host is what the program that carries it has for debuggers, nil if nothing. List
// is called once, when something is asked: the PTX of the same module.
func NewCubin(f *cubin.File, lookup compiled.Lookup, host verify.Host, list func() []string) *Cubin {
	r := &Cubin{file: f, debug: verify.NewDebug(f, host)}
	if t, err := lookup(f.Arch); err == nil {
		r.target = t
	}
	r.texts = sync.OnceValue(func() map[string][]textual {
		if r.target == nil || list == nil {
			return nil
		}
		return textuals(list(), cmp.Or(f.Virtual, base(f.Arch)))
	})
	return r
}

// base is an architecture without its suffix.
func base(arch string) string { return strings.TrimRight(arch, "af") }

// textuals are the functions of texts by name, those first that are for the architecture.
func textuals(texts []string, arch string) map[string][]textual {
	funcs := make(map[string][]textual)
	for _, text := range texts {
		outline, err := ptx.ParseOutline("", text)
		if err != nil {
			continue
		}
		m := outline.Module()
		for f := range resolve.NewTable(m).Functions() {
			at, one := len(funcs[f.Name]), textual{f, m.Target}
			if base(m.Target) == arch {
				at, one.other = 0, ""
			}
			funcs[f.Name] = slices.Insert(funcs[f.Name], at, one)
		}
	}
	return funcs
}

// describe is the function with its places.
func (f *textual) describe(a *abi.Assignment) *Function {
	out := ofPTX(f.Function, a)
	out.PTX = f.other
	return &out
}

// declared is a kernel's declaration in PTX, nil where there is none whose parameters lie as recorded.
func (r *Cubin) declared(fn *cubin.Function) *Function {
	for _, f := range r.texts()[fn.Name] {
		a, wrong := f.AssignLatest(r.target)
		if len(wrong) > 0 || f.Kind() != resolve.Entry || len(a.Params) != len(fn.Params) {
			continue
		}
		same := true
		for i, p := range fn.Params {
			place := a.Params[i]
			same = same && (p.Offset < 0 && place.Loc.Kind != abi.InConst || p.Size == place.Size && place.Loc.Off-a.Block.Base == p.Offset)
		}
		if same {
			return f.describe(&a)
		}
	}
	return nil
}

// prototyped is a device function's declaration in PTX, nil where there is none of the recorded prototype.
func (r *Cubin) prototyped(p *cubin.Prototype) *Function {
	for _, f := range r.texts()[p.Name] {
		if f.Decl == nil {
			continue
		}
		if recorded, ok := verify.Recorded(f.Decl); !ok || recorded != p.Text {
			continue
		}
		if a, wrong := f.AssignLatest(r.target); len(wrong) == 0 {
			return f.describe(&a)
		}
	}
	return nil
}

// scalars are the sizes of the fundamental types of C++ that the hosts of CUDA agree on, which are their alignments.
var scalars = map[string]int{
	"bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned int": 4,
	"long long": 8, "unsigned long long": 8, "float": 4, "double": 8,
}

// pointerSize is the size of a pointer of C++: files of 32 bits are older than what is read here.
const pointerSize = 8

// ofSymbol are the parameters of a kernel by its mangled name, nil where that has none, or others than those.
func ofSymbol(name string, params []Value) []verify.Known {
	types := cxxname.Params(name)
	if len(types) != len(params) {
		return nil
	}
	all := make([]verify.Known, len(types))
	for i, typ := range types {
		size := scalars[typ]
		if strings.HasSuffix(typ, "*") || strings.HasSuffix(typ, "&") {
			size = pointerSize
		}
		if size > 0 && size != params[i].Size {
			return nil
		}
		all[i] = verify.Known{Type: typ, Align: size}
	}
	return all
}
