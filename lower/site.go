package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/arena"
	"github.com/ptxabi/ptxabi/internal/prose"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// planCall finds out what a call calls and by which assignment, and which
// variables it uses. It returns the site.
func (pl *placer) planCall(c *ptx.Call) *site {
	s := pl.newSite()
	pl.uses.passes = true
	for i := range c.Params {
		pl.noteReads(pl.argRef(c, i).Name, allBytes)
	}
	for i := range c.Results {
		pl.noteReads(pl.resultRef(i).Name, 0)
	}
	pl.noteReads(pl.calleeRef().Name, allBytes)
	pl.noteGuard(c.Guard)
	s.vars = len(pl.callVars)
	for i := range c.Params {
		v := pl.argVar(&c.Params[i], pl.argRef(c, i))
		pl.callVars = append(pl.callVars, v)
		if v != nil {
			pl.touch(&v.asArg)
		}
	}
	for i := range c.Results {
		v := pl.argVar(&c.Results[i], pl.resultRef(i))
		pl.callVars = append(pl.callVars, v)
		if v != nil {
			pl.touch(&v.asResult)
			s.resultVar = v
		}
	}
	if pl.findCallee(c, s) {
		pl.siteAssign(c, s)
	}
	return s
}

// newSite appends a site.
func (pl *placer) newSite() *site {
	pl.sites = append(pl.sites, site{callee: &noCallee, buffer: -1})
	return &pl.sites[len(pl.sites)-1]
}

// callees are those of the module that have been called by their names, and what each of
// the other calls of the function at hand calls.
type callees struct {
	known        map[string]*callee
	named, other calleeMemory
}

// forget drops what there is of a module.
func (k *callees) forget() {
	if len(k.known) >= manyStatements {
		*k = callees{}
		return
	}
	clear(k.known)
	k.named.reset()
}

// calleeMemory is space for callees, and for their lists.
type calleeMemory struct {
	list   arena.Arena[callee]
	values arena.Arena[abi.Value]
	places arena.Arena[abi.Placement]
}

func (m *calleeMemory) reset() {
	m.list.Reset()
	m.values.Reset()
	m.places.Reset()
}

// add returns a callee of which nothing is known.
func (m *calleeMemory) add() *callee {
	k := m.list.One()
	*k = callee{memory: m}
	return k
}

// emptyList returns an empty list for n values.
func emptyList[T any](of *arena.Arena[T], n int) []T {
	if n > arena.Most {
		return make([]T, 0, n)
	}
	return of.Take(n)[:0]
}

// signature finds out what the signature of a callee is, and what a call does to registers.
func (pl *placer) signature(k *callee) {
	params, results := emptyList(&k.memory.values, len(k.params)), emptyList(&k.memory.values, len(k.results))
	k.sig = abi.Signature{Params: resolve.AppendValues(params, k.params), Results: resolve.AppendValues(results, k.results), Preserve: k.preserve}
	k.asn = abi.Assignment{Params: emptyList(&k.memory.places, len(k.params)), Results: emptyList(&k.memory.places, len(k.results))}
	k.regs = pl.regsWith(k.preserve)
}

// argVar returns the local .param variable that an operand names, nil if it names none.
func (pl *placer) argVar(o *ptx.Operand, r resolved.Ref) *pvar {
	if r.Sym < 0 || o.Elem != 0 {
		return nil
	}
	v := pl.mention(pl.in.Sym(r), o.Text)
	if v == nil || v.sym.Role != resolved.Local || v.sym.Spec.Space != ptx.ParamSpace {
		return nil
	}
	return v
}

// findCallee resolves what is called.
func (pl *placer) findCallee(c *ptx.Call, s *site) bool {
	name := c.Callee.Name()
	sym := pl.in.Sym(pl.calleeRef())
	if sym == nil || sym.Var == nil {
		if s.callee = pl.callees.known[name]; s.callee != nil {
			s.self = pl.isItself(s.of)
			return true
		}
		s.callee = pl.callees.named.add()
		target := pl.table.Lookup(name)
		if target == nil {
			pl.cannot(c.Callee.Pos, "%s is not a function", name)
			return false
		}
		f := target.Func
		if f.Entry {
			pl.cannot(c.Callee.Pos, "%s is a kernel, which cannot be called", name)
			return false
		}
		s.of, s.name, s.params, s.results = f, f.Name, f.Params, f.Results // by the aliasee's name
		s.self = pl.isItself(f)
		s.preserve = resolve.Preserve(f.Directive(resolve.PreserveName))
		return true
	}
	if sym.Spec.Space != ptx.RegSpace {
		pl.cannot(c.Callee.Pos, "%s is a variable in %s space, expected a function or a register", name, sym.Spec.Space)
		return false
	}
	s.reg, s.callee = true, pl.callees.other.add()
	proto := pl.in.Sym(pl.protoRef())
	switch {
	case c.Proto.Kind == ptx.KindNone:
		pl.cannot(c.Callee.Pos, "a call through the register %s without a prototype", name)
		return false
	case proto != nil && proto.Proto != nil:
		s.name, s.params, s.results = proto.Proto.Name, proto.Proto.Params, proto.Proto.Results
		s.preserve = resolve.Preserve(proto.Proto.Directive(resolve.PreserveName))
		return true
	case proto != nil && proto.Targets != nil && !proto.Targets.Branch:
		s.targets = true
		return pl.targetList(proto.Targets, s)
	}
	if list := pl.callTable(c.Proto.Name(), proto); list != nil {
		s.targets = true
		return pl.targetList(list, s)
	}
	pl.cannot(c.Proto.Pos, "%s is neither a .callprototype nor a .calltargets that is declared here, nor a table of functions", c.Proto.Text)
	return false
}

// isItself reports whether f is the function at hand, which is a copy with a body where
// bodies are read one by one.
func (pl *placer) isItself(f *ptx.Func) bool {
	return f == pl.f || pl.apart && f.NamePos == pl.f.NamePos
}

// targetList takes the signature of a call from the functions that it may
// reach. All are to be declared; the first one's counts.
func (pl *placer) targetList(list *ptx.TargetList, s *site) bool {
	ok := true
	for i := range list.Names {
		o := &list.Names[i]
		target := pl.table.Lookup(o.Text)
		switch {
		case target == nil:
			pl.cannot(o.Pos, "%s is not a function", o.Text)
			ok = false
		case target.Func.Entry:
			pl.cannot(o.Pos, "%s is a kernel, which cannot be called", o.Text)
			ok = false
		case s.name == "":
			s.name, s.params, s.results = o.Text, target.Func.Params, target.Func.Results
			s.preserve = resolve.Preserve(target.Func.Directive(resolve.PreserveName))
		case s.preserve != resolve.Preserve(target.Func.Directive(resolve.PreserveName)):
			pl.cannot(o.Pos, "%s and %s differ in .abi_preserve, and a call through one list would do different things to registers", s.name, o.Text)
			ok = false
		}
	}
	return ok && s.name != ""
}

// siteAssign computes the assignment of a call, with the size of what it
// passes for an unsized formal, and holds its operands against the formals.
func (pl *placer) siteAssign(c *ptx.Call, s *site) {
	if s.regs == nil {
		pl.signature(s.callee)
	}
	sg := &s.sig
	n := len(sg.Params)
	tail := n > 0 && sg.Params[n-1].Kind == abi.Unsized
	switch given := len(c.Params); {
	case tail && given == n-1:
	case given != n:
		pl.cannot(c.Pos, "%s for %s, which takes %d", prose.Count(given, "argument"), s.name, n)
		return
	case tail:
		if v := pl.callVars[s.vars+n-1]; v != nil {
			sg.Params[n-1].Size = v.size
		}
	}
	if len(c.Results) != len(s.results) {
		pl.cannot(c.Pos, "%s taken from %s, which returns %d", prose.Count(len(c.Results), "result"), s.name, len(s.results))
		return
	}
	if len(s.results) > 1 {
		pl.cannot(c.Pos, "%s has %d results, which switches the ABI off", s.name, len(s.results))
		return
	}
	if !s.known {
		if !pl.assign(&s.asn, *sg, c.Callee.Pos, s.name, nil, nil) {
			return
		}
		if s.known = !s.reg && !tail; s.known {
			if pl.callees.known == nil {
				pl.callees.known = make(map[string]*callee)
			}
			pl.callees.known[c.Callee.Name()] = s.callee
		}
	}
	s.ok = true
	for i := range c.Params {
		if v := pl.callVars[s.vars+i]; v != nil && i < len(sg.Params) && sg.Params[i].Kind == abi.Data {
			s.ok = pl.sameSize(&c.Params[i], v, sg.Params[i].Size, s, &s.params[i]) && s.ok
		}
	}
	for i := range c.Results {
		if v := pl.callVars[s.vars+len(c.Params)+i]; v != nil {
			s.ok = pl.sameSize(&c.Results[i], v, sg.Results[i].Size, s, &s.results[i]) && s.ok
		}
	}
	for i := range s.params {
		if sg.Params[i].Kind == abi.Opaque {
			pl.cannot(c.Pos, "%s of %s is a handle, which has no place in the ABI", s.params[i].Name, s.name)
			s.ok = false
		}
	}
}

func (pl *placer) sameSize(o *ptx.Operand, v *pvar, size int, s *site, p *ptx.Formal) bool {
	if v.size == size {
		return true
	}
	pl.cannot(o.Pos, "%s has %s, %s of %s has %d", v.source, prose.Count(v.size, "byte"), p.Name, s.name, size)
	return false
}

// A site is a call of the body.
type site struct {
	*callee
	ok      bool
	self    bool
	reg     bool // through a register
	targets bool // by a list of targets
	vars    int  // index in plan.callVars of those of its operands, params first
	// resultVar is the local that receives the result, nil if it goes to
	// registers or nowhere.
	resultVar *pvar
	buffer    int // offset in the frame of the memory for a result passed by its address; -1 if none
}

// A callee is what is called: what all calls of one function have in common.
type callee struct {
	name    string    // of the function or prototype, for notes
	of      *ptx.Func // nil for a call through a register
	params  []ptx.Formal
	results []ptx.Formal
	// preserve is its directive, regs what a call does to registers.
	preserve abi.Preserve
	regs     *abi.RegFile
	sig      abi.Signature
	asn      abi.Assignment
	known    bool // all of that holds for the next call as well
	memory   *calleeMemory
}

// noCallee is what a call calls of which nothing is known.
var noCallee callee
