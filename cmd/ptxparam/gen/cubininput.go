package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ptxabi/ptxabi/internal/cubin"
	"github.com/ptxabi/ptxabi/internal/disk"
)

// readCubin reads the kernels of a cubin, or of the cubins of a fatbin, a library or a program. They
// record where parameters lie, and no types.
func (g *generator) readCubin() (*unit, error) {
	data, err := os.ReadFile(g.path(g.Input))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Input, disk.Reason(err))
	}
	u := &unit{}
	if err := g.free(u); err != nil {
		return nil, err
	}
	images, err := cubin.Images(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Input, err)
	}
	var all []callable
	found := map[string]*inCubin{}
	read := 0
	for _, image := range images {
		if image.Kind != cubin.Cubin {
			continue
		}
		text, err := image.Contents()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", g.Input, image, err)
		}
		file, err := cubin.Open(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", g.Input, image, err)
		}
		read++
		for i := range file.Functions {
			f := &file.Functions[i]
			if !f.Kernel {
				continue
			}
			if found[f.Name] == nil {
				found[f.Name] = &inCubin{f: f, arch: file.Arch}
				all = append(all, ofSymbol(f.Name, g.input()))
			} else {
				found[f.Name].meet(f, file.Arch)
			}
		}
	}
	if read == 0 {
		return nil, fmt.Errorf("%s: no cubin in it; PTX is read from a file of its own, which cuobjdump -xptx makes", g.Input)
	}
	chosen := g.pick(all, func(name string) {
		g.report(g.input(), unknownName, "no kernel %s%s", name, overloadsOf(name, all))
	})
	names := g.goNames(all)
	for _, i := range chosen {
		g.compiled(u, found[all[i].symbol], &all[i], names[i])
	}
	return u, nil
}

// An inCubin is a kernel in a cubin, or in one for each of several architectures.
type inCubin struct {
	f     *cubin.Function
	arch  string
	other string // an architecture for which it lies otherwise; "" if there is none
}

// meet compares a kernel with the same one for another architecture.
func (k *inCubin) meet(f *cubin.Function, arch string) {
	same := k.f.ParamSize == f.ParamSize && slices.EqualFunc(k.f.Params, f.Params, func(a, b cubin.Param) bool {
		return a.Offset == b.Offset && a.Size == b.Size
	})
	if !same && k.other == "" {
		k.other = arch
	}
}

// compiled makes the arguments of a kernel of a cubin.
func (g *generator) compiled(u *unit, in *inCubin, c *callable, name string) {
	f := in.f
	if in.other != "" {
		g.report(g.input(), badKernel, "%s has other parameters for %s than for %s; a cubin for one of them says which", f.Name, in.other, in.arch)
		return
	}
	k := &kernel{name: f.Name, symbol: f.Name, goName: name, at: g.input(), source: filepath.Base(g.Input), untyped: true}
	k.bounds = append(blockOf(name, f.ReqThreads), threadsOf(name, f.MaxThreads)...)
	k.val = &value{kind: structure, typ: id(name + "Args")}
	for i, p := range f.Params {
		if p.Size <= 0 || p.Offset < 0 {
			g.report(g.input(), badKernel, "parameter %d of %s is bound by name, and is no data that a launch passes", i, f.Name)
			return
		}
		size, off := int64(p.Size), int64(p.Offset)
		v, snapshots := g.mapped(u, slot{kernel: c, index: i, size: size, off: off, at: g.input()})
		if v == nil {
			v = untypedValue(size)
		}
		k.snapshots = append(k.snapshots, snapshots...)
		k.val.fields = append(k.val.fields, field{name: fmt.Sprintf("Param%d", i), off: off, val: v, comment: byteCount(size)})
		k.params = append(k.params, kernelParam{off: off, size: size})
	}
	k.size = int64(max(f.ParamSize, 0))
	k.val.size = k.size
	u.kernels = append(u.kernels, k)
}

// untypedValue is the type of a parameter of which the size is all that is known.
func untypedValue(size int64) *value {
	switch size {
	case 1, 2, 4, 8:
		return scalar(fmt.Sprintf("uint%d", size*8))
	}
	return rawBytes(size)
}
