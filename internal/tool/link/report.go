package link

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
	"github.com/ptxabi/ptxabi/ptx"
)

// Format is the name and version of the JSON form.
const Format = "ptxabi.link/1"

// A Report says what linked files say against each other.
type Report struct {
	Format  string   `json:"format"`
	Targets []string `json:"targets"` // for which the files were held against each other
	// Assumed says that the facts of a target are those of another.
	Assumed bool   `json:"assumed,omitempty"`
	Files   []File `json:"files"`
	// Linker is the earliest release whose linker reads all objects, "12.4"; "" where none
	// says of which release it is.
	Linker string    `json:"linker,omitempty"`
	Counts Counts    `json:"counts"`
	Diags  diag.List `json:"-"`
}

// A File is a module that takes part.
type File struct {
	Name    string   `json:"name"`
	Kinds   []Kind   `json:"kinds"`
	Targets []string `json:"targets"` // of its images
	// Functions and Variables count the names that other files can see, of the image for
	// the first of the report's targets.
	Functions int `json:"functions"`
	Variables int `json:"variables"`
}

// Counts say how much was compared, for the target that has most of it.
type Counts struct {
	Shared  int `json:"shared"`  // names that two or more files know
	Differ  int `json:"differ"`  // of these, with a diagnostic
	Missing int `json:"missing"` // names that a file needs and none defines
	// Formals counts functions known to several files one of which says nothing of their
	// formals, Alignments those with an array whose alignment one of them does not record.
	Formals    int `json:"formalsUnknown"`
	Alignments int `json:"alignmentsUnknown"`
	// LeftOut counts members of libraries that have nothing for the architecture.
	LeftOut int `json:"leftOut"`
	// Unread counts images that are neither cubins nor PTX, for link-time optimisation, and take no part.
	Unread int `json:"unread,omitempty"`
}

func (c *Counts) max(o Counts) {
	c.Shared, c.Differ, c.Missing = max(c.Shared, o.Shared), max(c.Differ, o.Differ), max(c.Missing, o.Missing)
	c.Formals, c.Alignments, c.LeftOut = max(c.Formals, o.Formals), max(c.Alignments, o.Alignments), max(c.LeftOut, o.LeftOut)
}

// Row is that of an architecture, nil if it is not known. One that was not measured has, where that is
// assumed, the facts of another.
func Row(arch string, assume bool) *abi.Target {
	get := abi.Lookup
	if assume {
		get = abi.Assume
	}
	t, err := get(arch)
	if err != nil {
		return nil
	}
	return t
}

// Report holds what the files say against each other, for a target or, for "", for each architecture that they
// may be linked for. Libraries may be missing.
func (s *Set) Report(target string) *Report {
	r := &Report{Format: Format, Files: []File{}, Targets: []string{}}
	archs := s.Archs(target)
	found := &findings{by: make(map[string]*finding)}
	r.Targets = append(r.Targets, s.takers(archs)...)
	if len(r.Targets) == 0 && len(archs) > 0 {
		r.Targets = append(r.Targets, s.mixed(archs, found))
	}
	s.releases(r, found)
	s.sizes(found)
	if len(r.Targets) == 0 {
		r.Targets = append(r.Targets, "")
	}
	for _, arch := range r.Targets {
		t := Row(arch, s.Assume)
		l := s.link(arch, t)
		found.add(arch, l.list...)
		r.Counts.max(l.counts)
		r.Assumed = r.Assumed || t != nil && t.AssumedFrom != ""
	}
	r.Counts.Unread = s.unread
	r.Diags = found.list(len(r.Targets))
	r.Targets = slices.DeleteFunc(r.Targets, func(t string) bool { return t == "" })
	for _, u := range s.units {
		r.Files = append(r.Files, u.describe())
	}
	return r
}

func (u *unit) describe() File {
	out := File{Name: u.name, Kinds: []Kind{}, Targets: []string{}}
	for i, f := range u.forms {
		if !slices.Contains(out.Kinds, f.shown()) {
			out.Kinds = append(out.Kinds, f.shown())
		}
		if f.arch != "" && f.kind != Header && !slices.Contains(out.Targets, f.arch) {
			out.Targets = append(out.Targets, f.arch)
		}
		if i > 0 {
			continue
		}
		for _, s := range f.sites {
			if s.class == variable {
				out.Variables++
			} else {
				out.Functions++
			}
		}
	}
	return out
}

// choose returns the form of a unit that goes into a program for an architecture, and
// its text if it has one beside; nil for a unit that has nothing for it.
func (u *unit) choose(arch string) (chosen, text *form) {
	if !u.links() {
		if len(u.forms) > 0 && u.forms[0].kind == Header {
			return u.forms[max(slices.IndexFunc(u.forms, func(f *form) bool { return f.arch == arch }), 0)], nil
		}
		return nil, nil
	}
	best := Refused
	var runs *form // PTX, of the latest architecture that runs
	for _, f := range u.forms {
		switch f.kind {
		case Text:
			if text == nil {
				text = f
			}
			if (arch == "" || f.ir || archOf(f.arch).RunsOn(archOf(arch)) == nil) && (runs == nil || archOf(f.arch).SM > archOf(runs.arch).SM) {
				runs = f
			}
		case Object:
			v := Joins(f.arch, arch)
			if f.arch == arch {
				v = Taken + 1
			}
			if v > best || v == best && chosen != nil && archOf(f.arch).SM > archOf(chosen.arch).SM {
				best, chosen = v, f
			}
		}
	}
	switch {
	case runs == nil:
		return chosen, text
	case chosen == nil || archOf(runs.arch).SM > archOf(chosen.arch).SM: // the latest wins, and at one architecture the object
		return runs, nil
	}
	return chosen, runs
}

// links reports whether a unit takes part in a link: programs do not, nor does the PTX
// of one.
func (u *unit) links() bool {
	part := false
	for _, f := range u.forms {
		switch f.kind {
		case Program:
			return false
		case Object, Text:
			part = true
		}
	}
	return part
}

// takers are the architectures for which the set is looked at: those that every unit
// has something for, but for members of libraries, which are left out where they have
// nothing. They are those for which all linkers take it, or else those for which some
// do. Where there is none, it is the one that most units have something for, if nothing
// but fatbins has to be left out; nil if a linker refuses the set.
func (s *Set) takers(archs []string) []string {
	var all, some []string
	best, most := "", -1
	for _, arch := range archs {
		least, count, bare := Taken, 0, true
		for _, u := range s.units {
			switch f, _ := u.choose(arch); {
			case !u.links():
			case f != nil:
				count++
				if f.kind == Object {
					least = min(least, Joins(f.arch, arch))
				}
			case !u.packed:
				bare = false
				least = Refused
			case !u.library:
				least = Refused
			}
		}
		switch {
		case count == 0:
			continue
		case least == Taken:
			all = append(all, arch)
		case least == Some:
			some = append(some, arch)
		}
		if bare && count >= most {
			best, most = arch, count
		}
	}
	switch {
	case all != nil:
		return all
	case some != nil:
		return some
	case best != "":
		return []string{best}
	}
	return nil
}

// mixed reports units that have nothing for the architecture that most have something
// for, the last of those, and that no linker leaves out. It returns that architecture.
func (s *Set) mixed(archs []string, m *findings) string {
	count := func(arch string) int {
		n := 0
		for _, u := range s.units {
			if f, _ := u.choose(arch); f != nil && u.links() && !u.packed {
				n++
			}
		}
		return n
	}
	best := archs[0]
	for _, arch := range archs {
		if count(arch) >= count(best) {
			best = arch
		}
	}
	for _, u := range s.units {
		if f, _ := u.choose(best); f == nil && u.links() && !u.packed {
			m.add("", u.finding(diag.Error, MixedTargets, "it has code for %s, which goes into no program for %s with the others; the linker refuses it", u.has(), best))
		}
	}
	return best
}

// has are the architectures that a unit has something for.
func (u *unit) has() string {
	var list []string
	for _, f := range u.forms {
		if !slices.Contains(list, f.arch) {
			list = append(list, f.arch)
		}
	}
	return strings.Join(list, ", ")
}

// releases finds objects that linkers refuse for the releases that made them.
func (s *Set) releases(r *Report, m *findings) {
	var latest cubin.Version
	var old, fresh *unit
	var oldV, freshV cubin.Version
	for _, u := range s.units {
		for _, f := range u.forms {
			if f.kind != Object {
				continue
			}
			if v := f.toolkit; v.Major > latest.Major || v.Major == latest.Major && v.Minor > latest.Minor {
				latest = v
			}
			switch v := f.toolkit; {
			case archOf(f.arch).SM != 90 || v == (cubin.Version{}):
			case v.Major < 12: // whose function pointers mean something else: nvlink from 12.4 on wants it to be compiled again
				old, oldV = u, v
			default:
				fresh, freshV = u, v
			}
		}
	}
	if latest != (cubin.Version{}) {
		r.Linker = latest.String()
	}
	if old == nil {
		return
	}
	d := old.finding(diag.Warning, MixedReleases, "made by ptxas %v for sm_90, whose function pointers differ from those of 12 and later; nvlink of 12 and later refuses it, nvJitLink 12.8 and 12.9 take it: compile it again", oldV)
	if fresh != nil {
		d.Severity, d.Related = diag.Error, []diag.Related{{File: fresh.name, Msg: fmt.Sprintf("made by ptxas %v", freshV)}}
	}
	m.add("", d)
}

// sizes finds units with addresses of another size than the first.
func (s *Set) sizes(m *findings) {
	var first *unit
	bits := 0
	for _, u := range s.units {
		for _, f := range u.forms {
			switch {
			case f.bits == 0 || f.kind == Program:
			case bits == 0:
				first, bits = u, f.bits
			case f.bits != bits:
				d := u.finding(diag.Error, MixedTargets, "addresses have %d bits here, %d there; the linker refuses it", f.bits, bits)
				d.Related = []diag.Related{{File: first.name, Msg: "the other one"}}
				m.add("", d)
				return
			}
		}
	}
}

// link holds what the units have for one architecture against each other.
func (s *Set) link(arch string, row *abi.Target) *linker {
	l := &linker{arch: arch, names: make(map[string]*name), differ: make(map[string]bool)}
	var chosen []*form
	var graphs []*graph
	own := make(map[string]*site) // the linkers look these up, too
	defines := false
	for _, u := range s.units {
		f, text := u.choose(arch)
		if f == nil {
			switch {
			case !u.links():
			case u.packed && u.library:
				l.counts.LeftOut++
			case u.packed:
				l.list = append(l.list, u.finding(diag.Warning, MixedTargets, "it has code for %s, and nothing for %s: nvlink leaves it out, nvJitLink refuses it", u.has(), arch))
			}
			continue
		}
		chosen = append(chosen, f)
		if f.kind == Object && Joins(f.arch, arch) == Some {
			l.list = append(l.list, u.finding(diag.Warning, MixedTargets, "it has code for %s, which the linkers of some releases take into a program for %s, and those of others refuse", f.arch, arch))
		}
		if f.graph != nil {
			graphs = append(graphs, f.graph)
		}
		with := make(map[string]*site)
		if text != nil && text != f { // the text of the object, which knows alignments
			for _, t := range text.sites {
				with[t.name] = t
			}
			if !slices.ContainsFunc(f.sites, func(one *site) bool { return with[one.name] != nil && with[one.name].proto != one.proto }) {
				chosen = append(chosen, text) // otherwise it is of another architecture
			}
		}
		if f.kind == Header {
			continue
		}
		defines = true
		if f.ir {
			parameters(f.text, row, f.sites)
		}
		for _, one := range f.sites {
			if o := own[one.name]; o != nil && !one.local && !one.idle() && one.class != variable && (one.class == kernel) != (o.class == kernel) {
				l.report(one, o, check.MismatchedModules, diag.Error, "%s is %s here, and %s that no other file sees in a file before this; the linker refuses it: put this file first", one.name, one.class, o.class)
			}
			if t := with[one.name]; t != nil && t.class == one.class && t.proto == one.proto {
				one.fn, one.pos = t.fn, diag.Pos{}
			}
			l.add(one)
		}
		for _, one := range f.own {
			if own[one.name] == nil {
				own[one.name] = one
			}
		}
	}
	l.declarations(s, row)
	l.old = !slices.ContainsFunc(chosen, func(f *form) bool {
		return f.ir || f.kind == Object && f.toolkit.Major != 11 || f.kind == Text && (f.text.Version.Major > 7 || f.text.Version.Major == 7 && f.text.Version.Minor > 8)
	})
	program := join(arch, graphs)
	l.dead = program.dead()
	l.compare(defines && !s.Partial)
	l.checked(chosen)
	l.registers(program)
	l.aliases(program)
	return l
}

// declarations adds what headers declare of names that modules or other headers know.
func (l *linker) declarations(s *Set, row *abi.Target) {
	if l.arch == "" { // without modules no parameter is for a target: places are the same for all, and the last has most room
		row = abi.Targets()[len(abi.Targets())-1]
	}
	var all []*site
	headers := make(map[string]int) // how many declare a name
	for _, u := range s.units {
		f, _ := u.choose(l.arch)
		if f == nil || f.kind != Header {
			continue
		}
		l.compiled(f.sites)
		parameters(f.text, row, f.sites)
		declared := make(map[string]bool)
		for _, one := range f.sites {
			if !declared[one.name] {
				headers[one.name]++
			}
			declared[one.name] = true
		}
		for _, one := range f.sites {
			if l.names[one.name] == nil {
				l.otherLanguage(one, declared)
			}
		}
		all = append(all, f.sites...)
	}
	for _, one := range all {
		if l.names[one.name] != nil || headers[one.name] > 1 {
			l.add(one)
		}
	}
}

// compiled makes the declarations of a header those of clang where the modules have these: nothing says which compiler reads a
// header.
func (l *linker) compiled(sites []*site) {
	equal := func(a, b ptx.Formal) bool {
		return a.SizeOf(&a.Var) == b.SizeOf(&b.Var) && a.Alignment() == b.Alignment() && (a.Dims == nil) == (b.Dims == nil)
	}
	for _, s := range sites {
		n := l.names[s.name]
		if n == nil || s.clang == nil {
			continue
		}
		clang := functionSite(s.clang, false)
		if fn := n.first.fn; fn == nil && clang.proto != n.first.proto || fn != nil && !(slices.EqualFunc(fn.Params, s.clang.Params, equal) && slices.EqualFunc(fn.Results, s.clang.Results, equal)) {
			continue
		}
		s.proto, s.fn.Params, s.fn.Results = clang.proto, s.clang.Params, s.clang.Results
	}
}

// checked adds what package check finds in texts.
func (l *linker) checked(chosen []*form) {
	byName := make(map[string]*form) // every text has a name of its own
	var texts []*ptx.Module
	for _, f := range chosen {
		if f.text != nil {
			texts = append(texts, f.text)
			byName[f.text.Name] = f
		}
	}
	for _, d := range check.Link(texts) {
		switch d.Code {
		case check.MismatchedModules, check.SilentMismatch, check.LooseDeclaration, check.LostReturn:
			f := byName[d.File]
			one := *d
			s := l.at(f, d.Pos)
			if s != nil {
				n := l.names[s.name] // nil: the objects of the texts have nothing of it
				if n != nil && slices.ContainsFunc(n.sites, func(o *site) bool { return o.class == kernel && o.block >= 0 }) {
					continue // which was looked at already
				}
				l.differ[s.name] = true
			}
			if s != nil && d.Code == check.MismatchedModules && len(d.Related) > 0 {
				if other := byName[d.Related[0].File]; other != nil {
					switch o := l.at(other, d.Related[0].Pos); {
					case o == nil:
					case byteFirst(o, s):
						one.Code = check.SilentMismatch
						what, _, _ := strings.Cut(d.Msg, "the linker refuses it")
						one.Msg = what + byteText
					default:
						one.Msg = optimised(d.Msg, s, o)
					}
				}
			}
			l.list = append(l.list, finding{Diagnostic: &one, rank: f.unit.rank})
		}
	}
	l.counts.Differ = len(l.differ)
}

// at is the site of a form at a position; nil if there is none.
func (l *linker) at(f *form, pos diag.Pos) *site {
	if l.placed == nil {
		l.placed = make(map[*form]map[diag.Pos]*site)
	}
	sites := l.placed[f]
	if sites == nil {
		sites = make(map[diag.Pos]*site)
		for _, s := range f.sites {
			sites[s.pos] = s
		}
		l.placed[f] = sites
	}
	return sites[pos]
}

// registers finds functions that need more registers than a kernel leaves them.
func (l *linker) registers(p *Linked) {
	for _, k := range p.Funcs {
		if !k.Kernel || k.Limit == 0 {
			continue
		}
		most, path := p.MostRegs(k)
		if most == nil || most.Regs <= k.Limit {
			continue
		}
		rank := 0
		var names []string
		for _, f := range path {
			names = append(names, f.Name)
		}
		n := l.names[most.Name]
		d := &diag.Diagnostic{File: k.File, Code: RegisterLimit, Msg: fmt.Sprintf("the kernel %s allows each thread %d registers, and %s needs %d (%s); the linker refuses it: compile that function with fewer, or allow the kernel more",
			k.Name, k.Limit, most.Name, most.Regs, strings.Join(names, " → "))}
		if n != nil {
			rank = n.first.unit.rank
			d.Related = []diag.Related{{File: most.File, Msg: "defined here"}}
		}
		l.list = append(l.list, finding{Diagnostic: d, rank: rank})
	}
}

// aliases finds functions and their aliases of which one is used and the other is not:
// no kernel reaches it, and nothing takes its address.
func (l *linker) aliases(p *Linked) {
	var reached map[*Func]bool // asked for where there are aliases
	for _, f := range p.Funcs {
		for _, a := range f.Aliases {
			if reached == nil {
				reached = p.reached()
			}
			own := f.Named || reached[f]
			other := a.Pointed || slices.ContainsFunc(a.Callers, func(c *Func) bool { return reached[c] })
			if own && other || !own && !other && !l.old {
				continue
			}
			kept, lost := f.Name, a.Name
			if other {
				kept, lost = lost, kept
			}
			rank, pos := 0, diag.Pos{}
			if n := l.names[a.Name]; n != nil {
				rank, pos = n.first.unit.rank, n.first.pos
			}
			d := &diag.Diagnostic{File: f.File, Pos: pos, Code: UnusedAlias}
			switch {
			case !own && !other:
				d.Severity = diag.Warning
				d.Msg = fmt.Sprintf("%s is an alias of %s, and no kernel reaches either, nor is an address taken; nvlink 11.8 fails with an internal error: leave the alias out, or use both", a.Name, f.Name)
			default:
				which := "the linkers from 12.4 on fail"
				if a.Pointed {
					which = "the linkers fail"
				}
				d.Msg = fmt.Sprintf("%s is an alias of %s: %s is used, and no kernel reaches %s, nor is its address taken; %s with an internal error: leave the alias out, or use both", a.Name, f.Name, kept, lost, which)
			}
			l.list = append(l.list, finding{Diagnostic: d, rank: rank})
		}
	}
}

// spelt names a definition that differs in the names of C and C++ alone; "" if there is
// none.
func (l *linker) spelt(want string) string {
	if l.bases == nil {
		l.bases = make(map[string]*name)
		for _, n := range l.order {
			if n.first.defined && n.first.class != variable {
				own, _ := verify.Base(n.name)
				l.bases[own] = n
			}
		}
	}
	base, mangled := verify.Base(want)
	n := l.bases[base]
	if n == nil {
		return ""
	}
	file := n.first.unit.name
	switch _, is := verify.Base(n.name); {
	case is && !mangled:
		return fmt.Sprintf("; %s defines %s, which is C++: declare it extern \"C\" there, or without it here", file, n.name)
	case mangled && !is:
		return fmt.Sprintf("; %s defines %s, which is C: declare it extern \"C\" here", file, n.name)
	}
	return fmt.Sprintf("; %s defines %s, of other parameters", file, n.name)
}

// otherLanguage notes a function of a header that no file knows by the name that it has for
// the linker, where one defines it by the name of C, or of C++. The header's own names are
// no such case: it declares both.
func (l *linker) otherLanguage(s *site, declared map[string]bool) {
	said := l.spelt(s.name)
	if said == "" {
		return
	}
	base, mangled := verify.Base(s.name)
	n := l.bases[base]
	if _, is := verify.Base(n.name); is == mangled || declared[n.name] {
		return // an overload
	}
	l.report(s, nil, check.MissingDefinition, diag.Note, "the linker calls this function %s, which no file knows, so that it is not compared%s", s.name, said)
}

// findings are what is found for several architectures.
type findings struct {
	by    map[string]*finding
	order []*finding
}

func (m *findings) add(arch string, list ...finding) {
	for _, f := range list {
		key := f.Error()
		one := m.by[key]
		if one == nil {
			one = &f
			m.by[key] = one
			m.order = append(m.order, one)
		}
		if arch != "" {
			one.archs = append(one.archs, arch)
		}
	}
}

// list is what was found, by file. What does not hold for all n architectures says for
// which it does.
func (m *findings) list(n int) diag.List {
	var all diag.List
	slices.SortStableFunc(m.order, func(a, b *finding) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	for _, one := range m.order {
		if k := len(one.archs); k > 0 && k < n {
			d := *one.Diagnostic
			d.Msg += " (" + strings.Join(one.archs, ", ") + ")"
			all.Add(&d)
			continue
		}
		all.Add(one.Diagnostic)
	}
	return all
}

// parameters gives the kernels of a text the places of their parameters, on the target
// that it is for; nil: it is not known.
func parameters(m *ptx.Module, t *abi.Target, sites []*site) {
	if t == nil {
		return
	}
	for _, s := range sites {
		if s.class != kernel || s.fn == nil {
			continue
		}
		if p, base, ok := verify.KernelParams(m, s.fn, t); ok {
			s.params, s.block = p, base
		}
	}
}
