package verify

import (
	"debug/dwarf"
	"fmt"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Known is a parameter of a kernel as something beside the records of a cubin has it.
type Known struct {
	Name, Type string // ""; not known
	Align      int    // in bytes; 0: not known
}

// String is the declaration.
func (k Known) String() string { return strings.TrimSpace(k.Type + " " + k.Name) }

// A Debug is what a cubin, or else the program that carries it, has for debuggers of the parameters of kernels.
type Debug struct{ own, host Host }

// NewDebug returns that of a cubin, which is read when something is asked; host may be nil.
func NewDebug(f *cubin.File, host Host) *Debug {
	return &Debug{host: host, own: sync.OnceValue(func() *debugTypes {
		data, _ := f.Debug() // what has errors says nothing
		return newDebugTypes(&cubin.HostData{Data: data}, ownName)
	})}
}

// NewModuleDebug returns that of a module, of which nothing is kept.
func NewModuleDebug(m *ptx.Module) *Debug {
	types := newDebugTypes(&cubin.HostData{Data: debugOf(m)}, ownName)
	return &Debug{own: func() *debugTypes { return types }}
}

// Params are the parameters of a kernel; nil where they are not known, or not those that are recorded.
func (d *Debug) Params(fn *cubin.Function) []Known {
	return first(d, func(types *debugTypes) []Known { return types.known(fn) })
}

// of are the parameters of a kernel, as [debugTypes.of] has them.
func (d *Debug) of(fn *cubin.Function, source []Param) []formal {
	return first(d, func(types *debugTypes) []formal { return types.of(fn, source) })
}

// first is what the cubin has, or else the program.
func first[T any](d *Debug, of func(*debugTypes) []T) []T {
	if all := of(d.own()); all != nil || d.host == nil {
		return all
	}
	return of(d.host())
}

// known are the parameters of a kernel by all functions with its name, which have to agree.
func (d *debugTypes) known(fn *cubin.Function) []Known {
	return agreed(d, fn, func(formals []debugFormal) []Known {
		if len(formals) != len(fn.Params) {
			return nil
		}
		one := make([]Known, len(formals))
		for k, f := range formals {
			w := typeWalk{debugTypes: d}
			if size, ok := w.scalars(f.typ, 0, "", 0); !ok || size != fn.Params[k].Size {
				return nil
			}
			one[k] = Known{Name: f.name, Type: d.typeText(f.typ, 0)}
			if len(w.leaves) == 1 && w.leaves[0].kind != kindBits && w.leaves[0].path == "" {
				one[k].Align = fn.Params[k].Size
			}
		}
		return one
	}, func(a, b Known) bool { return a == b })
}

// afterTypes are what C++ writes after a type that one is made of.
var afterTypes = map[dwarf.Tag]string{
	dwarf.TagConstType: " const", dwarf.TagVolatileType: " volatile", dwarf.TagRestrictType: " __restrict__", dwarf.TagReferenceType: "&", dwarf.TagPointerType: "*",
}

// typeText is a type as C++ writes it, without the namespaces that it is in.
func (d *debugTypes) typeText(t dwarf.Offset, depth int) string {
	if t == 0 {
		return "void"
	}
	e := d.entry(d.data.Reader(), t)
	if e == nil || depth > 16 {
		return "?"
	}
	of := d.place(e.Val(dwarf.AttrType))
	name, _ := e.Val(dwarf.AttrName).(string)
	switch after := afterTypes[e.Tag]; {
	case after != "" && (name == "" || e.Tag != dwarf.TagPointerType):
		return d.typeText(of, depth+1) + after
	case name == "":
		return fmt.Sprintf("unnamed %s", strings.ToLower(strings.TrimSuffix(e.Tag.String(), "Type")))
	}
	return name
}
