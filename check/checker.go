package check

import (
	"sync"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/arrival"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A checker is one run over a module. The data that rules may read and change have four
// parts: the facts about the module, which do not change; the program, which the module has declared so
// far; the mistakes so far, so that nothing is reported twice; and the report. A rule
// is a function of a checker, or of a bodyCheck, which has a checker and the state of
// the body. Code that several rules need is a method.
type checker struct {
	facts
	report
	program  program
	mistakes mistakes

	memories sync.Pool
	kept     int                 // how many nodes of bodies the program refers to
	spare    bodyCheck           // the memory of the body at hand
	seen     map[string]diag.Pos // the names of the formals of the head at hand
	unknown  map[string]string   // by opcode: its first unknown word
}

// A bodyMemory is the memory of a body, which another body takes when this one is no longer used.
type bodyMemory struct {
	reader ptx.Reader // for the body of an outline
	body   body.Body
}

// facts has the facts about a module before its first item is checked. Nothing changes them, but broken, partial and
// inner, which the bodies add to.
type facts struct {
	m       *ptx.Module
	outline *ptx.Outline // has the bodies; nil if m has them
	arch    int          // the number of the module's architecture; 0 if it is not known
	// since is the first PTX version with that architecture; nil if it is not known.
	since *arrival.Arrival
	// passing says that the module has the feature paramFormals.
	passing bool
	// misreads says that the assembler's release is known, and reads parts of words of kernels' parameters wrongly.
	misreads bool
	names    *resolve.Table // the functions and variables of the whole module
	inner    *resolve.Table // of an outline, with the functions that bodies declare; nil before it is needed
	// broken has the bodies with syntax errors, by the positions of their functions. If partial is set, a declaration of
	// the module or the head of a function may be missing in the tree.
	broken  map[diag.Pos]brokenBody
	partial bool
	roots   map[string]bool // the variables whose initial values name functions
}

// A brokenBody is a body with syntax errors: how many, and whether one is at its end.
type brokenBody struct {
	errors int
	atEnd  bool
}

// A program has the declarations of the module up to the place at hand: a name
// means a declaration before it.
type program struct {
	globals  map[string]*global
	order    []*global       // the functions among them, in order
	noABI    diag.Pos        // of the declaration that switches the ABI off; zero if none does
	roots    []*global       // functions that are mentioned at module level
	rootVars map[string]bool // variables whose initial values name functions
	tails    []tail          // the arguments of calls for the tails of functions
	// halfRead says that an item begins with an unknown word: it may declare names.
	halfRead bool
	tables   map[string]*callTable
	heads    map[string]bool // directives of the module's head
	// Made when first needed.
	owners map[string]string // by name of a formal: its function, "" for several
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
	sized   bool // it is a variable, and a declaration says its extent

	tailLoads []tailPiece // the loads of its variadic tail in its body, at known offsets

	unread   []int32   // the formals that its body does not mention
	roots    []string  // the variables with addresses of functions that its body mentions
	mentions []*global // functions whose name its body mentions
	called   diag.Pos  // of the first mention; zero if there is none
	protos   []*ptx.Prototype
	indirect diag.Pos // of the first indirect call in its body
	reached  bool     // it is compiled for the ABI: see reach
	rooted   bool     // reached only through variables that nothing reads
	// busy says that its body does something but return. A body that does not is probably
	// still to be written: compilers drop calls of functions that do
	// nothing.
	busy       bool
	flawed     bool // it is a kernel with a result, so that calls of it follow from that
	suppressed bool // its declarations contradict each other: see mistakes
}

// formals returns the declaration that calls must fit: the definition, if there has been one.
func (g *global) formals() *ptx.Func {
	if g.def != nil {
		return g.def
	}
	return g.fn
}

// newChecker returns a checker of a module. If o is not nil, it has the bodies of the module. table is the table of the
// module, nil if it has not been made.
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

// mention records that a function, or the module if from is nil, calls g or
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

// forDebugger reports whether the debug sections of the
// module refer to a label. Compilers put such labels anywhere, and no branch goes there.
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

// partialModule reports whether declarations of the module may be missing in the tree.
func (c *checker) partialModule() bool {
	return c.program.halfRead || c.partial
}

// noteSyntax records in which bodies, or outside of bodies, the syntax errors of a list are.
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
