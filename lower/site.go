package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// planCall finds out what a call calls and by which assignment, and which
// variables it uses. It returns the site.
func (fn *fn) planCall(c *ptx.Call) *site {
	s := fn.newSite()
	fn.mentions.passes = true
	for i := range c.Params {
		fn.noteReads(fn.argRef(c, i).Name, allBytes)
	}
	for i := range c.Results {
		fn.noteReads(fn.resultRef(i).Name, 0)
	}
	fn.noteReads(fn.calleeRef().Name, allBytes)
	fn.noteGuard(c.Guard)
	s.vars = len(fn.callVars)
	for i := range c.Params {
		v := fn.argVar(&c.Params[i], fn.argRef(c, i))
		fn.callVars = append(fn.callVars, v)
		if v != nil {
			v.asArg = append(v.asArg, fn.here())
		}
	}
	for i := range c.Results {
		v := fn.argVar(&c.Results[i], fn.resultRef(i))
		fn.callVars = append(fn.callVars, v)
		if v != nil {
			v.asResult = append(v.asResult, fn.here())
			s.resultVar = v
		}
	}
	if fn.callee(c, s) {
		fn.siteAssign(c, s)
	}
	return s
}

// newSite appends a site, with room of one before for its assignment.
func (fn *fn) newSite() *site {
	n := len(fn.sites)
	if n == cap(fn.sites) {
		fn.sites = append(fn.sites, site{})
	} else {
		fn.sites = fn.sites[:n+1]
	}
	s := &fn.sites[n]
	*s = site{buffer: -1, asn: abi.Assignment{Params: s.asn.Params[:0], Results: s.asn.Results[:0]}}
	return s
}

// argVar returns the local .param variable that an operand names, nil if it names none.
func (fn *fn) argVar(o *ptx.Operand, r resolved.Ref) *pvar {
	if r.Sym < 0 || o.Elem != 0 {
		return nil
	}
	v := fn.variableOf(fn.in.Sym(r), o.Text)
	if v == nil || v.sym.Role != resolved.Local || v.sym.Spec.Space != ptx.ParamSpace {
		return nil
	}
	return v
}

// callee resolves what is called.
func (fn *fn) callee(c *ptx.Call, s *site) bool {
	name := c.Callee.Name()
	sym := fn.in.Sym(fn.calleeRef())
	if sym == nil || sym.Var == nil {
		target := fn.table.Lookup(name)
		if target == nil {
			fn.cannot(c.Callee.Pos, "%s is no function", name)
			return false
		}
		f := target.Func
		if f.Entry {
			fn.cannot(c.Callee.Pos, "%s is a kernel, which cannot be called", name)
			return false
		}
		s.of, s.name, s.params, s.results = f, f.Name, f.Params, f.Results   // by the aliasee's name
		s.self = f == fn.f || fn.outline != nil && f.NamePos == fn.f.NamePos // whose fn.f is a copy with a body
		s.preserve = resolve.Preserve(f.Directive(resolve.PreserveName))
		return true
	}
	if sym.Spec.Space != ptx.RegSpace {
		fn.cannot(c.Callee.Pos, "%s is a variable in %s space, expected a function or a register", name, sym.Spec.Space)
		return false
	}
	s.reg = true
	proto := fn.in.Sym(fn.protoRef())
	switch {
	case c.Proto.Kind == ptx.KindNone:
		fn.cannot(c.Callee.Pos, "a call through the register %s without a prototype", name)
		return false
	case proto != nil && proto.Proto != nil:
		s.name, s.params, s.results = proto.Proto.Name, proto.Proto.Params, proto.Proto.Results
		s.preserve = resolve.Preserve(proto.Proto.Directive(resolve.PreserveName))
		return true
	case proto != nil && proto.Targets != nil && !proto.Targets.Branch:
		s.targets = true
		return fn.targetList(proto.Targets, s)
	}
	if list := fn.callTable(c.Proto.Name(), proto); list != nil {
		s.targets = true
		return fn.targetList(list, s)
	}
	fn.cannot(c.Proto.Pos, "%s is neither a .callprototype nor a .calltargets that is declared here, nor a table of functions", c.Proto.Text)
	return false
}

// targetList takes the signature of a call from the functions that it may
// reach. All are to be declared; the first one's counts.
func (fn *fn) targetList(list *ptx.TargetList, s *site) bool {
	ok := true
	for i := range list.Names {
		o := &list.Names[i]
		target := fn.table.Lookup(o.Text)
		switch {
		case target == nil:
			fn.cannot(o.Pos, "%s is no function", o.Text)
			ok = false
		case target.Func.Entry:
			fn.cannot(o.Pos, "%s is a kernel, which cannot be called", o.Text)
			ok = false
		case s.name == "":
			s.name, s.params, s.results = o.Text, target.Func.Params, target.Func.Results
			s.preserve = resolve.Preserve(target.Func.Directive(resolve.PreserveName))
		case s.preserve != resolve.Preserve(target.Func.Directive(resolve.PreserveName)):
			fn.cannot(o.Pos, "%s and %s differ in .abi_preserve, and a call through one list would do different things to registers", s.name, o.Text)
			ok = false
		}
	}
	return ok && s.name != ""
}

// siteAssign computes the assignment of a call, with the size of what it
// passes for an unsized formal, and holds its operands against the formals.
func (fn *fn) siteAssign(c *ptx.Call, s *site) {
	sg := abi.Signature{Params: fn.values(&fn.values1, s.params), Results: fn.values(&fn.values2, s.results), Preserve: s.preserve}
	s.regs = fn.regsWith(s.preserve)
	n := len(sg.Params)
	tail := n > 0 && sg.Params[n-1].Kind == abi.Unsized
	switch given := len(c.Params); {
	case tail && given == n-1:
	case given != n:
		fn.cannot(c.Pos, "%s for %s, which takes %d", count(given, "argument"), s.name, n)
		return
	case tail:
		if v := fn.callVars[s.vars+n-1]; v != nil {
			sg.Params[n-1].Size = v.size
		}
	}
	if len(c.Results) != len(s.results) {
		fn.cannot(c.Pos, "%s taken from %s, which returns %d", count(len(c.Results), "result"), s.name, len(s.results))
		return
	}
	if len(s.results) > 1 {
		fn.cannot(c.Pos, "%s has %d results, which switches the ABI off", s.name, len(s.results))
		return
	}
	if !fn.assign(&s.asn, sg, c.Callee.Pos, s.name, nil, nil) {
		return
	}
	s.ok = true
	for i := range c.Params {
		if v := fn.callVars[s.vars+i]; v != nil && i < len(sg.Params) && sg.Params[i].Kind == abi.Data {
			s.ok = fn.sameSize(&c.Params[i], v, sg.Params[i].Size, s, &s.params[i]) && s.ok
		}
	}
	for i := range c.Results {
		if v := fn.callVars[s.vars+len(c.Params)+i]; v != nil {
			s.ok = fn.sameSize(&c.Results[i], v, sg.Results[i].Size, s, &s.results[i]) && s.ok
		}
	}
	for i := range s.params {
		if sg.Params[i].Kind == abi.Opaque {
			fn.cannot(c.Pos, "%s of %s is a handle, which has no place in the ABI", s.params[i].Name, s.name)
			s.ok = false
		}
	}
}

func (fn *fn) sameSize(o *ptx.Operand, v *pvar, size int, s *site, p *ptx.Formal) bool {
	if v.size == size {
		return true
	}
	fn.cannot(o.Pos, "%s has %s, %s of %s has %d", v.source, count(v.size, "byte"), p.Name, s.name, size)
	return false
}

// count is "1 argument" or "2 arguments".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// A site is a call of the body.
type site struct {
	ok      bool
	name    string    // of the callee or prototype, for notes
	of      *ptx.Func // the callee, nil for a call through a register
	params  []ptx.Formal
	results []ptx.Formal
	vars    int // index in fn.callVars of those of its operands, params first
	asn     abi.Assignment
	self    bool
	reg     bool // through a register
	targets bool // by a list of targets
	// preserve is the directive of what is called, regs what the call does to
	// registers.
	preserve abi.Preserve
	regs     *abi.RegFile
	// resultVar is the local that receives the result, nil if it goes to
	// registers or nowhere.
	resultVar *pvar
	stack     []int64 // offsets of the argument words stored for it
	bytes     []uint8 // which bytes of each of them have a value
	buffer    int     // offset in the frame of the memory for a result passed by its address; -1 if none
}
