package packers

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
)

// readCubin reads the kernels of a cubin, or of the cubins of a fatbin, a library or a program. They
// record where parameters lie, and no types.
func (g *generator) readCubin() (*unit, error) {
	u := &unit{}
	if err := g.free(u); err != nil {
		return nil, err
	}
	files, err := g.cubins(g.Input)
	if err != nil {
		return nil, err
	}
	var all []callable
	found := map[string]*inCubin{}
	for _, file := range files {
		debug := verify.NewDebug(file, nil)
		for i := range file.Functions {
			f := &file.Functions[i]
			if !f.Kernel {
				continue
			}
			if found[f.Name] == nil {
				found[f.Name] = &inCubin{}
				all = append(all, ofSymbol(f.Name, g.input()))
			}
			found[f.Name].add(f, file.Arch, debug)
		}
	}
	chosen := g.pick(all, func(name string) {
		g.report(g.input(), unknownName, "no kernel %s%s", name, overloadsOf(name, all))
	})
	names := g.goNames(all)
	for _, i := range chosen {
		if u.full() {
			break
		}
		g.compiled(u, found[all[i].symbol], &all[i], names[i])
	}
	return u, nil
}

// cubins opens the cubins of a file.
func (g *generator) cubins(name string) ([]*cubin.File, error) {
	data, err := g.readFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, disk.Reason(err))
	}
	images, err := cubin.Images(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out []*cubin.File
	for _, image := range images {
		if image.Kind != cubin.Cubin {
			continue
		}
		text, err := image.Contents()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, image, err)
		}
		file, err := cubin.Open(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, image, err)
		}
		out = append(out, file)
	}
	if out == nil {
		return nil, fmt.Errorf("%s: no cubin in it; PTX is read from a file of its own, which cuobjdump -xptx makes", name)
	}
	return out, nil
}

// holdCubin holds the kernels against the file that Config.Cubin names: the places and sizes of their parameters.
func (g *generator) holdCubin(u *unit) error {
	if g.Cubin == "" {
		return nil
	}
	files, err := g.cubins(g.Cubin)
	if err != nil {
		return err
	}
	if len(u.kernels) == 0 && g.errs == nil {
		return errors.New("-cubin: there is no kernel to hold against it; name one with -kernel")
	}
	for _, k := range u.kernels {
		name, found := cmp.Or(k.Symbol, k.Name), false
		var others []string // architectures for which it is there
		var names []string  // of all kernels
		for _, file := range files {
			var whys []string // of overloads, one has to be this kernel
			same := false
			for i := range file.Functions {
				f := &file.Functions[i]
				if f.Kernel {
					names = append(names, f.Name)
				}
				if !f.Kernel || f.Name != name && (k.Symbol != "" || cxxname.Plain(f.Name) != name) {
					continue
				}
				if g.target != nil && file.Arch != g.arch() {
					others = append(others, file.Arch)
					continue
				}
				found = true
				why := k.otherwise(f)
				same = same || why == ""
				whys = append(whys, why)
			}
			if len(whys) > 0 && !same {
				g.report(k.at, mismatch, "%s is another kernel in %s for %s: %s", k.Name, g.Cubin, file.Arch, whys[0])
			}
		}
		switch {
		case found:
		case others != nil:
			g.report(k.at, unknownName, "%s has kernel %s for %s, and not for %s, which -target names", g.Cubin, name, strings.Join(others, ", "), g.arch())
		default:
			g.report(k.at, unknownName, "%s has no kernel %s%s", g.Cubin, name, near.Suggest(name, names))
		}
	}
	return nil
}

// otherwise says how a compiled kernel has other parameters; "" where it has the same.
func (k *kernel) otherwise(f *cubin.Function) string {
	if len(f.Params) != len(k.Params) {
		return fmt.Sprintf("it has %d parameters there, and %d here", len(f.Params), len(k.Params))
	}
	for i, p := range f.Params {
		if q := k.Params[i]; int64(p.Offset) != q.Off || int64(p.Size) != q.Size {
			return fmt.Sprintf("parameter %d has %d bytes at %d there, and %d at %d here", i, p.Size, p.Offset, q.Size, q.Off)
		}
	}
	return ""
}

// arch is the name of the target that is asked for as cubins have it; "" of none.
func (g *generator) arch() string {
	if g.target == nil {
		return ""
	}
	return g.target.Name
}

// An inCubin is a kernel in a cubin, or in one for each of several architectures: in groups in each of
// which its parameters lie alike.
type inCubin struct{ groups []cubinGroup }

type cubinGroup struct {
	f     *cubin.Function
	debug *verify.Debug
	archs []string
}

// add adds a kernel of an architecture.
func (in *inCubin) add(f *cubin.Function, arch string, debug *verify.Debug) {
	for i := range in.groups {
		if g := &in.groups[i]; sameLaunch(g.f, f) {
			if !slices.Contains(g.archs, arch) {
				g.archs = append(g.archs, arch)
			}
			return
		}
	}
	in.groups = append(in.groups, cubinGroup{f, debug, []string{arch}})
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
	group, why := in.of(g.arch())
	if why != "" {
		g.report(g.input(), badKernel, "%s %s", c.symbol, why)
		return
	}
	f := group.f
	k := &kernel{Name: f.Name, Symbol: f.Name, GoName: name, at: g.input(), Source: filepath.Base(g.Input), untyped: true}
	k.Bounds = boundsOf(name, f.ReqThreads, volume(f.MaxThreads), 0)
	k.Val = &value{kind: structure, Typ: name + "Args"}
	sizes := each(f.Params, func(p cubin.Param) int64 { return int64(p.Size) })
	known := g.known(c, sizes, group.debug)
	named := g.namedTypes(c, sizes, known)
	fields := newNameSet(kernelMethods)
	for i, p := range f.Params {
		if p.Size <= 0 || p.Offset < 0 {
			g.report(g.input(), badKernel, "parameter %d of %s is bound by name, and is not data that a launch passes", i, f.Name)
			return
		}
		size, off := int64(p.Size), int64(p.Offset)
		s := slot{kernel: c, index: i, size: size, off: off, base: int64(f.ParamBase), at: g.input(), named: named[i]}
		g.argument(u, k, fields, &s, untypedValue(size), known.name(i, fmt.Sprintf("param%d", i)), byteCount(size))
		k.Params = append(k.Params, kernelParam{Off: off, Size: size})
	}
	if len(in.groups) > 1 {
		k.targets = strings.Join(group.archs, ", ")
	}
	k.Size = int64(max(f.ParamSize, 0))
	k.Val.size = k.Size
	g.add(u, k)
}

// untypedValue is the type of a parameter of which the size is all that is known.
func untypedValue(size int64) *value {
	switch size {
	case 1, 2, 4, 8:
		return scalar(fmt.Sprintf("uint%d", size*8))
	}
	return rawBytes(size)
}
