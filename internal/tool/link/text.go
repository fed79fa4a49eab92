package link

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// textSites are what a module says of the names that others can see, with its calls, and of its own.
func textSites(m *ptx.Module) (all, own []*site, g *graph) {
	byName := make(map[string]*site)
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
			switch old := byName[it.Name]; {
			case it.Linkage != ptx.NoLinkage:
				add(functionSite(it, it.HasBody))
			case old != nil: // the declaration says who sees it
				old.defined = old.defined || it.HasBody
			case it.HasBody:
				own = append(own, functionSite(it, true))
				if it.Entry {
					add(own[len(own)-1])
				}
			}
			for _, st := range it.Body {
				if inner, ok := st.(*ptx.Func); ok && inner.Linkage != ptx.NoLinkage {
					add(functionSite(inner, false))
				}
			}
		case *ptx.Decl:
			for i := range it.Vars {
				switch s := variableSite(it, &it.Vars[i]); {
				case s == nil:
				case it.Linkage == ptx.NoLinkage:
					own = append(own, s)
				default:
					add(s)
				}
			}
		}
	}
	var aliases map[string]string
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Directive); ok && d.Name == ".alias" {
			name, of, ok := resolve.AliasNames(d)
			if ok {
				if aliases == nil {
					aliases = make(map[string]string)
				}
				aliases[name] = of
			}
			switch s, target := byName[name], byName[of]; {
			case !ok || s == nil:
			case target == nil: // no other file sees the alias of what none sees
				delete(byName, name)
				all = slices.DeleteFunc(all, func(o *site) bool { return o == s })
				own = append(own, s)
			case target.defined:
				s.defined, s.weak = true, target.weak
			}
		}
	}
	return all, own, mentioned(m, byName, aliases)
}

// A use is how a body names something.
type use uint8

const (
	address use = iota // its value
	callee             // a call has its name
	pointer            // a call through a pointer, which has none
	listed             // a list of what calls may call has its name
	unused             // the initial value of a variable that no code of the body names: an object has nothing of that
)

// uses calls note for the names in a body.
func uses(f *ptx.Func, note func(how use, text string)) {
	inCode := sync.OnceValue(func() map[string]bool { return namesOf(f.Body) })
	for _, s := range f.Body {
		switch s := s.(type) {
		case *ptx.Decl:
			for i := range s.Vars {
				switch v := &s.Vars[i]; {
				case v.Init == "":
				case inCode()[v.Name]:
					note(address, v.Init)
				default:
					note(unused, v.Init)
				}
			}
			continue
		case *ptx.Call:
			note(callee, s.Callee.Name())
			if s.Proto.Kind != ptx.KindNone {
				note(pointer, "")
			}
		case *ptx.TargetList:
			note(listed, s.Text)
		}
		body.Values(s, func(text string, _ diag.Pos) { note(address, text) })
	}
}

// namesOf are the names that stand for values in the statements of a body, but for declarations.
func namesOf(stmts []ptx.Stmt) map[string]bool {
	all := make(map[string]bool)
	for _, s := range stmts {
		if _, ok := s.(*ptx.Decl); ok {
			continue
		}
		body.Values(s, func(text string, _ diag.Pos) {
			for name := range ptx.TextNames(text) {
				all[name] = true
			}
		})
	}
	return all
}

// functionSite is what a declaration or definition says.
func functionSite(f *ptx.Func, defined bool) *site {
	s := &site{name: f.Name, kind: Text, pos: f.NamePos, defined: defined, local: f.Linkage == ptx.NoLinkage, weak: f.Linkage == ptx.Weak, fn: f, block: -1}
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
		align: int64(d.Spec.Alignment()), size: int64(d.Spec.SizeOf(v)),
	}
	if v.Init != "" {
		s.init = "= " + string(ptx.AppendTokens(nil, v.Init))
	}
	return s
}

// mentioned notes what is used: extern variables always, which objects keep though no
// code mentions them, and functions where code mentions them that the assembler keeps.
// The graph has the functions that it keeps, without numbers and prototypes.
func mentioned(m *ptx.Module, byName map[string]*site, aliases map[string]string) *graph {
	for _, s := range byName {
		s.used = s.used || s.class == variable && !s.defined
	}
	bodies := make(map[string]*ptx.Func)
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok && f.HasBody {
			bodies[f.Name] = f
		}
	}
	g := &graph{}
	index := make(map[string]int)
	at := func(name string) int {
		i, ok := index[name]
		if !ok {
			i = len(g.funcs)
			index[name] = i
			g.funcs = append(g.funcs, node{elsewhere: true, Func: unknown(name)})
		}
		return i
	}
	var queue []*ptx.Func
	visit := func(f *ptx.Func) {
		n := &g.funcs[at(f.Name)]
		if n.elsewhere {
			s := byName[f.Name]
			n.elsewhere, n.Kernel, n.weak, n.local = false, f.Entry, s != nil && s.weak, s == nil || s.local
			queue = append(queue, f)
		}
	}
	taken := make(map[string]bool) // aliases
	// note notes the names in a text: where caller calls them, and otherwise, with a
	// caller of -1, where something takes their address.
	note := func(caller int, text string) {
		for name := range ptx.TextNames(text) {
			s := byName[name]
			if s != nil {
				s.used = true
			}
			by := ""
			if of, ok := aliases[name]; ok {
				name, by = of, name
			}
			switch f := bodies[name]; {
			case f != nil:
				visit(f)
			case s == nil || s.class == variable:
				continue
			}
			to := at(name)
			switch {
			case caller < 0:
				g.funcs[to].Pointed, g.funcs[to].Named = []string{""}, true
				taken[by] = true
			case by == "" || g.funcs[to].elsewhere:
				g.funcs[caller].calls = append(g.funcs[caller].calls, name)
			default:
				g.funcs[caller].calls = append(g.funcs[caller].calls, by)
			}
		}
	}
	// mark notes what code names that the assembler leaves out, too: objects record the prototypes of all, and need the
	// definitions of those whose address is taken.
	mark := func(how use, text string) {
		for name := range ptx.TextNames(text) {
			if s := byName[name]; s != nil {
				s.named, s.pointed, s.used = true, s.pointed || how == address, s.used || how == address
			}
		}
	}
	for _, it := range m.Items {
		switch it := it.(type) {
		case *ptx.Decl:
			body.Values(it, func(text string, _ diag.Pos) {
				mark(address, text)
				note(-1, text)
			})
		case *ptx.Func:
			uses(it, mark)
			if it.HasBody && byName[it.Name] != nil {
				visit(it)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		caller := at(queue[0].Name)
		uses(queue[0], func(how use, text string) {
			switch how {
			case address:
				note(-1, text)
			case callee:
				note(caller, text)
			case pointer:
				g.funcs[caller].Indirect = []string{""}
			case listed:
				for name := range ptx.TextNames(text) { // an object has nothing of one that only a list names and no body here defines
					if bodies[name] != nil || aliases[name] != "" {
						note(-1, name)
					}
				}
			}
		})
	}
	for name, of := range aliases {
		if i, ok := index[of]; ok && !g.funcs[i].elsewhere {
			g.funcs[i].Aliases = append(g.funcs[i].Aliases, &Alias{Name: name, local: g.funcs[i].local, Pointed: taken[name]})
		}
	}
	for i := range g.funcs {
		slices.SortFunc(g.funcs[i].Aliases, func(a, b *Alias) int { return cmp.Compare(a.Name, b.Name) })
	}
	return g
}
