package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/prose"
)

// A linker holds what is chosen for one architecture against each other.
type linker struct {
	arch   string
	names  map[string]*name
	order  []*name
	list   []finding
	counts Counts
	bases  map[string]*name // what is defined, by the names without what C++ makes of them; nil: not asked yet
	differ map[string]bool  // names that files differ on
	placed map[*form]map[diag.Pos]*site
	dead   map[string]bool // names that nothing defines, and that no code that is kept calls
	old    bool            // nvlink 11.8 may link the set
}

// A finding is a diagnostic with the unit that it is about.
type finding struct {
	*diag.Diagnostic
	rank  int
	archs []string // for which it holds; nil: for the files as such
}

// finding is a diagnostic about a unit.
func (u *unit) finding(sev diag.Severity, code diag.Code, format string, args ...any) finding {
	return finding{Diagnostic: &diag.Diagnostic{File: u.name, Severity: sev, Code: code, Msg: fmt.Sprintf(format, args...)}, rank: u.rank}
}

// A name is what units say of one.
type name struct {
	name  string
	sites []*site // one of each unit
	first *site   // the first definition, else the first that is used, else the first of all
}

func (l *linker) add(s *site) {
	n := l.names[s.name]
	switch {
	case n == nil:
		n = &name{name: s.name, first: s}
		l.names[s.name] = n
		l.order = append(l.order, n)
	case s.local:
		return
	case n.first.local && s.kind != Header:
		n.sites, n.first = nil, s
	}
	n.sites = append(n.sites, s)
	if s.defined && (!n.first.defined || n.first.weak && !s.weak) || n.first.idle() && !s.idle() {
		n.first = s
	}
}

// report adds a diagnostic about a site, with the one that it differs from.
func (l *linker) report(s, other *site, code diag.Code, sev diag.Severity, format string, args ...any) {
	d := s.unit.finding(sev, code, format, args...)
	d.Pos = s.pos
	if code == check.MismatchedModules {
		d.Msg = optimised(d.Msg, s, other)
	}
	if other != nil {
		what := "declared here"
		if other.defined {
			what = "defined here"
		}
		d.Related = []diag.Related{{File: other.unit.name, Pos: other.pos, Msg: what}}
	}
	l.list = append(l.list, d)
}

// optimised says of a difference of two functions that is refused what becomes of modules of LLVM: as LTO-IR, nvJitLink 12.9 takes other
// numbers, sizes and classes of formals and results, and reports nothing. It refuses variables like other linkers.
func optimised(msg string, a, b *site) string {
	if b == nil || !a.ir && !b.ir || a.class != function || b.class != function {
		return msg
	}
	return strings.Replace(msg, "the linker refuses it", "the linker refuses it as PTX and, as LTO-IR, takes it and passes other values", 1)
}

// compare looks at every name that is known to more than one unit, and at those that
// nothing defines.
func (l *linker) compare(whole bool) {
	for _, n := range l.order {
		l.definitions(n, whole)
		if len(n.sites) < 2 {
			continue
		}
		l.counts.Shared++
		before := len(l.list)
		for _, s := range n.sites {
			if s != n.first {
				l.pair(n, n.first, s)
			}
		}
		if len(l.list) > before {
			l.differ[n.name] = true
		}
		l.unknown(n)
	}
}

// unknown counts what could not be compared of a function.
func (l *linker) unknown(n *name) {
	for _, s := range n.sites {
		if s.class == function && s.proto == "" {
			l.counts.Formals++
			return
		}
	}
	for _, s := range n.sites {
		if s.class == function && s.fn == nil && strings.ContainsAny(s.proto, "0123456789") {
			l.counts.Alignments++
			return
		}
	}
}

// system are functions that programs have without any file that defines them.
var system = []string{
	"vprintf", "vfprintf", "malloc", "free", "__assertfail", "cnpGetParameterBuffer", "__cuda_syscall_cp_async", "__nv_get_device_id",
}

// provided reports whether a linker needs no definition of a name: of those, and of the
// tables of functions and data that all code of sm_90 and later shares, and of names of
// sections.
func provided(name string) bool {
	return slices.Contains(system, name) || strings.HasPrefix(name, "__UFT") || strings.HasPrefix(name, "__UDT") || strings.HasPrefix(name, ".nv.")
}

// libdevice begins the names of functions that modules of LLVM are linked with before there is PTX.
const libdevice = "__nv_"

// definitions finds names that are defined more than once, or not at all.
func (l *linker) definitions(n *name, whole bool) {
	var strong *site
	for _, s := range n.sites {
		switch {
		case !s.defined || s.weak || s.common || s.kind == Header:
		case strong == nil:
			strong = s
		case s.unit.library && strong.unit.library:
			l.report(s, strong, check.RepeatedDefinition, diag.Error, "%s is defined here and in another member of a library; the linker takes all members, and refuses it", n.name)
		default:
			l.report(s, strong, check.RepeatedDefinition, diag.Error, "%s is defined here and in another file; the linker refuses it: make one .weak, or hide it (static, or without .visible)", n.name)
		}
	}
	if n.first.defined || provided(n.name) || l.dead[n.name] {
		return
	}
	if one := n.sites[0]; one.space == "shared" && one.size == 0 {
		return // the memory that a launch gives: what later files say of it is no more than that
	}
	for _, s := range n.sites {
		if s.used && s.kind != Header && !(s.ir && strings.HasPrefix(s.name, libdevice)) {
			l.counts.Missing++
			if whole {
				l.report(s, nil, check.MissingDefinition, diag.Warning, "%s is defined in none of the files; the linker refuses that%s", n.name, l.spelt(n.name))
			}
			return
		}
	}
}

// pair holds two sites of one name against each other.
func (l *linker) pair(n *name, a, b *site) {
	switch {
	case a.class != b.class && b.idle():
		l.idle(n, a, b, fmt.Sprintf("%s here, %s there", b.class, a.class))
	case a.class != b.class:
		code := check.MismatchedModules
		if a.class == variable || b.class == variable {
			code = MismatchedVariable
		}
		l.report(b, a, code, diag.Error, "%s is %s here and %s there; the linker refuses it", n.name, b.class, a.class)
	case a.class == variable:
		l.variables(n, a, b)
	case a.class == kernel:
		l.kernels(n, a, b)
	default:
		l.functions(n, a, b)
	}
}

// functions holds two declarations of a function against each other. Two texts are
// package check's business.
func (l *linker) functions(n *name, a, b *site) {
	if a.fn != nil && b.fn != nil {
		return
	}
	x, y, ok := prototypesOf(a, b)
	if !ok {
		return
	}
	switch d := x.difference(y, b.fn); {
	case d == "":
	case b.idle():
		l.idle(n, a, b, d)
	case a.defined && (b.pointed && a.unit.rank < b.unit.rank || a.pointed && b.unit.rank < a.unit.rank):
		l.report(b, a, check.SilentMismatch, diag.Error, "files differ on %s: %s; the linker takes it, since the later file takes its address, and a call by this declaration passes other arguments: make the declarations equal", n.name, d)
	case byteFirst(a, b):
		l.report(b, a, check.SilentMismatch, diag.Error, "files differ on %s: %s; %s", n.name, d, byteText)
	default:
		l.report(b, a, check.MismatchedModules, diag.Error, "files differ on %s: %s; the linker refuses it%s: make the declarations equal", n.name, d, x.friend(y))
	}
}

// idle reports a difference of a declaration that its text does not use.
func (l *linker) idle(n *name, a, b *site, differ string) {
	l.report(b, a, check.LooseDeclaration, diag.Warning, "files differ on %s: %s; nothing here uses it, so that the linker does not see it: make the declarations equal all the same", n.name, differ)
}

// byteText is what is said where [byteFirst] holds.
const byteText = "the linkers take it where the file with one byte comes first, as here, and passes other bytes: make the declarations equal"

// byteFirst reports whether two prototypes differ in nothing but arrays of bytes of
// which the first file's have one byte. An empty record is passed as one, and the
// linkers take that for every size; in the other order they do not. The probe is bytes.
func byteFirst(a, b *site) bool {
	if a.unit.rank > b.unit.rank {
		a, b = b, a
	}
	one, other, ok := prototypesOf(a, b)
	if !ok || len(one.results) != len(other.results) || len(one.params) != len(other.params) || one.kept != other.kept || one.keeps != other.keeps {
		return false
	}
	found, rest := false, other.values()
	for i, x := range one.values() {
		switch y := rest[i]; {
		case x == y:
		case x.Element == 'b' && x.Count == 1 && y.Element == 'b' && y.Count > 1:
			found = true
		default:
			return false
		}
	}
	return found
}

// silentKernels is the first architecture for which the linkers do not compare the
// sizes of parameters of weak kernels.
const silentKernels = 100

// kernels holds two of one name against each other: two weak definitions, or a
// declaration and a definition, or the declaration by which a kernel is launched and that kernel.
func (l *linker) kernels(n *name, a, b *site) {
	if a.block < 0 || b.block < 0 {
		return
	}
	then := "the linker takes it, and the first definition"
	if b.kind == Header {
		then = "a launch by this declaration passes others"
	}
	switch {
	case b.idle():
		if a.block != b.block || len(a.params) != len(b.params) {
			l.idle(n, a, b, fmt.Sprintf("%s of %d bytes here, %d of %d there", prose.Count(len(b.params), "parameter"), b.block, len(a.params), a.block))
		}
	case len(a.params) != len(b.params) && (b.kind == Header || a.block == b.block):
		l.report(b, a, check.SilentMismatch, diag.Error, "files differ on the kernel %s: %s here, %d there; %s%s", n.name, prose.Count(len(b.params), "parameter"), len(a.params), then, triton(a, b))
	case b.kind == Header || a.block == b.block:
		l.moved(n, a, b, then)
	case archOf(l.arch).SM < silentKernels:
		l.report(b, a, check.MismatchedModules, diag.Error, "files differ on the kernel %s: %d bytes of parameters here, %d there; the linker refuses it%s", n.name, b.block, a.block, triton(a, b))
	default:
		l.report(b, a, check.SilentMismatch, diag.Error, "files differ on the kernel %s: %d bytes of parameters here, %d there; %s%s", n.name, b.block, a.block, then, triton(a, b))
	}
}

// moved reports the first parameter that is not where the other file has it; then says what
// that leads to.
func (l *linker) moved(n *name, a, b *site, then string) {
	for i := range a.params {
		if x, y := a.params[i], b.params[i]; x.Offset != y.Offset || x.Size != y.Size {
			l.report(b, a, check.SilentMismatch, diag.Error, "files differ on the kernel %s: parameter %d has %d bytes at offset %d here, %d at %d there; %s",
				n.name, i, y.Size, y.Offset, x.Size, x.Offset, then)
			return
		}
	}
}

// variables holds two declarations of a variable against each other.
func (l *linker) variables(n *name, a, b *site) {
	refuse := func(format string, args ...any) {
		l.report(b, a, MismatchedVariable, diag.Error, "files differ on %s: %s; the linker refuses it: make the declarations equal", n.name, fmt.Sprintf(format, args...))
	}
	switch {
	case a.space != "" && b.space != "" && a.space != b.space:
		refuse("it is .%s here and .%s there", b.space, a.space)
		return
	case a.managed != b.managed:
		refuse("it is managed in one of them alone")
		return
	case a.size != b.size && n.sites[0].size == 0 && a.defined && b.size != 0 && !b.defined && b.unit.rank < a.unit.rank:
		l.report(b, a, MismatchedVariable, diag.Error, "files differ on %s: %s here, %d there; the linker takes it, since a file before these has no extent of it, and places the definition: make the declarations equal", n.name, prose.Count(int(b.size), "byte"), a.size)
		return
	case a.size != b.size && a.size != 0 && b.size != 0 && !larger(a, b):
		refuse("%s here, %d there", prose.Count(int(b.size), "byte"), a.size)
		return
	}
	l.mixed(n, a, b)
	if a.defined && !a.common && !b.defined && b.align > a.align && a.align > 0 {
		l.report(b, a, MisalignedVariable, diag.Error, "%s is aligned to %d bytes here, and its definition to %d; the linker takes it, and places it by its definition", n.name, b.align, a.align)
	}
	if a.weak && b.weak && a.defined && b.defined && a.init != "" && b.init != "" && a.init != b.init && !a.ir && !b.ir && (a.kind == Object) == (b.kind == Object) {
		l.report(b, a, DifferentValue, diag.Warning, "%s has other initial values here than there; the linker takes those of the first file", n.name)
	}
}

// idle reports whether s is a declaration of a function that its text does not use: objects made of
// it show nothing of it. They show variables that are not used.
func (s *site) idle() bool {
	return s.kind == Text && s.class != variable && !s.named && !s.defined
}

// mixed reports a common variable beside another definition, where the linkers refuse them or crash. Measured with
// nvlink 11.8, 12.4 and 13.5, sizes of 8 and 16 bytes, in both orders.
func (l *linker) mixed(n *name, a, b *site) {
	first, other := a, b
	if b.unit.rank < a.unit.rank {
		first, other = b, a
	}
	if !first.defined || !other.defined || first.common == other.common || first.kind == Header || other.kind == Header {
		return
	}
	def, fixed := other, "put this file first"
	if other.common {
		def = first
	}
	switch {
	case first.common && def.weak && def.init != "":
		l.report(other, first, check.RepeatedDefinition, diag.Error, "%s is .weak here, with an initial value, and .common in a file before it; the linkers crash on that: %s", n.name, fixed)
	case first.common && def.weak:
		l.report(other, first, check.RepeatedDefinition, diag.Warning, "%s is .weak here, and .common in a file before it; nvlink 13.5 crashes on that, and 11.8 and 12.4 take it: %s", n.name, fixed)
	case other.common && !def.weak && def.init == "":
		l.report(other, first, check.RepeatedDefinition, diag.Warning, "%s is .common here, and defined without an initial value by a file before it; linkers up to 12.4 refuse that, and 13.5 takes it: %s", n.name, fixed)
	}
}

// larger reports whether sizes that differ are those of common variables, of which the
// largest is taken, or of a definition with an initial value that is larger than a common one.
func larger(a, b *site) bool {
	switch {
	case a.common && b.common:
		return true
	case a.common:
		return b.defined && b.size > a.size && b.init != ""
	case b.common:
		return a.defined && a.size > b.size && a.init != ""
	}
	return false
}
