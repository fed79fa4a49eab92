package packers

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// recordMethods are those of every generated struct.
var recordMethods = []string{"PutParam", "AppendParam", "MarshalParam", "UnmarshalParam", "ParamBytes"}

// kernelMethods are the names that fields of a kernel's arguments cannot have.
var kernelMethods = []string{"PutParams", "AppendParams", "UnmarshalParams", "ParamBufferSize"}

// mostStores bounds what all kernels of a file store: each has statements for all fields of the structs that it takes.
const mostStores = 1 << 16

// full reports whether kernels take more than is generated for.
func (u *unit) full() bool { return u.fields > mostStores }

// add adds a kernel, and reports one that is too many.
func (g *generator) add(u *unit, k *kernel) {
	u.kernels = append(u.kernels, k)
	if u.fields += k.Val.statements(); u.full() {
		g.report(k.at, badKernel, "the kernels up to %s take more than %d fields in all; generate several files, of kernels that -kernel names", k.Name, mostStores)
	}
}

// A formal is a parameter of a kernel before it has a place.
type formal struct {
	size, align int64
	decl        string
	at          place
	name        string
}

// baseAlign divides the address at which the parameters of a kernel begin, on
// every target that is known. Up to it alignments do not depend on the target.
const baseAlign = 16

// assign gives the parameters of a kernel their places.
func (g *generator) assign(u *unit, k *kernel, formals []formal) {
	s := abi.Signature{Kind: abi.Entry}
	depends := false
	for _, f := range formals {
		if f.size > maxSize {
			g.report(f.at, badKernel, "parameter %s of %s has %d bytes", f.name, k.Name, f.size)
			return
		}
		s.Params = append(s.Params, abi.Value{Size: int(f.size), Align: int(f.align)})
		if f.align > baseAlign && !depends {
			depends = true
			if g.Target == "" {
				g.report(f.at, badKernel, "parameter %s of %s is aligned to %d: its offset depends on the target from %d on; name one with -target",
					f.name, k.Name, f.align, 2*baseAlign)
				return
			}
		}
	}
	t, a, ok := g.place(k, s, formals)
	if !ok {
		return
	}
	k.Size = int64(a.Block.Size)
	for i, p := range a.Params {
		off := int64(0)
		if p.Loc.Kind == abi.InConst {
			off = int64(p.Loc.Off - a.Block.Base)
		}
		k.Val.Fields[i].Off = off
		k.Params = append(k.Params, kernelParam{Off: off, Size: formals[i].size, decl: formals[i].decl})
	}
	k.Val.size = k.Size
	if depends {
		k.targets = sameOffsets(t, s, a)
	}
	g.add(u, k)
}

// place assigns by the target asked for, or by the newest one that takes the
// parameters.
func (g *generator) place(k *kernel, s abi.Signature, formals []formal) (*abi.Target, *abi.Assignment, bool) {
	targets := abi.Targets()
	slices.Reverse(targets)
	if g.target != nil {
		targets = []*abi.Target{g.target}
	}
	var first error // of the target that takes most
	for _, t := range targets {
		a, err := abi.Assign(s, t)
		if err == nil {
			return t, &a, true
		}
		if first == nil {
			first = err
		}
	}
	at, msg := k.at, first.Error()
	var list abi.ErrorList
	if errors.As(first, &list) && len(list) > 0 {
		msg = list[0].Msg
		if i := list[0].Param; i >= 0 && i < len(formals) {
			at, msg = formals[i].at, "parameter "+formals[i].name+" "+msg
		}
	}
	g.report(at, badKernel, "kernel %s: %s", k.Name, msg)
	return nil, nil, false
}

// sameOffsets lists the measured targets on which the offsets are those of a.
func sameOffsets(t *abi.Target, s abi.Signature, a *abi.Assignment) string {
	var names []string
	for _, other := range abi.Targets() {
		b, err := abi.Assign(s, other)
		if err != nil {
			continue
		}
		same := a.Block.Size == b.Block.Size
		for i := range a.Params {
			same = same && a.Params[i].Loc.Off-a.Block.Base == b.Params[i].Loc.Off-b.Block.Base
		}
		if same {
			names = append(names, other.Name)
		}
	}
	if !slices.Contains(names, t.Name) {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// readPTX reads entries of a module.
func (g *generator) readPTX() (*unit, error) {
	src, err := g.readFile(g.Input)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Input, disk.Reason(err))
	}
	u := &unit{}
	if err := g.free(u); err != nil {
		return nil, err
	}
	m, err := ptx.Parse(g.Input, src)
	var list diag.List
	if err != nil && !errors.As(err, &list) {
		return nil, err
	}
	for _, e := range list.Errors() {
		g.report(place{File: g.Input, Pos: e.Pos, End: e.End}, e.Code, "%s", e.Msg)
	}
	if len(g.errs) > 0 {
		return u, nil
	}
	var all []callable
	entries, functions := map[string]*ptx.Func{}, map[string]bool{}
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		if !f.Entry {
			functions[f.Name] = true
			continue
		}
		if entries[f.Name] == nil {
			all = append(all, ofSymbol(f.Name, place{File: g.Input, Pos: f.NamePos}))
		}
		if entries[f.Name] == nil || f.HasBody {
			entries[f.Name] = f
		}
	}
	chosen := g.pick(all, func(name string) {
		if functions[name] {
			g.report(g.input(), unknownName, "%s is a .func, which no launch reaches; -kernel is for an .entry", name)
			return
		}
		g.report(g.input(), unknownName, "no kernel %s%s", name, overloadsOf(name, all))
	})
	names := g.goNames(all)
	t, why := g.limits(m)
	if len(g.errs) > 0 {
		return u, nil
	}
	debug := verify.NewModuleDebug(m)
	for _, i := range chosen {
		if u.full() {
			break
		}
		n := len(g.errs)
		k := g.entry(u, m, entries[all[i].symbol], &all[i], names[i], t, debug)
		if t == nil && len(g.errs) == n && k.Size > int64(abi.Targets()[0].Kernel.MaxParams) {
			fix := "; -target says what the module is for"
			if errors.As(why, new(*abi.UnknownTargetError)) {
				fix = "" // it could not run the module
			}
			g.report(k.at, badKernel, "kernel %s has %s of parameters, which not every target takes: %v%s", k.Name, byteCount(k.Size), why, fix)
		}
	}
	return u, nil
}

// limits returns the target whose kernels those of a module are no larger than: the assembler goes by the
// module's own .target, whatever it compiles for. Where that is not known it is the target asked for; nil
// if there is none either, and why. A target asked for that does not run the module is reported.
func (g *generator) limits(m *ptx.Module) (t *abi.Target, why error) {
	if g.Target != "" {
		var err error
		if t, _, err = resolve.Target(m, g.Target, false); err != nil {
			g.report(place{File: g.Input, Pos: m.TargetPos}, badTarget, "%v", err)
			return nil, err
		}
	}
	own, _, err := resolve.Target(m, "", false)
	if err != nil {
		return t, err
	}
	return own, nil
}

// fits reports a kernel that is too large for a module on a target, or for its version of the PTX ISA.
func (g *generator) fits(m *ptx.Module, f *ptx.Func, t *abi.Target) {
	size := *t
	size.Kernel.Dispute = "" // it is about offsets, which are those of the target asked for
	_, list := resolve.NewFunction(m, f).Assign(&size)
	for _, e := range list {
		g.report(place{File: g.Input, Pos: e.Pos, End: e.End}, badKernel, "%s", e.Msg)
	}
}

// entry makes the arguments of a kernel of PTX, which is held against the limits of a target, if any.
func (g *generator) entry(u *unit, m *ptx.Module, f *ptx.Func, c *callable, name string, t *abi.Target, debug *verify.Debug) *kernel {
	where := func(p diag.Pos) place { return place{File: g.Input, Pos: p} }
	k := &kernel{Name: f.Name, Symbol: f.Name, GoName: name, Bounds: directiveBounds(f, name), at: where(f.NamePos), Source: filepath.Base(g.Input)}
	k.Val = &value{kind: structure, Typ: k.GoName + "Args"}
	names := newNameSet(kernelMethods)
	var formals []formal
	list := resolve.Params(m, f)
	var sizes []int64
	for i := range list {
		sizes = append(sizes, int64(resolve.Value(&list[i].Spec, &list[i].Var).Size))
	}
	known := g.known(c, sizes, debug)
	named := g.namedTypes(c, sizes, known)
	for i := range list {
		p := &list[i]
		v := resolve.Value(&p.Spec, &p.Var)
		val := formalValue(p)
		if why := notPassed(p, val, g.output); why != "" {
			g.report(where(p.Var.Pos), badKernel, "parameter %s of %s: %s", p.Name, f.Name, why)
			continue
		}
		s := slot{
			kernel: c, index: i, size: int64(v.Size), align: int64(v.Align), off: -1, at: where(p.Var.Pos),
			float: len(p.Dims) == 0 && p.Type.Class() == ptx.Float, integer: len(p.Dims) == 0 && p.Type.Class() == ptx.Integer,
			named: named[i],
		}
		called := known.name(i, strings.TrimPrefix(p.Name, f.Name+"_"))
		g.argument(u, k, names, &s, val, called, formalText(p, p.Name))
		formals = append(formals, formal{size: int64(v.Size), align: int64(v.Align), decl: formalText(p, "%s"), at: where(p.Var.Pos), name: p.Name})
	}
	if len(formals) < len(list) {
		return k
	}
	n := len(g.errs)
	if t != nil {
		g.fits(m, f, t)
	}
	if len(g.errs) == n {
		g.assign(u, k, formals)
	}
	return k
}

// argument adds a parameter to the arguments of a kernel: of the type that Config.Params gives it, or else the one that is named, or
// else that of a value.
func (g *generator) argument(u *unit, k *kernel, names nameSet, s *slot, otherwise *value, called, comment string) {
	val, snapshots := g.mapped(u, *s)
	if val == nil {
		val = cmp.Or(s.named.value(g, u, s), otherwise)
	}
	k.snapshots = append(k.snapshots, snapshots...)
	k.Val.Fields = append(k.Val.Fields, field{Name: names.take(goName(called)), Off: max(s.off, 0), Val: val, Comment: s.named.comment(comment), CName: called})
}

// boundsOf are the constants of the blocks that a kernel is launched with: of the only block, where n is not nil, and of the most
// threads of a block and the least number of blocks on a multiprocessor, where these are not 0.
func boundsOf(name string, n []int, threads, blocks int64) []constantValue {
	var out []constantValue
	for i := range n {
		axis := "XYZ"[i : i+1]
		comment := "threads of a block along " + strings.ToLower(axis) + ", no more and no fewer"
		out = append(out, constantValue{Name: name + "Block" + axis, Value: strconv.Itoa(n[i]), Comment: comment})
	}
	if threads > 0 {
		out = append(out, constantValue{Name: name + "MaxThreads", Value: decimal(threads), Comment: "threads of a block, at most"})
	}
	if blocks > 0 {
		out = append(out, constantValue{Name: name + "MinBlocks", Value: decimal(blocks), Comment: "blocks on one multiprocessor, at least"})
	}
	return out
}

// directiveBounds are those that the directives of a kernel name.
func directiveBounds(f *ptx.Func, name string) []constantValue {
	blocks := int64(0)
	if d := f.Directive(".minnctapersm"); d != nil {
		blocks, _ = strconv.ParseInt(strings.TrimSpace(d.Args), 0, 32)
	}
	return boundsOf(name, extents(f.Directive(".reqntid")), volume(extents(f.Directive(".maxntid"))), blocks)
}

// volume is the number of threads of a block; 0 of nil.
func volume(n []int) int64 {
	if n == nil {
		return 0
	}
	return int64(n[0]) * int64(n[1]) * int64(n[2])
}

// extents are the three numbers of a directive; those that it leaves out are 1. They are nil where it
// is not there, or says something else.
func extents(d *ptx.Directive) []int {
	if d == nil {
		return nil
	}
	out := []int{1, 1, 1}
	for i, text := range strings.Split(d.Args, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 0, 32)
		if err != nil || n < 1 || i > 2 {
			return nil
		}
		out[i] = int(n)
	}
	return out
}

// formalValue is the Go type of a parameter; nil if there is none.
func formalValue(p *ptx.Formal) *value {
	size := int64(p.Type.Size())
	v := untypedValue(size)
	switch {
	case p.Vec > 1 || size == 0:
		return nil
	case p.Type == ptx.F32, p.Type == ptx.F64:
		v = scalar(fmt.Sprintf("float%d", size*8))
	case p.Type.Signed():
		v = scalar(fmt.Sprintf("int%d", size*8))
	}
	for _, n := range slices.Backward(p.Dims) {
		if n <= 0 || n > maxSize {
			return nil
		}
		v = arrayOf(v, n)
		if v.elem.basic == "uint8" {
			v = rawBytes(n)
		}
	}
	return v
}

// formalText is the declaration of a parameter under a name.
func formalText(p *ptx.Formal, name string) string {
	d := ptx.Decl{Spec: ptx.Spec{Space: ptx.ParamSpace, Type: p.Type, Align: p.Align, Ptr: p.Ptr}, Vars: []ptx.Var{{Name: name, Dims: p.Dims}}}
	return strings.TrimSuffix(string(ptx.AppendStmt(nil, &d)), ";")
}

// free completes a unit that stands in no Go package yet.
func (g *generator) free(u *unit) error {
	u.imports = map[string]string{}
	if g.output != golang {
		return nil
	}
	u.built = g.tags
	u.test = isTestFile(g.out.code)
	name := cmp.Or(g.Package, g.getenv("GOPACKAGE"))
	if name == "_" || name != "" && !token.IsIdentifier(name) {
		return fmt.Errorf("-pkg %s is not a name of a package", name)
	}
	if err := g.join(u, name); err != nil {
		return err
	}
	if u.pkg == "" {
		return errors.New("the package's name is not known: -pkg names it, or $GOPACKAGE, or a Go file beside the output")
	}
	return nil
}

// notPassed says why a launch cannot pass a parameter of a kernel, or why the
// assembler takes none like it; "" if it can. Val is what it is in the language
// to generate.
func notPassed(p *ptx.Formal, val *value, lang language) string {
	scalar := len(p.Dims) == 0
	switch {
	case !p.Known():
		return "its type, state space or form is not known"
	case p.Space == ptx.RegSpace:
		return "it is in .reg space; kernels take .param"
	case p.Type.Class() == ptx.Alternate && scalar:
		return fmt.Sprintf("%s is a type of instructions, not of variables; .b%d can be passed", p.Type, p.Type.Size()*8)
	case p.Type == ptx.Pred:
		return "the assembler has no predicates in .param space; a .b32 made with selp can be passed"
	case p.Vec != 0 && scalar:
		return fmt.Sprintf("the assembler has no vectors in .param space; .align %d .b8 %s[%d] can be passed",
			p.Spec.Alignment(), p.Name, p.Size())
	case p.Type == ptx.F16X2 && scalar:
		return "the assembler has no .f16x2 scalar in .param space; .b32 can be passed"
	case p.Type.Class() == ptx.Handle:
		return fmt.Sprintf("%s is bound by name, and is not data that a launch passes; its 64-bit handle, a .u64, is", p.Type)
	case p.Var.Unsized():
		return "an array without elements has no bytes to pass; it needs an extent"
	case p.Vec != 0:
		return fmt.Sprintf("an array of vectors has no counterpart in %s; .align %d .b8 %s[%d] has", lang, p.Spec.Alignment(), p.Name, p.Size())
	case val == nil:
		return fmt.Sprintf("%s has no counterpart in %s", p.Type, lang)
	}
	return ""
}
