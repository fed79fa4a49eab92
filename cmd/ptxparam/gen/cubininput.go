package gen

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cubin"
	"github.com/ptxabi/ptxabi/internal/disk"
)

// readCubin reads the kernels of a cubin, or of the cubins of a fatbin, a library or a program. They
// record where parameters lie, and no types.
func (g *generator) readCubin() (*unit, error) {
	data, err := g.readFile(g.Input)
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
				found[f.Name] = &inCubin{}
				all = append(all, ofSymbol(f.Name, g.input()))
			}
			found[f.Name].add(f, file.Arch)
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

// An inCubin is a kernel in a cubin, or in one for each of several architectures: in groups in each of
// which its parameters lie alike.
type inCubin struct{ groups []cubinGroup }

type cubinGroup struct {
	f     *cubin.Function
	archs []string
}

// add adds a kernel of an architecture.
func (in *inCubin) add(f *cubin.Function, arch string) {
	for i := range in.groups {
		if g := &in.groups[i]; sameLaunch(g.f, f) {
			if !slices.Contains(g.archs, arch) {
				g.archs = append(g.archs, arch)
			}
			return
		}
	}
	in.groups = append(in.groups, cubinGroup{f, []string{arch}})
}

// sameLaunch reports whether a launch passes the same to two kernels.
func sameLaunch(a, b *cubin.Function) bool {
	return a.ParamSize == b.ParamSize && slices.EqualFunc(a.Params, b.Params, func(p, q cubin.Param) bool {
		return p.Offset == q.Offset && p.Size == q.Size
	}) && slices.Equal(a.ReqThreads, b.ReqThreads) && slices.Equal(a.MaxThreads, b.MaxThreads)
}

// of returns the group for a target, or says why there is none. Without a target, all architectures have to be
// in one group. A cubin does not record alignments, so that nothing is known of an architecture that is not there.
func (in *inCubin) of(target string) (group *cubinGroup, why string) {
	var archs []string
	for i := range in.groups {
		g := &in.groups[i]
		if slices.Contains(g.archs, target) || target == "" && len(in.groups) == 1 {
			return g, ""
		}
		archs = append(archs, g.archs...)
	}
	if target != "" {
		return nil, fmt.Sprintf("is there for %s, and not for %s", strings.Join(archs, ", "), target)
	}
	return nil, fmt.Sprintf("has other parameters, or bounds, for %s than for %s; -target says for which one this is", in.groups[1].archs[0], archs[0])
}

// compiled makes the arguments of a kernel of a cubin.
func (g *generator) compiled(u *unit, in *inCubin, c *callable, name string) {
	target := ""
	if t, err := abi.Lookup(g.Target); g.Target != "" && err == nil { // defaults has reported an error
		target = t.Name
	}
	group, why := in.of(target)
	if why != "" {
		g.report(g.input(), badKernel, "%s %s", c.symbol, why)
		return
	}
	f := group.f
	k := &kernel{name: f.Name, symbol: f.Name, goName: name, at: g.input(), source: filepath.Base(g.Input), untyped: true}
	k.bounds = append(blockOf(name, f.ReqThreads), threadsOf(name, f.MaxThreads)...)
	k.val = &value{kind: structure, typ: id(name + "Args")}
	var sizes []int64
	for _, p := range f.Params {
		sizes = append(sizes, int64(p.Size))
	}
	named := g.namedTypes(c, sizes)
	for i, p := range f.Params {
		if p.Size <= 0 || p.Offset < 0 {
			g.report(g.input(), badKernel, "parameter %d of %s is bound by name, and is not data that a launch passes", i, f.Name)
			return
		}
		size, off := int64(p.Size), int64(p.Offset)
		s := slot{kernel: c, index: i, size: size, off: off, at: g.input(), named: named[i]}
		v, snapshots := g.mapped(u, s)
		if v == nil {
			v = s.named.value(g, u, &s)
		}
		if v == nil {
			v = untypedValue(size)
		}
		k.snapshots = append(k.snapshots, snapshots...)
		k.val.fields = append(k.val.fields, field{name: fmt.Sprintf("Param%d", i), off: off, val: v, comment: named[i].comment(byteCount(size))})
		k.params = append(k.params, kernelParam{off: off, size: size})
	}
	if len(in.groups) > 1 {
		k.targets = strings.Join(group.archs, ", ")
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
