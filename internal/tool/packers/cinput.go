package packers

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/cli/near"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/layout"
)

// cInput turns the types and kernels of a header into Go types.
type cInput struct {
	g       *generator
	u       *unit
	unit    *cdecl.Unit
	decls   map[*layout.Record]*cdecl.RecordDecl
	records map[*layout.Record]*record
	stores  map[*layout.Record]*store
	enums   map[*layout.Enum]bool
	names   nameSet // of types
	lang    layout.Lang
}

// language is that of a header: what [Config.Lang] says, or else by its name, where
// .H and .C are C++, as compilers have them.
func (g *generator) language(name string) layout.Lang {
	if g.Lang == "c" || g.Lang == "" && slices.Contains([]string{".h", ".c"}, filepath.Ext(name)) {
		return layout.C
	}
	return layout.CXX
}

// readC reads a header.
func (g *generator) readC() (*unit, error) {
	parsed, err := g.parseC(g.Input)
	if err != nil {
		return nil, err
	}
	in := &cInput{
		g: g, unit: parsed, u: &unit{}, decls: map[*layout.Record]*cdecl.RecordDecl{},
		records: map[*layout.Record]*record{}, stores: map[*layout.Record]*store{}, enums: map[*layout.Enum]bool{}, names: nameSet{}, lang: g.language(g.Input),
	}
	if err := g.free(in.u); err != nil {
		return nil, err
	}
	for _, d := range parsed.Records {
		in.decls[d.Type] = d
	}
	for _, name := range g.Types {
		in.named(name)
	}
	var kernels []*cdecl.FuncDecl
	if len(g.Kernels) > 0 {
		kernels = in.kernels()
	}
	in.compareHosts(kernels)
	return in.u, nil
}

// named generates code for a type of the header.
func (in *cInput) named(name string) {
	if in.g.notRead(in.unit, false, func(n string) bool { return n == name }) {
		return
	}
	t, at, names := findRecord(in.unit, name)
	switch rec, ok := layout.Unalias(t).(*layout.Record); {
	case ok:
		in.ask(rec, t, name, at)
	case t != nil:
		in.g.report(at, badType, "%s is %s, which is not a record; records are passed as bytes", name, t.(*layout.Alias).Type)
	default:
		in.g.report(in.g.input(), unknownName, "no type %s%s%s%s", name, cmp.Or(inNamespace(name, names), near.Suggest(name, names)), in.asC(), notFound(in.unit))
	}
}

// asC says, where something is missing, that C++ may have been read as C.
func (in *cInput) asC() string {
	if in.lang == layout.CXX || in.g.Lang != "" || !in.unit.CXX.IsValid() {
		return ""
	}
	return "; it is read as C, and -lang=c++ reads it as C++"
}

// ask generates code for a record that was named as a type: itself, or a typedef
// of it, whose alignment is then the one that it is passed with.
func (in *cInput) ask(rec *layout.Record, as layout.Type, name string, pos place) {
	if rec.Kind == layout.Union {
		in.g.report(pos, badType, "%s is a union; a struct with the union in it can be passed", name)
		return
	}
	out := in.record(rec, goName(name), pos)
	out.asked = true
	if l, why := in.g.lay(as, in.lang); why == "" && l.Align != out.Layout.Align {
		out.typedef = l
	}
}

// record declares the Go type of a record, once. It is not one of the unit where it has reported why not.
func (in *cInput) record(rec *layout.Record, name string, pos place) *record {
	if out, ok := in.records[rec]; ok {
		return out
	}
	if d := in.decls[rec]; d != nil && d.Pos.IsValid() {
		pos = d.Pos
	}
	l, why := in.g.lay(rec, in.lang)
	if why != "" {
		in.g.report(pos, badType, "%s: %s", spelled(rec, name), why)
		in.records[rec] = &record{Val: rawBytes(0), Layout: &layout.Layout{}}
		return in.records[rec]
	}
	out := &record{Name: in.names.take(name), cname: strings.ReplaceAll(nameOf(rec, name), "::", "_"), Declare: true, Layout: l, at: pos}
	out.Source = fmt.Sprintf("%s of %s", spelled(rec, name), filepath.Base(in.g.Input))
	out.Val = &value{kind: structure, size: l.Size, align: l.Align, Typ: out.Name}
	in.records[rec] = out
	f := &fieldMaker{in: in, owner: out.Name, names: newNameSet(recordMethods, []string{"ParamSize"}), pos: pos}
	out.Val.Fields = f.members(l, 0)
	out.holds = littleEndianOf(out.Val, out.Val.goType())
	in.u.records = append(in.u.records, out)
	return out
}

// spelled is how diagnostics and comments call a record.
func spelled(rec *layout.Record, name string) string {
	if nameOf(rec, "") == "" {
		return rec.Kind.String() + " " + name
	}
	if ofCUDA(rec) {
		return rec.Kind.String() + " " + nameOf(rec, "")
	}
	return rec.String()
}

// enum declares the enumerators of an enumeration, once. One without a name has that of what has its
// type. Those of CUDA's own are not all known without its headers.
func (in *cInput) enum(e *layout.Enum, unnamed string) {
	if in.enums[e] || len(e.Enumerators) == 0 || cdecl.OfCUDA(e.Name, e.At) {
		return
	}
	in.enums[e] = true
	last := e.Name[strings.LastIndex(e.Name, ":")+1:]
	out := &enumeration{cname: "enum " + e.Name, at: in.g.input()}
	if last == "" {
		last, out.cname = unnamed, "the enumeration of "+unnamed
	}
	for _, c := range e.Enumerators {
		out.values = append(out.values, constantValue{Name: goName(last + " " + c.Name), Value: enumeratorValue(c)})
	}
	in.u.enums = append(in.u.enums, out)
}

// kernels generates code for the __global__ functions that were asked for, and returns them.
func (in *cInput) kernels() []*cdecl.FuncDecl {
	var all []callable
	var decls []*cdecl.FuncDecl
	seen := map[string]bool{}
	for _, f := range in.unit.Funcs {
		if !f.Kernel {
			continue
		}
		declared := f.Name + "(" + signature(f) + ")"
		if seen[declared] {
			continue
		}
		seen[declared] = true
		decls = append(decls, f)
		all = append(all, in.callable(f))
	}
	chosen := in.g.pick(all, func(name string) {
		if !in.g.notRead(in.unit, true, asked(name)) {
			in.g.report(in.g.input(), unknownName, "no kernel %s%s%s%s", name, overloadsOf(name, all), in.asC(), notFound(in.unit))
		}
	})
	others := cdecl.Unit{Unread: in.unit.Unread, Warnings: in.unit.Warnings} // patterns are not for templates
	for _, name := range in.g.Kernels {
		if name == allKernels || cxxname.NewPattern(name).Any() {
			in.g.notRead(&others, true, asked(name))
		}
	}
	for _, t := range in.unit.Templates {
		if in.g.Warn != nil && slices.Contains(in.g.Kernels, allKernels) && len(chosen) > 0 {
			at := t.Pos
			at.File = in.g.shown(at.File)
			in.g.Warn(cdecl.New(at, diag.Warning, t.Code, "%s", t.Why))
		}
	}
	names := in.g.goNames(all)
	types := map[string]bool{}
	for _, d := range in.unit.Records {
		types[goName(d.Name[strings.LastIndex(d.Name, ":")+1:])], types[goName(d.Name)] = true, true
	}
	var out []*cdecl.FuncDecl
	for _, i := range chosen {
		if in.u.full() {
			break
		}
		name := names[i]
		if types[name] { // which its parameters then often have
			name += "Kernel"
		}
		in.newKernel(decls[i], name, all[i].symbol)
		out = append(out, decls[i])
	}
	return out
}

// symbol is what the linker calls a kernel, which nvcc reads as C++; "" where that is not
// known.
func (in *cInput) symbol(f *cdecl.FuncDecl) string {
	// In C, extern "C" may stand where it is not seen; and what is for its file alone has a
	// symbol that depends on the file.
	if in.lang != layout.CXX || f.Static || strings.Contains(f.Name, "(") {
		return ""
	}
	if f.C {
		return f.Name[strings.LastIndex(f.Name, ":")+1:]
	}
	var params []layout.Type
	for _, p := range f.Params {
		if guessed(p.Type) {
			return ""
		}
		params = append(params, p.Type)
	}
	if name, ok := cxxname.Mangle(f.Name, params); ok {
		return name
	}
	return ""
}

// asked returns what tells whether a name of -kernel is for a kernel that could not be read.
func asked(name string) func(string) bool {
	p, plain := cxxname.NewPattern(name), cxxname.NewPattern(name[:strings.IndexAny(name+"<", "<(")])
	return func(kernel string) bool {
		return plain.Is(kernel) || p.Is(kernel) || p.Any() && p.MatchesName(kernel) || name == allKernels
	}
}

// guessed reports whether a type has a part that is not declared, which may be a typedef: pointers to it can be passed,
// and what the linker calls it is not known.
func guessed(t layout.Type) bool {
	switch x := layout.Unalias(t).(type) {
	case *layout.Pointer:
		return guessed(x.Elem)
	case *layout.Array:
		return guessed(x.Elem)
	case *layout.Record:
		return x.Incomplete && x.Unsupported != ""
	}
	return false
}

// callable is a kernel by its names: that with the types of its parameters is the one that its symbol
// reads as, as in PTX, and the header's own spelling.
func (in *cInput) callable(f *cdecl.FuncDecl) callable {
	c := callable{symbol: in.symbol(f), name: f.Name, plain: f.Name, at: f.Pos}
	c.declared = f.Name + "(" + signature(f) + ")"
	c.full = c.declared
	if full := cxxname.Full(c.symbol); strings.HasPrefix(full, f.Name+"(") {
		c.full = full
	}
	return c
}

// signature spells the types of a function's parameters as C++ does.
func signature(f *cdecl.FuncDecl) string {
	types := each(f.Params, func(p cdecl.Param) string { return cdecl.TypeText(layout.Unalias(p.Type), layout.CXX) })
	return strings.Join(types, ", ")
}

// lost reports why the record of a type could not be read, and whether it is one that could not.
func (in *cInput) lost(t layout.Type) bool {
	for a, ok := layout.Unalias(t).(*layout.Array); ok; a, ok = layout.Unalias(t).(*layout.Array) {
		t = a.Elem
	}
	rec, ok := layout.Unalias(t).(*layout.Record)
	return ok && in.g.notRead(in.unit, false, func(name string) bool { return name == nameOf(rec, "") })
}

func (in *cInput) newKernel(f *cdecl.FuncDecl, name, symbol string) {
	bounds := append(slices.Clone(f.Bounds), 0, 0)
	k := &kernel{Name: f.Name, Symbol: symbol, GoName: name, Bounds: boundsOf(name, nil, bounds[0], bounds[1]), at: f.Pos, Source: filepath.Base(in.g.Input)}
	if f.Variadic {
		in.g.report(k.at, badKernel, "%s has a variable number of parameters, which no kernel can have", f.Name)
		return
	}
	k.Val = &value{kind: structure, Typ: k.GoName + "Args"}
	fm := &fieldMaker{in: in, owner: k.GoName + "Args", names: newNameSet(kernelMethods)}
	var formals []formal
	for i, p := range f.Params {
		fm.pos = p.Pos
		if ptr, ok := layout.Unalias(p.Type).(*layout.Pointer); ok && (ptr.Kind == layout.LvalueReference || ptr.Kind == layout.RvalueReference) {
			in.g.report(p.Pos, badType, "parameter %d of %s: %s is a reference, which no kernel takes; a pointer, or the value, can be passed", i, f.Name, p.Type)
			continue
		}
		l, why := in.g.lay(p.Type, in.lang)
		switch {
		case why != "" && in.lost(p.Type):
			continue
		case strings.HasSuffix(why, " is not defined"):
			in.g.report(p.Pos, unknownName, "parameter %d of %s: %s%s", i, f.Name, strings.TrimSpace(why[strings.LastIndex(why, ": ")+1:]), notFound(in.unit))
			continue
		case why != "":
			_, name, _ := strings.Cut(p.Type.String(), " ")
			in.g.report(p.Pos, badType, "parameter %d of %s: %s %s", i, f.Name, p.Type, strings.TrimPrefix(strings.TrimPrefix(why, name), ": "))
			continue
		}
		name := cmp.Or(p.Name, fmt.Sprintf("param%d", i))
		goName := fm.names.take(goName(name))
		v := fm.value(l, k.GoName+goName)
		decl := l.ParamOf(layout.NVCC, layout.KernelArgument, "%s")
		size, align := decl.Extent()
		k.Val.Fields = append(k.Val.Fields, field{Name: goName, Val: v, Comment: typeText(p.Type), CName: name, made: p.Type})
		formals = append(formals, formal{size: size, align: align, decl: decl.String(), at: p.Pos, name: name})
	}
	if len(formals) == len(f.Params) {
		in.g.assign(in.u, k, formals)
	}
}
