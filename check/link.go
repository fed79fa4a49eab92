package check

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Link returns the diagnostics about functions that several modules declare, in
// the order of the modules and of positions. [Module] returns those about each module by
// itself.
//
// NVIDIA's linker compares number, size, extent and class of formals. It ignores
// differences in alignment, sign and space, with which caller and callee may use
// different places for a value. A nil module is an error without a place.
func Link(mods []*ptx.Module) diag.List {
	if i := slices.Index(mods, nil); i >= 0 {
		return diag.List{{Msg: fmt.Sprintf("no module at index %d", i)}}
	}
	l := &linker{byName: make(map[string]*linked), lists: make([]diag.List, len(mods))}
	for i, m := range mods {
		l.add(m, i)
	}
	for _, s := range l.sites {
		if s.f.Entry && s.f.HasBody || slices.ContainsFunc(s.mentions, func(m mention) bool { return m.by == nil }) {
			s.keep()
		}
	}
	for _, s := range l.order {
		l.check(s)
	}
	return l.sorted()
}

type linker struct {
	byName map[string]*linked
	order  []*linked
	sites  []*site
	lists  []diag.List // of each module
}

// A linked is a function that modules share under one name.
type linked struct {
	name  string
	first *site // the first definition, else the first declaration that is used, else the first
	sites []*site
}

// A site is a function as one module declares and uses it.
type site struct {
	m        *ptx.Module
	rank     int
	f        *ptx.Func // the definition if there is one, otherwise a declaration
	used     diag.Pos  // of the first mention in a body, reached or not, or in an initial value
	called   bool      // a body calls it by its name
	group    *linked   // nil if other modules cannot see it
	mentions []mention // in the order of the text
	callees  []*site   // in its own module
	kept     bool      // the linkers keep its code: it is a kernel, one reaches it by calls, or its address is taken
}

// A mention is a place where a module needs the definition of a function.
type mention struct {
	pos diag.Pos
	by  *site // the caller; nil if the address is taken: the linkers then keep the function
}

// idle reports whether s is a declaration that its module does not use, so that an object made of the module
// has no trace of it. A mention in a body counts as a use, even if nothing reaches the body.
func (s *site) idle() bool { return !s.f.HasBody && !s.used.IsValid() }

// pointed reports whether a module takes the address of a function. Its object then does not record the prototype by which
// the module calls the function.
func (s *site) pointed() bool {
	return s.used.IsValid() && (!s.called || slices.ContainsFunc(s.mentions, func(m mention) bool { return m.by == nil }))
}

// add records the functions of a module, and groups those that other modules can see.
func (l *linker) add(m *ptx.Module, rank int) {
	sites := make(map[string]*site)
	var order []string
	note := func(f *ptx.Func) {
		s := sites[f.Name]
		if s == nil {
			sites[f.Name] = &site{m: m, rank: rank, f: f}
			order = append(order, f.Name)
		} else if f.HasBody && !s.f.HasBody {
			if f.Linkage == ptx.NoLinkage {
				f = withLinkage(f, s.f.Linkage)
			}
			s.f = f
		}
	}
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		note(f)
		for _, st := range f.Body {
			if inner, ok := st.(*ptx.Func); ok {
				note(inner)
			}
		}
	}
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Directive); ok && d.Name == ".alias" {
			define(d, sites)
		}
	}
	mentions(m, sites)
	for _, name := range order {
		s := sites[name]
		l.sites = append(l.sites, s)
		if s.f.Linkage == ptx.NoLinkage || builtin(name) {
			continue // other modules do not see it
		}
		g := l.byName[name]
		if g == nil {
			g = &linked{name: name, first: s}
			l.byName[name] = g
			l.order = append(l.order, g)
		}
		g.sites = append(g.sites, s)
		s.group = g
		if s.f.HasBody && !g.first.f.HasBody || g.first.idle() && !s.idle() {
			g.first = s
		}
	}
}

// define makes the declaration of an alias a definition. For the linker it has the linkage
// of its aliasee, not its own.
func define(d *ptx.Directive, sites map[string]*site) {
	name, of, ok := resolve.AliasNames(d)
	s, target := sites[name], sites[of]
	if !ok || s == nil || target == nil || s.f.HasBody || !target.f.HasBody {
		return
	}
	s.f = withLinkage(s.f, target.f.Linkage)
	s.f.HasBody = true
	s.callees = append(s.callees, target)
}

// keep records that the linkers keep a function, and all functions that it calls, in all modules.
func (s *site) keep() {
	if s.kept {
		return
	}
	s.kept = true
	for _, to := range s.callees {
		to.keep()
	}
	if s.group != nil {
		for _, same := range s.group.sites {
			same.keep()
		}
	}
}

func withLinkage(f *ptx.Func, link ptx.Linkage) *ptx.Func {
	with := *f
	with.Linkage = link
	return &with
}

// mentions records the places where bodies and initial values call functions or take their addresses.
func mentions(m *ptx.Module, sites map[string]*site) {
	note := func(name string, pos diag.Pos, by *site) {
		s := sites[name]
		if s == nil {
			return
		}
		if !s.used.IsValid() {
			s.used = pos
		}
		s.mentions = append(s.mentions, mention{pos, by})
		if by != nil {
			by.callees = append(by.callees, s)
		}
	}
	initial := func(v *ptx.Var) {
		for name := range ptx.TextNames(v.Init) {
			note(name, v.Pos, nil)
		}
	}
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Decl); ok {
			for i := range d.Vars {
				initial(&d.Vars[i])
			}
		}
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		own := sites[f.Name]
		named := sync.OnceValue(func() map[*ptx.Var]bool {
			all := make(map[*ptx.Var]bool)
			for _, sym := range body.New(f, f.Body, false).Syms {
				all[sym.Var] = sym.Mentioned
			}
			return all
		})
		for _, st := range f.Body {
			switch st := st.(type) {
			case *ptx.Decl: // an object does not have a variable that no statement of its body names
				for i := range st.Vars {
					if v := &st.Vars[i]; v.Init != "" && named()[v] {
						initial(v)
					}
				}
			case *ptx.Call:
				note(st.Callee.Name(), st.Pos, own)
				if s := sites[st.Callee.Name()]; s != nil {
					s.called = true
				}
				for o := range ptx.Names(st.Params) {
					note(o.Name(), st.Pos, nil)
				}
			case *ptx.TargetList: // an object does not have a function that only a list names and the module does not define
				for i := range st.Names {
					if s := sites[st.Names[i].Text]; s != nil && s.f.HasBody {
						note(st.Names[i].Text, st.Names[i].Pos, nil)
					} else if s != nil && !s.used.IsValid() {
						s.used = st.Names[i].Pos
					}
				}
			case *ptx.Instr:
				if strings.HasPrefix(st.Op, "mov") {
					for o := range ptx.Names(st.Ops()) {
						note(o.Name(), st.Pos, nil)
					}
				}
			}
		}
	}
}

// check compares every site of a function with the definition, or with the
// first declaration, and checks that there is one definition.
func (l *linker) check(g *linked) {
	var defs, weak int
	for _, s := range g.sites {
		if s.f.HasBody && s.f.Linkage == ptx.Weak {
			weak++
		}
		if s.f.HasBody && s.f.Linkage != ptx.Weak {
			if defs++; defs > 1 {
				l.addf(s, RepeatedDefinition, diag.Error, s.f.NamePos, g.first, "%s is defined here and in another module; make one .weak, or drop .visible", g.name)
			}
		}
	}
	if defs+weak == 0 {
		for _, s := range g.sites {
			i := slices.IndexFunc(s.mentions, func(m mention) bool { return m.by == nil || m.by.kept })
			if i >= 0 {
				l.addf(s, MissingDefinition, diag.Warning, s.mentions[i].pos, nil, "%s is defined in none of the modules; link the one that does", g.name)
				break
			}
		}
	}
	for _, s := range g.sites {
		if s != g.first {
			l.compare(g, s)
		}
	}
}

// compare reports the first difference between two declarations.
func (l *linker) compare(g *linked, s *site) {
	a, b := g.first.f, s.f
	if a.Entry != b.Entry {
		what := g.name + " is a kernel in one module and a function in the other"
		if s.idle() {
			l.addf(s, LooseDeclaration, diag.Warning, b.NamePos, g.first, "%s; %s", what, idleText)
		} else {
			l.addf(s, MismatchedModules, diag.Error, b.NamePos, g.first, "%s", what)
		}
		return
	}
	if !resolve.NewFunction(nil, a).Known() || !resolve.NewFunction(nil, b).Known() {
		return // a formal is not known
	}
	if a.HasBody && !b.HasBody && a.Directive(".noreturn") == nil && b.Directive(".noreturn") != nil {
		l.lost(g, s)
	}
	diff := differ(a, b, "before", "here")
	if kept := keepDiffers(a, b); kept != "" && (diff == "" || linkerTakesFormals(a, b)) {
		diff = kept
	}
	if diff == "" {
		return
	}
	diff = strings.ReplaceAll(strings.ReplaceAll(diff, " before", " there"), "  ", " ")
	if s.idle() {
		l.addf(s, LooseDeclaration, diag.Warning, b.NamePos, g.first, "modules differ on %s: %s; %s", g.name, diff, idleText)
		return
	}
	if !linkerTakes(a, b) && a.HasBody && (s.pointed() && g.first.rank < s.rank || g.first.pointed() && s.rank < g.first.rank) {
		l.addf(s, SilentMismatch, diag.Error, b.NamePos, g.first, "modules differ on %s: %s; the linker takes it, since the later module takes its address, and a call by this declaration passes other arguments: make them equal", g.name, diff)
		return
	}
	if !linkerTakes(a, b) {
		l.addf(s, MismatchedModules, diag.Error, b.NamePos, g.first, "modules differ on %s: %s; the linker refuses it%s: make them equal", g.name, diff, convention(a, b))
		return
	}
	if moved := movedValue(a, b); moved != "" {
		l.addf(s, SilentMismatch, diag.Error, b.NamePos, g.first, "modules differ on %s: %s; the linker takes it, and %s: make them equal", g.name, diff, moved)
	} else {
		l.addf(s, LooseDeclaration, diag.Warning, b.NamePos, g.first, "modules differ on %s: %s; the linker takes it, and every value is in the same place: make them equal all the same", g.name, diff)
	}
}

// lost reports a declaration with .noreturn of a function whose definition returns.
func (l *linker) lost(g *linked, s *site) {
	if s.called {
		l.addf(s, LostReturn, diag.Error, s.f.NamePos, g.first, "%s is .noreturn here, and its definition is not; the linker takes it, and callers have left out the code after the call", g.name)
		return
	}
	l.addf(s, LooseDeclaration, diag.Warning, s.f.NamePos, g.first, "%s is .noreturn here, and its definition is not; nothing here calls it by its name: make the declarations equal all the same", g.name)
}

// idleText ends the message about a difference of an idle declaration. Measured with nvlink 11.8 to 13.5.
const idleText = "nothing here uses it, so that the linker does not see it: make them equal all the same"

// convention explains a difference by the ways in which two languages pass the same values; "" if it has no explanation.
func convention(a, b *ptx.Func) string {
	values := func(list []ptx.Formal) (out []string) {
		for i := range list {
			f := &list[i]
			element := map[int]string{1: "b", 2: "h", 4: "i", 8: "l", 16: "x"}[f.Size()]
			switch {
			case len(f.Dims) > 0 || f.Vec != 0:
				element = sprintf("b%d", f.Size())
			case f.Type == ptx.F32:
				element = "f"
			case f.Type == ptx.F64:
				element = "d"
			}
			out = append(out, element)
		}
		return out
	}
	return prose.Convention(values(a.Results), values(a.Params), values(b.Results), values(b.Params))
}

// linkerTakes reports whether NVIDIA's linker accepts two declarations of one
// function. The registers that a function preserves are part of its type: nvlink 13.0, 13.4 and 13.5
// require the same directive, even one that changes nothing, such as .abi_preserve_control 6.
func linkerTakes(a, b *ptx.Func) bool { return linkerTakesFormals(a, b) && keepDiffers(a, b) == "" }

// linkerTakesFormals is linkerTakes for the formals alone: it compares number,
// class, size and extent.
func linkerTakesFormals(a, b *ptx.Func) bool {
	if len(a.Params) != len(b.Params) || len(a.Results) != len(b.Results) {
		return false
	}
	return slices.EqualFunc(formalsOf(a), formalsOf(b), linkerTakesFormal)
}

// linkerTakesFormal reports the same for two formals. A vector counts as bits of its size,
// whatever its elements are: .v2 .f32 goes with .b64 and .v4 .b16, and not with .f64.
// Measured with nvlink 11.8, 12.4, 12.8, 12.9, 13.0, 13.4 and 13.5.
func linkerTakesFormal(a, b *ptx.Formal) bool {
	float := func(f *ptx.Formal) bool { return f.Vec == 0 && (f.Type == ptx.F32 || f.Type == ptx.F64) }
	return float(a) == float(b) && (a.Type == ptx.Pred) == (b.Type == ptx.Pred) &&
		a.Spec.ElemSize() == b.Spec.ElemSize() && (len(a.Dims) > 0) == (len(b.Dims) > 0) &&
		a.Var.Unsized() == b.Var.Unsized() && a.Size() == b.Size()
}

func knowsPreserve(t *abi.Target) bool { return t.Passing.Preserving.Most > 0 }

// movedValue returns, in words, the first value that two declarations put in different places, though the linker accepts
// them; or the first for which the definition, a, relies on more alignment than a caller by b gives; "" if there is none.
func movedValue(a, b *ptx.Func) string {
	sa, sb := resolve.NewFunction(nil, a).Signature(), resolve.NewFunction(nil, b).Signature()
	target := abi.Targets()[0] // all targets with the directive have the same assignments
	if i := slices.IndexFunc(abi.Targets(), knowsPreserve); sa.Preserve.Given && i >= 0 {
		target = abi.Targets()[i]
	}
	x, err := abi.Assign(sa, target)
	if err != nil {
		return ""
	}
	y, err := abi.Assign(sb, target)
	if err != nil {
		return ""
	}
	for i := range x.Params {
		if x.Params[i].Loc != y.Params[i].Loc {
			return sprintf("%s is at %s for one module and at %s for the other", ordinal(b, len(b.Results)+i), x.Params[i].Loc, y.Params[i].Loc)
		}
	}
	for i := range x.Results {
		if x.Results[i].Loc != y.Results[i].Loc {
			return sprintf("the result is at %s for one module and at %s for the other", x.Results[i].Loc, y.Results[i].Loc)
		}
	}
	if !a.HasBody {
		return ""
	}
	// The definition may rely on more than a caller by the declaration gives.
	for i := range x.Results {
		if is, gives := x.Results[i].Align, y.Results[i].Align; x.Results[i].Loc.Kind == abi.Indirect && is > gives {
			return sprintf("the definition relies on an alignment of %s of the result's memory, and a caller by this declaration gives %d", prose.Count(is, "byte"), gives)
		}
	}
	for i := range x.Params {
		if is, gives := x.Params[i].Align, y.Params[i].Align; x.Params[i].Loc.Kind == abi.OnStack && is > max(gives, stackAlign) {
			return sprintf("the definition relies on an alignment of %s of %s on the stack, and a caller by this declaration gives %d", prose.Count(is, "byte"), ordinal(b, len(b.Results)+i), max(gives, stackAlign))
		}
	}
	return ""
}

// stackAlign is the alignment of the stack pointer at every call, in bytes: abi.Frame has it as a fact of
// each target. Executed with code of 11.8, 12.4 and 13.5, at -O0 and -O3.
const stackAlign = 8

func (l *linker) addf(s *site, code diag.Code, sev diag.Severity, pos diag.Pos, other *site, format string, args ...any) {
	e := &diag.Diagnostic{File: s.m.Name, Pos: pos, Severity: sev, Code: code, Msg: sprintf(format, args...)}
	if other != nil {
		what := "declared here"
		if other.f.HasBody {
			what = "defined here"
		}
		e.Related = []diag.Related{{File: other.m.Name, Pos: other.f.NamePos, Msg: what}}
	}
	l.lists[s.rank].Add(e)
}

// sorted returns the diagnostics in the order of the modules, which may share a
// name.
func (l *linker) sorted() diag.List {
	for _, list := range l.lists {
		list.Sort()
	}
	return slices.Concat(l.lists...)
}
