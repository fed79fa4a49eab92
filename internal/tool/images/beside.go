package images

import (
	"cmp"
	"slices"
	"strings"

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
	beside *texts
	debug  *verify.Debug
}

// NewCubin takes a cubin, whose target lookup has; host is what the program that carries it has for debuggers, nil if nothing. Texts
// is called once, when something is asked: the PTX of the same module.
func NewCubin(f *cubin.File, lookup compiled.Lookup, host verify.Host, list func() []string) *Cubin {
	r := &Cubin{file: f, debug: verify.NewDebug(f, host)}
	if t, err := lookup(f.Arch); err == nil {
		r.target = t
	}
	r.beside = &texts{target: r.target, list: list, virtual: cmp.Or(f.Virtual, base(f.Arch))}
	return r
}

// base is an architecture without its suffix.
func base(arch string) string { return strings.TrimRight(arch, "af") }

// texts are the functions of PTX of the same module, which may be for several targets.
type texts struct {
	target  *abi.Target
	virtual string // what the cubin was made of is for
	list    func() []string
	read    bool
	funcs   map[string][]textual
}

// A textual is a function of PTX. Other is the target of the PTX, "" if the cubin was made of it: conditional compilation may
// give that of another target other parameters of the same sizes.
type textual struct {
	*resolve.Function
	other string
}

// of are the functions of a name, those of which the cubin was made first.
func (x *texts) of(name string) []textual {
	if !x.read && x.target != nil && x.list != nil {
		x.funcs = make(map[string][]textual)
		for _, text := range x.list() {
			outline, err := ptx.ParseOutline("", text)
			if err != nil {
				continue
			}
			m := outline.Module()
			other := m.Target
			if base(other) == x.virtual {
				other = ""
			}
			for f := range resolve.NewTable(m).Functions() {
				at := len(x.funcs[f.Name])
				if other == "" {
					at = 0
				}
				x.funcs[f.Name] = slices.Insert(x.funcs[f.Name], at, textual{f, other})
			}
		}
	}
	x.read = true
	return x.funcs[name]
}

// describe is the function with its places.
func (f *textual) describe(a *abi.Assignment) *Function {
	out := ofPTX(f.Function, a)
	out.PTX = f.other
	return &out
}

// kernel is a kernel's declaration in PTX, nil where there is none whose parameters lie as recorded.
func (x *texts) kernel(fn *cubin.Function) *Function {
	for _, f := range x.of(fn.Name) {
		a, wrong := f.AssignLatest(x.target)
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

// function is a device function's declaration in PTX, nil where there is none of the recorded prototype.
func (x *texts) function(p *cubin.Prototype) *Function {
	for _, f := range x.of(p.Name) {
		if f.Decl == nil {
			continue
		}
		if recorded, ok := verify.Recorded(f.Decl); !ok || recorded != p.Text {
			continue
		}
		if a, wrong := f.AssignLatest(x.target); len(wrong) == 0 {
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
