package check

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// Options say how to judge a module. The zero Options judge it as a whole
// program that was read without a syntax error.
type Options struct {
	// Compile is the assembler's -c: the module is one of several. Externs may
	// stay unresolved, and every function is held to the ABI, not only those
	// that a kernel can come to.
	Compile bool
	// Pedantic makes errors of the warnings about what the manual forbids.
	Pedantic bool
	// Lowering is for a caller that handles what means something and what only
	// the assembler refuses, such as 8-bit formals and predicated stores to
	// arguments: complaints about that become warnings. It implies Compile.
	Lowering bool
	// Partial says that the module had syntax errors, so that the tree may lack
	// declarations: names that it does not declare are not complained about.
	Partial bool
	// Syntax are those errors, if they are known. Where all of them are in bodies of
	// functions, Partial is about these alone.
	Syntax diag.List
}

// Module returns every complaint about the parameter passing of m, sorted. It
// does not change m, and never panics on a tree that ptx.Parse made. A nil m is an
// error without a place.
func Module(m *ptx.Module, opts Options) diag.List {
	if m == nil {
		return diag.List{{Msg: "no module"}}
	}
	c := newChecker(m, opts)
	c.module()
	return c.sorted()
}

func newChecker(m *ptx.Module, opts Options) *checker {
	c := checkers.Get().(*checker)
	c.begin(m, opts)
	return c
}

// begin makes c, which holds nothing but its stock, one of m.
func (c *checker) begin(m *ptx.Module, opts Options) {
	if opts.Lowering {
		opts.Compile = true
	}
	c.m, c.opts = m, opts
	if c.globals == nil {
		c.globals = make(map[string]*global, len(m.Items))
	}
	c.arch, c.since = archOf(m.Target), arrivalOf(m.Target)
	c.passing = (m.Version == ptx.Version{} || m.Version.AtLeast(paramFormals.major, paramFormals.minor)) && (c.arch == 0 || c.arch >= paramFormals.arch)
	if opts.Partial && len(opts.Syntax) > 0 {
		c.torn = tornBodies(m, opts.Syntax)
	}
}

// sorted ends the check and returns the complaints. The checker is another's then.
func (c *checker) sorted() diag.List {
	errs := c.end()
	checkers.Put(c)
	return errs
}

// end is sorted for one that goes on to use the checker.
func (c *checker) end() diag.List {
	errs := c.errs
	if len(c.bad.dropped) > 0 {
		errs = slices.DeleteFunc(errs, func(e *diag.Diagnostic) bool { return c.bad.dropped[e] })
	}
	errs.Sort()
	c.forget()
	return errs
}

// Source reads a module and returns it with every complaint about it, sorted:
// those of [ptx.Parse] and those of [Module]. The name is that of the file.
func Source(name string, src []byte, opts Options) (*ptx.Module, diag.List) {
	m, err := ptx.Parse(name, src)
	var all diag.List
	if errors.As(err, &all) {
		opts.Partial, opts.Syntax = true, slices.Clone(all)
	}
	all = append(all, Module(m, opts)...)
	all.Sort()
	return m, all
}

// A checker is the state of one run of Module.
type checker struct {
	m       *ptx.Module
	outline *ptx.Outline // whose bodies are read one by one; nil where m has them
	opts    Options
	errs    diag.List
	arch    int // number of the module's architecture; 0 if it is not known
	// since is when there was that first; nil if it is not known.
	since *arrival
	// passing says that there are paramFormals.
	passing bool

	stock
	quiet     bool              // there is nothing to say of heads by themselves
	later     *resolve.Table    // the functions of the whole module
	noABI     diag.Pos          // of what switches the ABI off; zero if nothing does
	fn        *function         // the one whose body is read
	one       [1]signature      // room for that of a call
	owners    map[string]string // formals → their functions; made when first needed
	unknown   map[string]bool   // undeclared functions that were complained about
	far       []farAccess       // complaints that reach decides
	named     []farAccess       // complaints about parameters with the name of their function
	bad       poison
	torn      map[*ptx.Func]bool    // of a partial module, the functions that are; nil: it may be anything
	unwritten []unwritten           // complaints that the callee's body decides
	debug     map[string]bool       // names in debug sections; made when first needed
	rootVars  map[string]bool       // the variables that do it
	roots     []*global             // functions that are mentioned at module level
	tables    map[string]*callTable // of the module

	// read reads the body of a function again; nil where the tree holds bodies.
	read func(*ptx.Func) []ptx.Stmt
	kept int // prototypes of bodies that are in some global's protos
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
	linkage ptx.Linkage

	calls    []*global // functions whose name its body mentions
	called   diag.Pos  // of the first mention; zero if there is none
	protos   []*ptx.Prototype
	indirect diag.Pos // of the first indirect call in its body
	reached  bool     // a kernel can come to it, or it stands for itself
	rooted   bool     // but only by variables that nobody reads
	// busy says that its body does something but return. One that does not stands for
	// one that is still to be written: compilers drop calls of functions that do
	// nothing.
	busy     bool
	flawed   bool // its head drew an error
	poisoned bool // a complaint about its declarations was made
}

// formals returns the declaration that calls are held against.
func (g *global) formals() *ptx.Func {
	if g.def != nil {
		return g.def
	}
	return g.fn
}

// add appends a complaint.
func (c *checker) add(sev diag.Severity, code diag.Code, pos diag.Pos, msg string, rel ...diag.Related) {
	c.errs.Add(&diag.Diagnostic{File: c.m.Name, Pos: pos, Severity: sev, Code: code, Msg: msg, Related: rel})
}

// errorf complains about what the assembler refuses.
func (c *checker) errorf(code diag.Code, pos diag.Pos, format string, args ...any) {
	c.add(diag.Error, code, pos, fmt.Sprintf(format, args...))
}

// refusef complains about what the assembler refuses and package lower handles
// all the same.
func (c *checker) refusef(code diag.Code, pos diag.Pos, format string, args ...any) {
	c.add(c.refused(), code, pos, fmt.Sprintf(format, args...))
}

// refused is the severity of what the assembler refuses and package lower
// handles.
func (c *checker) refused() diag.Severity {
	if c.opts.Lowering {
		return diag.Warning
	}
	return diag.Error
}

// forbidf complains about what the manual forbids and the assembler takes.
func (c *checker) forbidf(code diag.Code, pos diag.Pos, format string, args ...any) {
	c.add(c.forbidden(), code, pos, fmt.Sprintf(format, args...))
}

// forbidden is the severity of what the manual forbids and the assembler takes.
func (c *checker) forbidden() diag.Severity {
	if c.opts.Pedantic {
		return diag.Error
	}
	return diag.Warning
}

// notef says something worth knowing.
func (c *checker) notef(code diag.Code, pos diag.Pos, format string, args ...any) {
	c.add(diag.Note, code, pos, fmt.Sprintf(format, args...))
}

func related(pos diag.Pos, format string, args ...any) diag.Related {
	if len(args) == 0 { // the text itself, and no room for it
		return diag.Related{Pos: pos, Msg: format}
	}
	return diag.Related{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// count returns "1 argument", "2 arguments".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
