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
func (pl *placer) planCall(c *ptx.Call) *site {
	s := pl.newSite()
	pl.mentions.passes = true
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
			v.asArg = append(v.asArg, pl.here())
		}
	}
	for i := range c.Results {
		v := pl.argVar(&c.Results[i], pl.resultRef(i))
		pl.callVars = append(pl.callVars, v)
		if v != nil {
			v.asResult = append(v.asResult, pl.here())
			s.resultVar = v
		}
	}
	if pl.callee(c, s) {
		pl.siteAssign(c, s)
	}
	return s
}

// newSite appends a site, with memory of one before for its assignment.
func (pl *placer) newSite() *site {
	n := len(pl.sites)
	if n == cap(pl.sites) {
		pl.sites = append(pl.sites, site{})
	} else {
		pl.sites = pl.sites[:n+1]
	}
	s := &pl.sites[n]
	*s = site{buffer: -1, asn: abi.Assignment{Params: s.asn.Params[:0], Results: s.asn.Results[:0]}}
	return s
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

// callee resolves what is called.
func (pl *placer) callee(c *ptx.Call, s *site) bool {
	name := c.Callee.Name()
	sym := pl.in.Sym(pl.calleeRef())
	if sym == nil || sym.Var == nil {
		target := pl.table.Lookup(name)
		if target == nil {
			pl.cannot(c.Callee.Pos, "%s is no function", name)
			return false
		}
		f := target.Func
		if f.Entry {
			pl.cannot(c.Callee.Pos, "%s is a kernel, which cannot be called", name)
			return false
		}
		s.of, s.name, s.params, s.results = f, f.Name, f.Params, f.Results   // by the aliasee's name
		s.self = f == pl.f || pl.outline != nil && f.NamePos == pl.f.NamePos // whose pl.f is a copy with a body
		s.preserve = resolve.Preserve(f.Directive(resolve.PreserveName))
		return true
	}
	if sym.Spec.Space != ptx.RegSpace {
		pl.cannot(c.Callee.Pos, "%s is a variable in %s space, expected a function or a register", name, sym.Spec.Space)
		return false
	}
	s.reg = true
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

// targetList takes the signature of a call from the functions that it may
// reach. All are to be declared; the first one's counts.
func (pl *placer) targetList(list *ptx.TargetList, s *site) bool {
	ok := true
	for i := range list.Names {
		o := &list.Names[i]
		target := pl.table.Lookup(o.Text)
		switch {
		case target == nil:
			pl.cannot(o.Pos, "%s is no function", o.Text)
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
	sg := abi.Signature{Params: pl.values(&pl.values1, s.params), Results: pl.values(&pl.values2, s.results), Preserve: s.preserve}
	s.regs = pl.regsWith(s.preserve)
	n := len(sg.Params)
	tail := n > 0 && sg.Params[n-1].Kind == abi.Unsized
	switch given := len(c.Params); {
	case tail && given == n-1:
	case given != n:
		pl.cannot(c.Pos, "%s for %s, which takes %d", count(given, "argument"), s.name, n)
		return
	case tail:
		if v := pl.callVars[s.vars+n-1]; v != nil {
			sg.Params[n-1].Size = v.size
		}
	}
	if len(c.Results) != len(s.results) {
		pl.cannot(c.Pos, "%s taken from %s, which returns %d", count(len(c.Results), "result"), s.name, len(s.results))
		return
	}
	if len(s.results) > 1 {
		pl.cannot(c.Pos, "%s has %d results, which switches the ABI off", s.name, len(s.results))
		return
	}
	if !pl.assign(&s.asn, sg, c.Callee.Pos, s.name, nil, nil) {
		return
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
	pl.cannot(o.Pos, "%s has %s, %s of %s has %d", v.source, count(v.size, "byte"), p.Name, s.name, size)
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
