package lower

import (
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

	scope sig.Scope
	vars  []*pvar
	byID  []*pvar // by the symbol's ID; nil for symbols that are no pvar
	sites []site  // in order of the calls
	rets  []ref
	busy  []int32
	// mentions is made when it is first asked for.
	mentions map[string][]int32
	frame    frame
	alloca   bool

	// Where the walk over the body is.
	at, seg, calls int
	addressed      bool // the address of some variable is taken
	percent        bool // some variable's name begins with %

	names nameTable
	out   []sass.Item
	args  []sass.Operand
	pos   ptx.Pos // of the statement being lowered
}

// function lowers a function that has a body.
func (l *lowerer) function(f *ptx.Func) *sass.Func {
	fn := &fn{lowerer: l, f: f, params: sig.Params(l.m, f), inBody: sig.InBody(l.m, f)}
	out := &sass.Func{Name: f.Name, Pos: sass.Pos(f.Pos)}
	s := sig.Func(f)
	s.Params = sig.Values(fn.params)
	if !l.assign(&fn.asn, s, f.NamePos, f.Name, fn.params, f.Results) {
		return out
	}
	if !f.Entry && !fn.bound() {
		return out
	}
	fn.names.init(f)
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
	return out
}

// bound reports whether the convention applies to a function, and complains if
// it does not.
func (fn *fn) bound() bool {
	f := fn.f
	if len(f.Results) > 1 {
		fn.errorf(f.Results[1].Pos, NotLowered, "%s has %d results, which switches the ABI off; return one aggregate", f.Name, len(f.Results))
		return false
	}
	ok := true
	for i, p := range fn.asn.Params {
		if p.Loc.Kind == abi.Nowhere {
			fn.errorf(f.Params[i].Pos, NotLowered, "%s of %s has no place in the ABI: a handle is passed as a .b64", f.Params[i].Name, f.Name)
			ok = false
		}
	}
	return ok
}

// describe emits comments that say where each formal is.
func (fn *fn) describe() {
	for i := range fn.params {
		fn.comment("param  " + fn.params[i].Name + ": " + placeText(fn.asn.Params[i]))
	}
	for i := range fn.f.Results {
		fn.comment("result " + fn.f.Results[i].Name + ": " + placeText(fn.asn.Results[i]))
	}
}

func placeText(p abi.Placement) string {
	loc := p.Loc
	switch loc.Kind {
	case abi.InReg:
		text := "R" + strconv.Itoa(int(loc.Reg))
		if n := (p.Size + 3) / 4; n > 1 {
			text += ":R" + strconv.Itoa(int(loc.Reg)+n-1)
		}
		return text + sizeText(p)
	case abi.OnStack:
		return "stack " + sass.M(sass.SP, int64(loc.Off)).String() + " at entry" + sizeText(p)
	case abi.InConst:
		return sass.C(loc.Bank, int64(loc.Off)).String() + sizeText(p)
	case abi.Indirect:
		return "memory at the address in R" + strconv.Itoa(int(loc.Reg)) + sizeText(p)
	}
	return "nowhere"
}

func sizeText(p abi.Placement) string {
	return ", size " + strconv.Itoa(p.Size) + " align " + strconv.Itoa(p.Align)
}

// entry emits what happens to formals before the body begins.
func (fn *fn) entry() {
	for i := range fn.params {
		p := &fn.params[i]
		if p.Space == ptx.RegSpace {
			fn.enterReg(i)
		}
	}
	for _, v := range fn.vars {
		if v.sym.Role == sig.Param && v.loc.Kind == abi.InReg {
			fn.enterParam(v)
		}
	}
	if h := fn.asn.Hidden; h.Kind == abi.InReg {
		for _, v := range fn.vars {
			if v.place == hidden && !fn.allEarly(v.stores) {
				fn.emit("", "MOV", "address of "+v.name, fn.hiddenAddr(v), sass.R(h.Reg))
			}
		}
	}
}

// enterReg moves a formal in .reg space to its register.
func (fn *fn) enterReg(i int) {
	p := &fn.params[i]
	loc := fn.asn.Params[i].Loc
	size := fn.asn.Params[i].Size
	r, ok := fn.register(&ptx.Operand{Kind: ptx.KindName, Text: p.Name, Pos: p.Pos})
	if !ok {
		return
	}
	if r.pred {
		src := sass.R(loc.Reg)
		if loc.Kind == abi.OnStack {
			src = fn.scratch()
			fn.emit("", fn.t.Spelling.LoadLocal.B32, "", src, fn.incomingAt(loc.Off))
		}
		fn.emit("", "ISETP.NE.AND", note(p.Name, 0, 1), sass.P(r.name), sass.P("PT"), src, sass.R(sass.RZ), sass.P("PT"))
		return
	}
	for k := range r.words() {
		w := word{}
		for b := range min(4, size-4*k) {
			w.take(b, fn.formalWord(loc, k), b)
		}
		if loc.Kind == abi.OnStack {
			dst := fn.scratch()
			if !r.split() {
				dst = r.word(k)
			}
			fn.emit("", fn.t.Spelling.LoadLocal.B32, note(p.Name, 4*k, min(4*k+4, size)), dst, fn.incomingAt(loc.Off+4*k))
			if !r.split() {
				continue
			}
			w = word{}
			for b := range min(4, size-4*k) {
				w.take(b, dst, b)
			}
		}
		fn.toRegister(r, k, &w, "", note(p.Name, 4*k, min(4*k+4, size)))
	}
}

// formalWord is word k of a value in registers.
func (fn *fn) formalWord(loc abi.Loc, k int) sass.Operand {
	return sass.R(loc.Reg + sass.Reg(k))
}

// enterParam copies a formal that came in registers to where it lives.
func (fn *fn) enterParam(v *pvar) {
	if v.place != inWords && v.place != inFrame {
		return
	}
	for k := 0; 4*k < v.size; k++ {
		n := note(v.name, 4*k, min(4*k+4, v.size))
		if v.place == inWords {
			fn.emit("", "MOV", n, sass.V(wordName(v.name, k), sass.Whole), fn.formalWord(v.loc, k))
		} else {
			fn.emit("", fn.t.Spelling.StoreLocal.B32, n, sass.M(fn.base(), int64(v.frame+4*k)), fn.formalWord(v.loc, k))
		}
	}
}

// body emits the statements.
func (fn *fn) body() {
	fn.scope.Reset()
	fn.names.reset()
	fn.redeclare(sig.Param, fn.params)
	fn.redeclare(sig.Result, fn.f.Results)
	fn.seg, fn.calls = 0, 0
	falls := true // control may reach the next statement
	for i, s := range fn.f.Body {
		fn.at = i
		switch s := s.(type) {
		case *ptx.Open:
			fn.scope.Open()
			fn.names.open(fn.at)
		case *ptx.Close:
			fn.scope.Close()
			fn.names.close()
		case *ptx.Label:
			fn.seg++
			fn.out = append(fn.out, sass.Item{Kind: sass.Label, Text: fn.names.label(s.Name)})
			falls = true
		case *ptx.Decl:
			fn.emitDecl(s)
		case *ptx.Prototype:
			fn.scope.Declare(s)
		case *ptx.TargetList:
			fn.scope.Declare(s)
			fn.emitTargets(s)
		case *ptx.Access:
			fn.pos = s.Pos
			fn.access(s)
			falls = true
		case *ptx.Call:
			fn.pos = s.Pos
			fn.call(s)
			fn.calls++
			falls = true
		case *ptx.Instr:
			fn.pos = s.Pos
			fn.instr(s)
			falls = s.Guard != nil || !isBranch(s)
		case *ptx.Directive:
			if s.Name == ".pragma" {
				fn.comment(string(ptx.AppendStmt(nil, s)))
			}
		}
	}
	if falls {
		fn.pos = fn.f.EndPos
		fn.ret("")
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

func (fn *fn) emitTargets(l *ptx.TargetList) {
	if l.Branch {
		fn.comment(string(ptx.AppendStmt(nil, l)))
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
	text := string(ptx.AppendStmt(nil, in))
	text = fn.names.rewrite(fn, in, text[:len(text)-1])
	fn.out = append(fn.out, sass.Item{Instr: sass.Instr{Text: text, Pos: sass.Pos(in.Pos)}})
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
