package lower

import (
	"slices"
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A fn lowers one function.
type fn struct {
	*lowerer
	f      *ptx.Func
	params []ptx.Formal
	inBody bool // the formals are declared in the body
	asn    abi.Assignment

	scope  sig.Scope
	vars   []*pvar
	result *pvar   // of the result formal in .param space; nil if there is none
	byID   []*pvar // by the symbol's ID; nil for symbols that are no pvar
	// members holds those of name<count> that are mentioned.
	members map[member]*pvar
	sites   []site // in order of the calls
	rets    []ref
	busy    []int32
	// mentions is made when it is first asked for.
	mentions map[string][]int32
	frame    frame
	alloca   bool

	// Where the walk over the body is.
	at, seg, calls int
	addressed      bool // the address of some variable is taken
	percent        bool // some variable's name begins with %

	names nameTable
	h     *housing // nil where all registers keep their names
	// gathers says that the loads of the access at hand are not to be emitted yet.
	gathers bool
	out     []sass.Item
	args    []sass.Operand
	pos     ptx.Pos // of the statement being lowered
}

// function lowers a function that has a body.
func (l *lowerer) function(f *ptx.Func) *sass.Func {
	fn := &fn{lowerer: l, f: f, params: sig.Params(l.m, f), inBody: sig.InBody(l.m, f)}
	out := &sass.Func{Name: f.Name, Pos: sass.Pos(f.Pos)}
	s := sig.Func(f)
	s.Params = sig.Values(fn.params)
	if !l.assign(&fn.asn, s, f.NamePos, f.Name, fn.params, f.Results) || !f.Entry && !fn.bound() {
		// The program is lost; what else is wrong is still to be found.
		fn.asn = abi.Assignment{Kind: s.Kind, Params: make([]abi.Placement, len(fn.params)), Results: make([]abi.Placement, len(f.Results))}
	}
	fn.names.init(f)
	fn.pos = f.BodyPos
	if l.opts.Homes != nil {
		fn.h = &housing{homes: make(map[virtual]*home), stored: make(map[int][]*home), member: make([]bool, len(f.Body))}
	}
	fn.countBusy()
	fn.plan()
	fn.out = make([]sass.Item, 0, len(f.Body)+16)
	fn.pos = f.BodyPos
	fn.describe()
	fn.prologue()
	fn.localComments()
	fn.entry()
	fn.body()
	out.Items = fn.out
	out.Kernel = f.Entry
	for _, p := range fn.asn.Params {
		out.Gives = append(out.Gives, inRegisters(p)...)
	}
	if fn.asn.Hidden.Kind == abi.InReg {
		out.Gives = append(out.Gives, fn.asn.Hidden.Reg)
	}
	if fn.h != nil {
		out.Homes = slices.Collect(fn.h.used.All())
	}
	return out
}

// bound reports whether the convention applies to a function, and complains if
// it does not.
func (fn *fn) bound() bool {
	f := fn.f
	if len(f.Results) > 1 {
		fn.cannot(f.Results[1].Pos, "%s has %d results, which switches the ABI off", f.Name, len(f.Results))
		return false
	}
	ok := fn.plain(f.Directive(".abi_preserve"), f.Name)
	for i, p := range fn.asn.Params {
		if p.Loc.Kind == abi.Nowhere {
			fn.cannot(f.Params[i].Pos, "%s of %s has no place in the ABI: a handle is passed as a .b64", f.Params[i].Name, f.Name)
			ok = false
		}
	}
	return ok
}

// body emits the statements.
func (fn *fn) body() {
	falls := fn.walk(fn.statement, func() {
		fn.redeclare(sig.Param, fn.params)
		fn.redeclare(sig.Result, fn.f.Results)
	})
	fn.flush("")
	if falls {
		fn.pos = fn.f.EndPos
		fn.ret("")
	}
}

func (fn *fn) statement(s ptx.Stmt) {
	if fn.h != nil && !fn.transparent(s) {
		fn.flush("")
	}
	switch s := s.(type) {
	case *ptx.Label:
		fn.emitLabel(s)
	case *ptx.Decl:
		fn.emitDecl(s)
	case *ptx.TargetList:
		fn.emitTargets(s)
	case *ptx.Access:
		fn.pos = s.Pos
		fn.access(s)
	case *ptx.Call:
		fn.pos = s.Pos
		fn.call(s)
	case *ptx.Instr:
		fn.pos = s.Pos
		fn.instr(s)
	case *ptx.Directive:
		if s.Name == ".pragma" {
			fn.comment(string(ptx.AppendStmt(nil, s)))
		}
	}
}

// redeclare makes formals visible in the second walk, with the IDs of the
// first.
func (fn *fn) redeclare(role sig.Role, list []ptx.Formal) {
	for i := range list {
		fn.declare(list[i].Name, &sig.Symbol{Spec: &list[i].Spec, Var: &list[i].Var, Role: role, Index: i})
	}
}

func (fn *fn) emitDecl(d *ptx.Decl) {
	for i := range d.Vars {
		if fn.inBody && d.Space == ptx.ParamSpace {
			continue
		}
		fn.declare(d.Vars[i].Name, &sig.Symbol{Spec: &d.Spec, Var: &d.Vars[i]})
	}
}

// instr emits an instruction that is neither a call nor a parameter access.
func (fn *fn) instr(in *ptx.Instr) {
	guard := fn.guard(in.Guard)
	switch {
	case isReturn(in):
		fn.ret(guard)
		return
	case isExit(in):
		fn.emit(guard, fn.t.Spelling.Exit, "")
		return
	}
	if fn.stackOp(in, guard) || fn.addressOf(in, guard) {
		return
	}
	fn.goesSomewhere(in)
	text := string(ptx.AppendStmt(nil, in))
	text = fn.names.rewrite(fn, in, text[:len(text)-1])
	fn.out = append(fn.out, sass.Item{Instr: sass.Instr{Text: text, Pos: sass.Pos(in.Pos), Contract: fn.homesIn(in)}})
}

// homesIn says which registers an instruction may write that is kept as text;
// nil where all registers keep their names.
func (fn *fn) homesIn(in *ptx.Instr) *sass.Contract {
	if fn.h == nil {
		return nil
	}
	c := &sass.Contract{}
	names := identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		if h := fn.homeOf(name, fn.scope.Lookup(name)); h != nil {
			for k := range h.Words {
				c.Gives = append(c.Gives, h.reg+sass.Reg(k))
			}
		}
	}
	if len(c.Gives) == 0 {
		return nil
	}
	return c
}

// guard returns a guard as pseudo-SASS writes it.
func (fn *fn) guard(g *ptx.Guard) string {
	if g == nil {
		return ""
	}
	name := fn.names.use(fn, g.Name)
	if g.Neg {
		return "@!" + name
	}
	return "@" + name
}

// emit appends an instruction.
func (fn *fn) emit(guard, op, note string, args ...sass.Operand) {
	n := len(fn.args)
	fn.args = append(fn.args, args...)
	fn.out = append(fn.out, sass.Item{Instr: sass.Instr{
		Guard: guard, Op: op, Args: fn.args[n:len(fn.args):len(fn.args)], Note: note, Pos: sass.Pos(fn.pos),
	}})
}

func (fn *fn) comment(text string) {
	fn.out = append(fn.out, sass.Item{Kind: sass.Comment, Text: text})
}

// scratch is a register that a call may change and that carries no parameter.
// Virtual registers never live there.
func (fn *fn) scratch() sass.Operand { return sass.R(fn.t.Frame.Scratch) }

func (fn *fn) newLabel() string {
	fn.lowerer.labels++
	return ".L_x_" + strconv.Itoa(fn.lowerer.labels-1)
}

func hex(n int) string { return "0x" + strconv.FormatInt(int64(n), 16) }
