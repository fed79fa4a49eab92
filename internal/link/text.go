package link

import (
	"debug/elf"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/verify"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

const (
	symFunc   = elf.STT_FUNC
	bindLocal = elf.STB_LOCAL
	bindWeak  = elf.STB_WEAK
)

// textSites are what a module says of the names that others can see.
func textSites(m *ptx.Module) []*site {
	byName := make(map[string]*site)
	var all []*site
	add := func(s *site) {
		old := byName[s.name]
		switch {
		case old == nil:
			byName[s.name] = s
			all = append(all, s)
		case s.defined && !old.defined:
			*old = *s
		}
	}
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Func:
			if it.Linkage != ptx.NoLinkage || it.Entry {
				add(functionSite(it, it.HasBody))
			}
			for _, st := range it.Body {
				if inner, ok := st.(*ptx.Func); ok && inner.Linkage != ptx.NoLinkage {
					add(functionSite(inner, false))
				}
			}
		case *ptx.Decl:
			if it.Linkage == ptx.NoLinkage {
				continue
			}
			for i := range it.Vars {
				if s := variableSite(it, &it.Vars[i]); s != nil {
					add(s)
				}
			}
		}
	}
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Directive); ok && d.Name == ".alias" {
			name, of, ok := resolve.AliasNames(d)
			if s, target := byName[name], byName[of]; ok && s != nil && target != nil && target.defined {
				s.defined, s.weak = true, target.weak
			}
		}
	}
	mentioned(m, byName)
	return all
}

// functionSite is what a declaration or definition says.
func functionSite(f *ptx.Func, defined bool) *site {
	s := &site{name: f.Name, kind: Text, pos: f.NamePos, defined: defined, weak: f.Linkage == ptx.Weak, fn: f, block: -1}
	if f.Entry {
		s.class = kernel
	}
	if text, ok := verify.Recorded(f); ok && !f.Entry {
		s.proto = text
		for _, name := range []string{resolve.PreserveName, resolve.PreserveControlName} {
			if f.Directive(name) != nil && !strings.HasSuffix(s.proto, "|") {
				s.proto += "|"
			}
		}
	}
	return s
}

// variableSite is what a declaration says of a variable; nil for one that is no
// variable of a module.
func variableSite(d *ptx.Decl, v *ptx.Var) *site {
	spaces := map[ptx.Space]string{ptx.GlobalSpace: "global", ptx.ConstSpace: "const", ptx.SharedSpace: "shared"}
	space := spaces[d.Space]
	if space == "" || d.Type.Class() == ptx.Handle {
		return nil
	}
	s := &site{
		name: v.Name, class: variable, kind: Text, pos: v.Pos, defined: d.Linkage != ptx.Extern, weak: d.Linkage == ptx.Weak,
		common: d.Linkage == ptx.Common, managed: strings.Contains(d.Attr, "managed"), space: space, block: -1,
		align: int64(resolve.Align(&d.Spec)), size: int64(resolve.Size(&d.Spec, v)), text: resolve.TypeText(&d.Spec),
	}
	if v.Init != "" {
		s.init = "= " + string(ptx.AppendTokens(nil, v.Init))
	}
	for _, n := range v.Dims {
		s.text += fmt.Sprintf("[%d]", n)
	}
	return s
}

// mentioned notes what is used: extern variables always, which objects keep though no
// code mentions them, and functions where code mentions them that the assembler keeps.
func mentioned(m *ptx.Module, byName map[string]*site) {
	for _, s := range byName {
		s.used = s.used || s.class == variable && !s.defined
	}
	bodies := make(map[string]*ptx.Func)
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			bodies[f.Name] = f
		}
	}
	var queue []*ptx.Func
	done := make(map[*ptx.Func]bool)
	visit := func(f *ptx.Func) {
		if f != nil && !done[f] {
			done[f] = true
			queue = append(queue, f)
		}
	}
	note := func(text string) {
		for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inName(r) }) {
			if s := byName[name]; s != nil {
				s.used = true
			}
			visit(bodies[name])
		}
	}
	vars := func(d *ptx.Decl) {
		for i := range d.Vars {
			note(d.Vars[i].Init)
		}
	}
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Decl:
			vars(it)
		case *ptx.Func:
			if it.Entry || it.Linkage != ptx.NoLinkage {
				visit(bodies[it.Name])
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, s := range queue[0].Body {
			switch s := s.(type) {
			case *ptx.Decl:
				vars(s)
			case *ptx.Call:
				note(s.Callee.Name())
				for i := range s.Params {
					note(s.Params[i].Text)
				}
			case *ptx.TargetList:
				note(s.Text)
			case *ptx.Instr:
				note(s.Args)
			case *ptx.Access:
				note(s.Args)
			}
		}
	}
}

// inName reports whether a name of PTX may have a character in it.
func inName(r rune) bool {
	return r == '_' || r == '$' || r == '%' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
