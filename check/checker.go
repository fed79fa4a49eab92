package check

import (
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/arena"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A checker is one run over a module. What rules may ask, and change, is in four
// parts: the facts about the module, which stay; what the module has declared so
// far; what was wrong already, so that nothing is reported twice; and the report. The fifth,
// memory, is room that one run leaves to the next, and no rule's business. Rules
// about bodies are methods of body, which has a checker, and has what is known of
// the body besides.
type checker struct {
	facts
	program
	mistakes
	report
	memory
}

// facts are what is known of a module before its first item. Nothing changes them.
type facts struct {
	m       *ptx.Module
	outline *ptx.Outline // whose bodies are read one by one; nil where m has them
	arch    int          // number of the module's architecture; 0 if it is not known
	// since is when there was that first; nil if it is not known.
	since *arrival
	// passing says that there are paramFormals.
	passing bool
	names   *resolve.Table // the functions and variables of the whole module
	// syntaxErrors are the functions with syntax errors. Where partial is set and there are
	// none, anything may have them. Package lower, which makes nothing of a module with
	// syntax errors, asks of none: then partial is not set.
	syntaxErrors map[*ptx.Func]bool
	partial      bool
	// quiet says that there is nothing to report outside of bodies.
	quiet bool
	// read reads the body of a function again; nil where the tree holds bodies.
	read func(*ptx.Func) []ptx.Stmt
}

// A program is what the module has declared up to the place that is looked at: a name
// means what stands before.
type program struct {
	globals  map[string]*global
	order    []*global // the functions among them, in order
	noABI    diag.Pos  // of what switches the ABI off; zero if nothing does
	roots    []*global // functions that are mentioned at module level
	rootVars map[string]bool
	tails    []tail // what calls store into the tails of functions
	// halfRead says that an item begins with a word that is not known: it may declare names.
	halfRead bool
	tables   map[string]*callTable
	// found on demand
	owners map[string]string // formals → their functions
	debug  map[string]bool   // names in debug sections
	// protos counts those of bodies that are in some global's protos.
	protos int
	// reachesOut is set when a body declares what the table of the module's functions
	// would hold if it were made of bodies too.
	reachesOut bool
}

// A global is a name at module level.
type global struct {
	name    string
	fn      *ptx.Func // the first declaration; nil for a variable
	def     *ptx.Func // the definition, nil so far
	decl    *ptx.Decl // of a variable
	pos     diag.Pos
	alias   bool
	again   bool // it is declared more than once
	linkage ptx.Linkage

	tailLoads []tailPiece // what its body loads of its variadic tail, at known offsets

	mentions []*global // functions whose name its body mentions
	called   diag.Pos  // of the first mention; zero if there is none
	protos   []*ptx.Prototype
	indirect diag.Pos // of the first indirect call in its body
	reached  bool     // a kernel can reach it, or it stands for itself
	rooted   bool     // but only by variables that nobody reads
	// busy says that its body does something but return. One that does not stands for
	// one that is still to be written: compilers drop calls of functions that do
	// nothing.
	busy       bool
	flawed     bool // it is a kernel with a result, so that calls of it follow from that
	suppressed bool // its declarations contradict each other: see mistakes
}

// formals returns the declaration that calls are held against.
func (g *global) formals() *ptx.Func {
	if g.def != nil {
		return g.def
	}
	return g.fn
}

// memory is what a checker leaves to the next one, so that a small module costs few
// allocations. It holds nothing of a module that was checked.
type memory struct {
	heads    arena.Arena[global]  // for functions
	mentions arena.Arena[*global] // for what they call
	marked   []*global            // those that reach has marked
	spare    *body                // for the one that is read; nil before the first
	reader   *ptx.Reader          // of bodies that are read one by one; nil before the first
	largest  int                  // statements of the largest body
}

// checkers are those that are done: they hold nothing but their memory.
var checkers = sync.Pool{New: func() any { return new(checker) }}

func newChecker(m *ptx.Module, p policy) *checker {
	c := checkers.Get().(*checker)
	c.begin(m, p)
	return c
}

// begin makes c, which holds nothing but memory, one of m.
func (c *checker) begin(m *ptx.Module, p policy) {
	p.Compile = p.Compile || p.lowering
	c.report = report{policy: p, file: m.Name}
	if c.globals == nil {
		c.globals = make(map[string]*global, len(m.Items))
	}
	c.facts = facts{m: m, arch: archOf(m.Target), since: arrivalOf(m.Target)}
	c.passing = (m.Version == ptx.Version{} || m.Version.AtLeast(paramFormals.major, paramFormals.minor)) && (c.arch == 0 || c.arch >= paramFormals.arch)
	if len(m.Errors) > 0 && !p.lowering { // of which package lower makes nothing anyway
		c.partial, c.syntaxErrors = true, withSyntaxErrors(m, m.Errors)
	}
	c.unread()
	c.names = resolve.NewTable(m)
}

// reading returns the reader of bodies.
func (c *checker) reading() *ptx.Reader {
	if c.reader == nil {
		c.reader = new(ptx.Reader)
	}
	return c.reader
}

// end returns the diagnostics. The checker is another's then.
func (c *checker) end() diag.List {
	list := c.sorted(c.m)
	c.release()
	checkers.Put(c)
	return list
}

// The memory of a checker is not kept from so many functions and variables of a module,
// or statements of a body, on: to clear it takes the time of the largest that it held, and
// it would never be given back. That for a body of more statements is let go with it.
const (
	manyGlobals    = 1 << 10
	manyStatements = 1 << 12
)

// release leaves c nothing but memory.
func (c *checker) release() {
	mem, globals, order := c.memory, c.globals, c.order
	*c = checker{}
	if len(globals) > manyGlobals || mem.largest > manyStatements {
		return
	}
	clear(globals)
	clear(order)
	clear(mem.marked)
	mem.heads.Clear()
	mem.mentions.Clear()
	if mem.spare != nil {
		mem.spare.release()
	}
	if mem.reader != nil {
		mem.reader.Reset()
	}
	c.memory, c.globals, c.order = mem, globals, order[:0]
}

// restart makes c what it was before the first item.
func (c *checker) restart() {
	clear(c.globals)
	c.heads.Reset()
	c.mentions.Reset()
	c.program = program{globals: c.globals, order: c.order[:0], owners: c.owners, debug: c.debug}
	c.mistakes = mistakes{}
	c.report = report{policy: c.policy, file: c.file}
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
	from.mentions = c.mentions.Append(from.mentions, g)
}

// ownerOf returns the function that has a formal of that name; "" if none has, or
// more than one.
func (c *checker) ownerOf(name string) string {
	if c.owners == nil {
		c.owners = make(map[string]string)
		for _, it := range c.m.Items {
			f, ok := it.(*ptx.Func)
			if !ok {
				continue
			}
			for _, list := range [...][]ptx.Formal{f.Results, f.Params} {
				for i := range list {
					name := f.Name
					if was, ok := c.owners[list[i].Name]; ok && was != name {
						name = ""
					}
					c.owners[list[i].Name] = name
				}
			}
		}
	}
	return c.owners[name]
}

// forDebugger reports whether a label is one that the debug sections of the
// module refer to. Compilers put those anywhere; control does not come by them.
func (c *checker) forDebugger(label string) bool {
	if c.debug == nil {
		c.debug = make(map[string]bool)
		for _, it := range c.m.Items {
			if raw, ok := it.(*ptx.Raw); ok {
				for name := range ptx.TextNames(raw.Text) {
					c.debug[name] = true
				}
			}
		}
	}
	return c.debug[label]
}

// partialModule reports whether the module's declarations may lack some.
func (c *checker) partialModule() bool { return c.halfRead || c.partial && c.syntaxErrors == nil }

// withSyntaxErrors are the functions in whose bodies the syntax errors of a module
// stand. It is nil if one stands elsewhere, or where a body begins or ends: a brace
// may be one that does not belong there, and a declaration of the module, or the
// head of a function, be among what could not be read.
func withSyntaxErrors(m *ptx.Module, syntax diag.List) map[*ptx.Func]bool {
	funcs := make(map[*ptx.Func]bool)
	for _, e := range syntax {
		f := bodyAt(m, e.Pos)
		if f == nil {
			return nil
		}
		funcs[f] = true
	}
	return funcs
}

// bodyAt returns the function in whose body a position is, after where the first
// statement begins; nil if there is none.
func bodyAt(m *ptx.Module, pos diag.Pos) *ptx.Func {
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || len(f.Body) == 0 {
			continue
		}
		if first := stmtPos(f.Body[0]); first.IsValid() && first.Before(pos) && pos.Before(f.EndPos) {
			return f
		}
	}
	return nil
}

// stmtPos is where a statement begins, the zero Pos of one that no body of a compiler's begins with.
func stmtPos(s ptx.Stmt) diag.Pos {
	switch s := s.(type) {
	case *ptx.Decl:
		return s.Pos
	case *ptx.Instr:
		return s.Pos
	case *ptx.Access:
		return s.Pos
	case *ptx.Call:
		return s.Pos
	case *ptx.Label:
		return s.Pos
	case *ptx.Directive:
		return s.Pos
	}
	return diag.Pos{}
}
