package check

import (
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/arrival"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A checker is one run over a module. What rules may read, and change, is in four
// parts: the facts about the module, which stay; what the module has declared so
// far; what was wrong already, so that nothing is reported twice; and the report. A rule
// is a function of a checker, or of a body, which has a checker and what is known of
// the body besides. What several rules ask is a method.
type checker struct {
	facts
	report
	program  program
	mistakes mistakes

	memories sync.Pool
	kept     int                 // nodes of bodies that the program has
	spare    bodyCheck           // the memory of the body at hand
	seen     map[string]diag.Pos // formals of the head at hand
	unknown  map[string]string   // by opcode: the first word of it that is not known
}

// A bodyMemory is that of a body, which others take when the body is not used any more.
type bodyMemory struct {
	reader ptx.Reader // where there is an outline
	body   body.Body
}

// facts are what is known of a module before its first item. Nothing changes them.
type facts struct {
	m       *ptx.Module
	outline *ptx.Outline // that has the bodies; nil where m has them
	arch    int          // number of the module's architecture; 0 if it is not known
	// since is when there was that first; nil if it is not known.
	since *arrival.Arrival
	// passing says that there are paramFormals.
	passing bool
	// misreads says that the assembler's release is known, and reads parts of words of kernels' parameters wrongly.
	misreads bool
	names    *resolve.Table // the functions and variables of the whole module
	inner    *resolve.Table // of an outline, with the functions that bodies declare; nil before it is needed
	// broken are the bodies with syntax errors, by where their functions begin. A declaration of the module, or the head of
	// a function, may be among what could not be read where partial is set.
	broken  map[diag.Pos]brokenBody
	partial bool
	roots   map[string]bool // variables that hold functions
}

// brokenBody says how many syntax errors a body has, and whether one is at its end.
type brokenBody struct {
	errors int
	atEnd  bool
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
	heads    map[string]bool // directives of the module's head
	// found on demand
	owners map[string]string // formals → their functions
	debug  map[string]bool   // names in debug sections
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

	unread   []int32   // formals that its body does not mention
	roots    []string  // variables that hold functions and that its body mentions
	mentions []*global // functions whose name its body mentions
	called   diag.Pos  // of the first mention; zero if there is none
	protos   []*ptx.Prototype
	indirect diag.Pos // of the first indirect call in its body
	reached  bool     // a kernel can reach it, or it stands for itself
	rooted   bool     // but only by variables that nothing reads
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

// newChecker returns a checker of a module, whose bodies are in an outline, if there is one, and whose names are in
// a table, if that has been made.
func newChecker(m *ptx.Module, o *ptx.Outline, table *resolve.Table, opts Options) *checker {
	opts.Compile = opts.Compile || opts.Lower
	c := &checker{memories: sync.Pool{New: func() any { return new(bodyMemory) }}, seen: make(map[string]diag.Pos), unknown: make(map[string]string)}
	c.report = report{Options: opts, file: m.Name, dropped: make(map[*diag.Diagnostic]bool)}
	c.program.globals, c.program.heads = make(map[string]*global, len(m.Items)), make(map[string]bool)
	c.program.rootVars, c.program.tables = make(map[string]bool), make(map[string]*callTable)
	c.mistakes = newMistakes()
	c.facts = facts{m: m, outline: o, names: table, inner: table, arch: archOf(m.Target), since: arrival.Of(m.Target), broken: make(map[diag.Pos]brokenBody)}
	if table == nil {
		c.names = resolve.NewTable(m)
	}
	c.passing = (m.Version == ptx.Version{} || m.Version.AtLeast(paramFormals.major, paramFormals.minor)) && (c.arch == 0 || c.arch >= paramFormals.arch)
	v := release(m, opts)
	c.misreads = v.AtLeast(firstMisreading.Major, firstMisreading.Minor) && lastMisreading.AtLeast(v.Major, v.Minor)
	if !opts.Compile {
		c.roots = holdFunctions(c)
	}
	c.noteSyntax(m.Errors)
	c.program.halfRead = c.unread(m.Unread)
	return c
}

// declaredLater returns the function, kernel or alias that the module declares under a name, nil if none.
func (c *checker) declaredLater(name string) *resolve.Symbol {
	if c.outline == nil {
		return c.names.Lookup(name)
	}
	if c.inner == nil {
		c.inner = resolve.NewOutlineTable(c.outline)
	}
	return c.inner.Lookup(name)
}

// mention notes that a function, or the module where from is nil, calls g or
// takes its address.
func (c *checker) mention(from, g *global, pos diag.Pos) {
	if !g.called.IsValid() {
		g.called = pos
	}
	if from == nil {
		c.program.roots = append(c.program.roots, g)
		return
	}
	from.mentions = append(from.mentions, g)
}

// ownerOf returns the function that has a formal of that name; "" if none has, or
// more than one.
func (c *checker) ownerOf(name string) string {
	if c.program.owners == nil {
		c.program.owners = make(map[string]string)
		for _, it := range c.m.Items {
			f, ok := it.(*ptx.Func)
			if !ok {
				continue
			}
			for _, p := range formalsOf(f) {
				name := f.Name
				if was, ok := c.program.owners[p.Name]; ok && was != name {
					name = ""
				}
				c.program.owners[p.Name] = name
			}
		}
	}
	return c.program.owners[name]
}

// forDebugger reports whether a label is one that the debug sections of the
// module refer to. Compilers put those anywhere; control does not come by them.
func forDebugger(c *checker, label string) bool {
	if c.program.debug == nil {
		c.program.debug = make(map[string]bool)
		for _, it := range c.m.Items {
			if raw, ok := it.(*ptx.Raw); ok {
				for name := range ptx.TextNames(raw.Text) {
					c.program.debug[name] = true
				}
			}
		}
	}
	return c.program.debug[label]
}

// partialModule reports whether the module's declarations may lack some.
func (c *checker) partialModule() bool {
	return c.program.halfRead || c.partial
}

// noteSyntax notes where the syntax errors of a list are.
func (c *checker) noteSyntax(list diag.List) {
	for _, e := range list {
		f, body := c.m.FuncAt(e.Pos)
		if !body {
			c.partial = true
			continue
		}
		was := c.broken[f.Pos]
		c.broken[f.Pos] = brokenBody{was.errors + 1, was.atEnd || e.Pos == f.EndPos}
	}
}
