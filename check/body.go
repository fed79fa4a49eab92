package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A function is the state of reading one body.
type function struct {
	*ptx.Func
	g          *global
	scope      resolved.Scope
	gone       map[string]diag.Pos // names of .param variables whose block is closed
	mentioned  map[string]bool     // names that instructions other than stores mention; made when first needed
	said       map[string]bool     // undeclared names that were complained about
	taint      taint
	place      placement
	plain      plain
	single     uint64                          // first bytes of names that end with a digit, modulo 64
	ranged     uint64                          // likewise of name<count>
	used       map[*ptx.Prototype]bool         // prototypes that were called through and of which there is something to say
	targets    map[*ptx.TargetList][]signature // of the lists that were
	tables     map[*ptx.Var]*callTable         // of the body
	inKernel14 bool                            // .param in the body are formals
	blocks     []int                           // what opens those that are open, as indices; -1 for that of the function
	labels     []labelIn                       // so far
	lists      []labelList                     // likewise
}

// reset makes fn the state before the body of f, in the room that other bodies
// have left.
func (fn *function) reset(f *ptx.Func, g *global) {
	fn.Func, fn.g = f, g
	fn.scope.Reset()
	fn.place.reset(f.Body)
	fn.plain.reset()
	fn.blocks, fn.labels, fn.lists = append(fn.blocks[:0], -1), fn.labels[:0], fn.lists[:0]
	fn.single, fn.ranged = 0, 0
	fn.taint = taint{}
	fn.gone, fn.mentioned, fn.said, fn.used, fn.targets, fn.tables = nil, nil, nil, nil, nil, nil
}

// body reads the body of a function once, in order of the text.
func (c *checker) body(g *global, f *ptx.Func) {
	if c.room == nil {
		c.room = new(function)
	}
	fn := c.room
	fn.reset(f, g)
	fn.inKernel14 = resolve.InBody(c.m, f)
	c.fn = fn
	defer func() {
		c.fn = nil
		c.largest = max(c.largest, len(f.Body), fn.scope.Numbers())
	}()
	fn.formals(f.Results, resolved.Result)
	fn.formals(f.Params, resolved.Param)
	for i := 0; i < len(f.Body); i++ {
		fn.place.at = i
		// The most common are asked for first, here: to call for each statement what tells
		// all apart takes 20 instructions more.
		s := f.Body[i]
		if in, ok := s.(*ptx.Instr); ok {
			if fn.g.busy && fn.taint.bits == 0 {
				if n := c.plainInstrs(f.Body[i:]); n > 0 {
					i += n - 1
					fn.place.at = i
					fn.place.other()
					continue
				}
			}
			c.instr(in)
		} else if a, ok := s.(*ptx.Access); ok {
			if fn.g.busy = true; !c.plainAccess(a) {
				c.ruledAccess(a)
			}
		} else if d, ok := s.(*ptx.Decl); ok {
			c.localDecl(d)
		} else {
			c.stmt(s)
		}
	}
	c.placed()
}

// plainInstrs returns how many of the statements are instructions, one behind the other,
// of which there is nothing to be said where no register points to a parameter: those of
// most kinds that name nothing but registers.
func (c *checker) plainInstrs(list []ptx.Stmt) int {
	percent := c.later.Percent
	for i, s := range list {
		in, ok := s.(*ptx.Instr)
		if !ok {
			return i
		}
		switch in.Kind() {
		case ptx.OpOther:
			if strings.HasPrefix(in.Args, "st.") {
				return i
			}
		case ptx.OpMove, ptx.OpSum, ptx.OpMemory:
			if percent || !in.OnlyPercent() {
				return i
			}
		default:
			return i
		}
	}
	return len(list)
}

// ruledAccess looks at an ld.param or st.param by all rules.
func (c *checker) ruledAccess(a *ptx.Access) {
	c.guard(&a.Instr)
	c.access(a)
}

// stmt looks at a statement.
func (c *checker) stmt(s ptx.Stmt) {
	fn := c.fn
	switch s := s.(type) {
	case *ptx.Instr:
		c.instr(s)
	case *ptx.Access:
		fn.g.busy = true
		c.ruledAccess(s)
	case *ptx.Open:
		fn.scope.Open()
		fn.blocks = append(fn.blocks, fn.place.at)
	case *ptx.Close:
		fn.scope.Close()
		fn.blocks = fn.blocks[:max(len(fn.blocks)-1, 1)]
		fn.plain.close()
	case *ptx.Label:
		fn.labels = append(fn.labels, labelIn{s, fn.block(), fn.place.at})
		fn.place.last.label = fn.place.at
		fn.taint = taint{}
	case *ptx.Decl:
		c.localDecl(s)
	case *ptx.Prototype:
		c.prototype(s)
		c.declareList(s, s.Name, s.Pos)
	case *ptx.TargetList:
		c.targetList(s)
		c.declareList(s, s.Name, s.Pos)
	case *ptx.Func:
		c.reachesOut = true
		c.declare(s)
	case *ptx.Directive:
		if s.Name == ".alias" {
			c.reachesOut = true
			c.alias(s)
		}
	case *ptx.Call:
		fn.g.busy = true
		c.guard(&s.Instr)
		c.call(s)
		fn.taint = taint{}
	}
}

// forDebugger reports whether a label is one that the debug sections of the
// module refer to. Compilers put those anywhere; control does not come by them.
func (c *checker) forDebugger(label string) bool {
	if c.debug == nil {
		c.debug = make(map[string]bool)
		for _, it := range c.m.Items {
			if raw, ok := it.(*ptx.Raw); ok {
				for name := range identifiers(raw.Text) {
					c.debug[name] = true
				}
			}
		}
	}
	return c.debug[label]
}

// prototype checks a .callprototype.
func (c *checker) prototype(p *ptx.Prototype) {
	if !c.need(indirectCalls, p.Pos) {
		return
	}
	for i := range p.Results {
		c.formal(nil, &p.Results[i], role{result: true, last: true, proto: true})
	}
	for i := range p.Params {
		c.formal(nil, &p.Params[i], role{next: following(p.Params, i), last: i == len(p.Params)-1, proto: true})
	}
	for i := range p.Results {
		if len(p.Results) > 1 && p.Results[i].Space != ptx.RegSpace {
			c.results(p.Results, p.Pos, "prototype "+p.Name)
			break
		}
	}
	c.protoDirectives(p)
}

// targetList checks that a .calltargets names functions.
func (c *checker) targetList(l *ptx.TargetList) {
	if l.Branch {
		c.need(branchLists, l.Pos)
		return
	}
	if !c.need(targetLists, l.Pos) {
		return
	}
	for i := range l.Names {
		o := &l.Names[i]
		g := c.globals[o.Text]
		switch {
		case g == nil:
			c.undeclaredCallee(o)
		case g.fn == nil:
			c.errorf(IllegalCallee, o.Pos, "%s is no function; a list of call targets names functions", o.Text)
		default:
			if g.fn.Entry {
				c.forbidf(CalledKernel, o.Pos, "%s is a kernel; a list of call targets names functions", o.Text)
			}
			c.mention(c.fn.g, g, o.Pos)
		}
	}
}

// mention notes that a function, or the module where from is nil, calls g or
// takes its address.
func (c *checker) mention(from, g *global, pos diag.Pos) {
	if !g.called.IsValid() {
		g.called = pos
	}
	if from == nil {
		c.roots = append(c.roots, g)
		return
	}
	from.calls = c.calls.append(from.calls, g)
}

// lookup returns what a name means in the body, nil if it is not a name of the
// function.
func (c *checker) lookup(name string) *resolved.Symbol { return c.fn.scope.Lookup(name) }

// undeclared complains once about a name that is declared nowhere in sight.
func (c *checker) undeclared(name string, pos diag.Pos) {
	fn := c.fn
	if c.partial() || fn.said[name] {
		return
	}
	if fn.said == nil {
		fn.said = make(map[string]bool)
	}
	fn.said[name] = true
	if at, ok := c.closed(name); ok {
		c.add(diag.Error, ForeignParameter, pos, sprintf("%s is used outside the block that declares it; move the use in or the declaration out", name), related(at, "declared here"))
		return
	}
	if owner := c.ownerOf(name); owner != "" && owner != fn.Name {
		c.errorf(ForeignParameter, pos, "%s is a parameter of %s, not of %s; pass its value", name, clip(owner), clip(fn.Name))
		return
	}
	c.errorf(UndeclaredName, pos, "%s is not declared at this place", name)
}

// closed returns where the body declares a name in a block that is not open
// here, before or behind.
func (c *checker) closed(name string) (diag.Pos, bool) {
	fn := c.fn
	if fn.gone == nil {
		fn.gone = make(map[string]diag.Pos)
		for _, s := range fn.Body {
			d, ok := s.(*ptx.Decl)
			if !ok || d.Space != ptx.ParamSpace {
				continue
			}
			for i := range d.Vars {
				fn.gone[d.Vars[i].Name] = d.Vars[i].Pos
			}
		}
	}
	at, ok := fn.gone[name]
	return at, ok
}

// guard checks the predicate of a call or a parameter access.
func (c *checker) guard(in *ptx.Instr) {
	if in.Guard == nil {
		return
	}
	sym := c.lookup(in.Guard.Name)
	switch {
	case sym == nil && c.globals[in.Guard.Name] == nil:
		c.undeclared(in.Guard.Name, in.Guard.Pos)
	case sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace || sym.Spec.Type != ptx.Pred:
		c.errorf(IllegalOperand, in.Guard.Pos, "%s is no predicate; set one with setp", in.Guard.Name)
	}
}

// instr looks at an instruction that is neither a call nor a parameter access:
// it may move control, or touch the address of a parameter.
func (c *checker) instr(in *ptx.Instr) {
	fn := c.fn
	kind := in.Kind()
	if !fn.g.busy && kind != ptx.OpReturn {
		fn.g.busy = in.Op != "" && in.Op[0] != '.'
	}
	switch kind {
	case ptx.OpOther:
		if strings.HasPrefix(in.Args, "st.") {
			c.errorf(ptx.BadSyntax, in.Pos, "found '%s' before an instruction; is a colon or a semicolon missing?", clip(in.Op))
		}
		fn.place.other()
		if fn.taint.bits != 0 {
			c.untaint(in)
		}
	case ptx.OpBranch, ptx.OpReturn:
		fn.place.control()
		if fn.taint.bits != 0 {
			c.untaint(in)
		}
	default:
		fn.place.other()
		if !c.harmless(in, kind) {
			name, mods, _ := strings.Cut(in.Op, ".")
			c.addressInstr(in, name, mods)
		}
	}
}
