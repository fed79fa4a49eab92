package link

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/ptx"
)

// AddDeclared adds the functions and kernels that a C or CUDA file declares, as PTX would have them, by the names that the
// linker has for them. Names of which nothing else in the set knows are left alone. The file was read for an architecture;
// "" for any. The notes say what is left out.
func (s *Set) AddDeclared(file string, res *layoutcmd.Result, arch string) (notes diag.List) {
	if slices.ContainsFunc(s.units, func(u *unit) bool { return slices.ContainsFunc(u.forms, func(f *form) bool { return f.bits == 32 }) }) {
		return diag.List{{File: file, Severity: diag.Note, Code: LeftOut, Msg: "left out: headers are read for addresses of 64 bits, and the modules have 32"}}
	}
	forms := make(map[string]*form) // by file, those that it includes among them
	for _, f := range res.Unit.Funcs {
		if f.System {
			continue
		}
		left := func(format string, args ...any) {
			notes.Add(&diag.Diagnostic{File: f.Pos.File, Pos: f.Pos.Pos, Severity: diag.Note, Code: LeftOut, Msg: "left out: " + fmt.Sprintf(format, args...)})
		}
		name, known := layoutcmd.LinkerName(f, res.Rules.Lang)
		if !known {
			left("what the linker calls %s is not known", f.Name)
			continue
		}
		res.Producer = layout.Clang
		other, _ := res.Declare(f, name)
		res.Producer = layout.NVCC
		d, why := res.Declare(f, name)
		if why != nil {
			left("%s", why.Msg)
			continue
		}
		out := forms[f.Pos.File]
		if out == nil {
			user := &ptx.Func{HasBody: true} // of code that includes the header, which calls what it declares
			out = &form{kind: Header, arch: arch, text: &ptx.Module{Name: f.Pos.File, Items: []ptx.Item{user}}}
			forms[f.Pos.File] = out
		}
		one, user := *d.Func, out.text.Items[0].(*ptx.Func)
		one.Linkage = ptx.Extern
		out.text.Items = append(out.text.Items, &one)
		out.sites = append(out.sites, functionSite(&one, false))
		if other != nil {
			out.sites[len(out.sites)-1].clang = other.Func
		}
		user.Body = append(user.Body, &ptx.Call{Instr: ptx.Instr{Pos: one.NamePos}, Callee: ptx.Operand{Kind: ptx.KindName, Text: one.Name}})
	}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		s.add(Place{Name: name, File: name}, forms[name])
	}
	return notes
}
