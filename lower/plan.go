package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A ref is a statement that touches a variable.
type ref struct {
	stmt int // index in the body
	seg  int // number of the straight stretch of code it stands in
	call int // how many calls stand before it
}

// A pvar is a variable of .param space, or one that needs a place in the
// frame.
type pvar struct {
	sym    *sig.Symbol
	source string // as PTX names it
	pos    ptx.Pos
	size   int // bytes; 0 if unsized
	align  int

	stores, loads   []ref
	stored          wordSet // words that stores touch
	asArg, asResult []ref
	addressed       []ref // where its address is taken

	place place
	loc   abi.Loc // of a formal: where the assignment puts it
	frame int     // offset in the frame from the body's stack pointer, if inFrame
	// pending are the words that folded stores have given so far.
	pending byWord[word]
	// wholes are those that are words of variables in memory.
	wholes  byWord[wholeWord]
	fetched []wordReg // by word: the register that it has been loaded into
	inWords []int32   // by word: number of the name of the register that keeps it, plus 1
	held    []bool    // words that relays need in registers of their own
	loaded  wordSet   // those of them that have been loaded from memory
}

// plan walks the body once to learn what emission needs to know before it
// begins: what touches each variable, what is called, how large the frame is.
func (fn *fn) plan() {
	falls := fn.walk(func(s ptx.Stmt) {
		if fn.h != nil {
			defer fn.house(s)
		}
		fn.gatherNames(s)
		switch s := s.(type) {
		case *ptx.Decl:
			fn.planDecl(s)
		case *ptx.Access:
			fn.planAccess(s)
		case *ptx.Call:
			fn.planCall(s)
		case *ptx.Instr:
			fn.planInstr(s)
		}
	}, func() {
		fn.declareFormals(sig.Param, fn.params)
		fn.declareFormals(sig.Result, fn.f.Results)
	})
	fn.mentions.first[len(fn.f.Body)] = int32(len(fn.mentions.list))
	if falls { // the end of the body returns
		fn.rets = append(fn.rets, ref{len(fn.f.Body), fn.seg, fn.calls})
	}
	if fn.h != nil {
		fn.settle()
	}
	for _, v := range fn.vars {
		fn.choose(v)
	}
	fn.findRelays()
	fn.layFrame()
}

// walk visits the statements of the body in order. Before each it has the
// scope, and where the walk is, as they are there; formals declares those of
// the function. It reports whether control may reach the end of the body.
func (fn *fn) walk(visit func(ptx.Stmt), formals func()) (falls bool) {
	fn.scope.Rewind()
	fn.names.reset()
	fn.at, fn.seg, fn.calls = 0, 0, 0
	fn.second = len(fn.syms) > 0
	formals()
	falls = true
	fn.labelAt = fn.labelAt[:0]
	for i, s := range fn.f.Body {
		fn.at = i
		switch s := s.(type) {
		case *ptx.Open:
			fn.scope.Open()
			fn.names.open(i)
		case *ptx.Close:
			fn.scope.Close()
			fn.names.close()
		case *ptx.Label:
			fn.seg++
			falls = true
			fn.labelAt = append(fn.labelAt, int32(i))
		case *ptx.Prototype, *ptx.TargetList:
			fn.declareTargets(s)
		case *ptx.Access:
			falls = true
		case *ptx.Call:
			falls = s.Guard != nil || !fn.noReturn(s)
		case *ptx.Instr:
			falls = s.Guard != nil || !isBranch(s)
		}
		visit(s)
		if _, ok := s.(*ptx.Call); ok {
			fn.calls++
		}
	}
	return falls
}

func (fn *fn) here() ref { return ref{fn.at, fn.seg, fn.calls} }

// A member is one of the variables that name<count> declares.
type member struct {
	id    int // of the symbol
	index string
}

// track makes v findable by its symbol.
func (fn *fn) track(v *pvar) {
	for len(fn.byID) <= v.sym.ID {
		fn.byID = append(fn.byID, nil)
	}
	fn.byID[v.sym.ID] = v
	if v.sym.Var.Count < 0 {
		fn.vars = append(fn.vars, v)
	}
}

// variable returns the variable that a name means here, nil if it means none
// that is tracked. The members of name<count> are made when they are first
// mentioned, since the count may be anything.
func (fn *fn) variable(name string) *pvar {
	return fn.variableOf(fn.scope.Lookup(name), name)
}

// variableOf is variable for a name whose symbol is known.
func (fn *fn) variableOf(sym *sig.Symbol, name string) *pvar {
	if sym == nil || sym.ID >= len(fn.byID) || fn.byID[sym.ID] == nil {
		return nil
	}
	v := fn.byID[sym.ID]
	if sym.Var.Count < 0 {
		return v
	}
	stem := len(sym.Var.Name)
	key := member{sym.ID, name[stem:]}
	if one := fn.members[key]; one != nil {
		return one
	}
	one := fn.pvar(pvar{sym: sym, source: name, pos: v.pos, size: v.size, align: v.align, loc: v.loc})
	if fn.members == nil {
		fn.members = make(map[member]*pvar)
	}
	fn.members[key] = one
	fn.vars = append(fn.vars, one)
	return one
}

func (fn *fn) declareFormals(role sig.Role, list []ptx.Formal) {
	places := fn.asn.Params
	if role == sig.Result {
		places = fn.asn.Results
	}
	for i := range list {
		p := &list[i]
		sym := fn.declare(p.Name, sig.Symbol{Spec: &p.Spec, Var: &p.Var, Role: role, Index: i})
		if p.Space != ptx.ParamSpace {
			if h := fn.lodging(p.Name, sym); h != nil && role == sig.Param {
				fn.h.write(h, -1)
			}
			continue
		}
		v := fn.pvar(pvar{sym: sym, source: p.Name, pos: p.Var.Pos, size: sig.Size(&p.Spec, &p.Var), align: sig.Align(&p.Spec)})
		if i < len(places) {
			v.loc = places[i].Loc
		}
		fn.track(v)
		if role == sig.Result {
			fn.result = v
		}
		fn.noteName(p.Name)
	}
}

// noteName remembers whether names that are not registers may begin with %.
func (fn *fn) noteName(name string) {
	if name != "" && name[0] == '%' {
		fn.percent = true
	}
}

func (fn *fn) planDecl(d *ptx.Decl) {
	for i := range d.Vars {
		if fn.inBody && d.Space == ptx.ParamSpace {
			continue // a formal of a kernel of PTX 1.0 to 1.3
		}
		sym := fn.declare(d.Vars[i].Name, sig.Symbol{Spec: &d.Spec, Var: &d.Vars[i]})
		if d.Space != ptx.ParamSpace && d.Space != ptx.LocalSpace {
			continue
		}
		fn.noteName(d.Vars[i].Name)
		fn.track(fn.pvar(pvar{sym: sym, source: d.Vars[i].Name, pos: d.Vars[i].Pos, size: sig.Size(&d.Spec, &d.Vars[i]), align: sig.Align(&d.Spec)}))
	}
}

func (fn *fn) planAccess(a *ptx.Access) {
	v := fn.variableOf(fn.scope.At(fn.id(len(a.Regs))), a.Addr.Base)
	if v == nil {
		return // complained of when it is emitted
	}
	if a.Store {
		v.stores = append(v.stores, fn.here())
		off := fn.offset(a, v.sym)
		if off < 0 || off > maxOffset {
			return
		}
		for k := int(off) / 4; 4*k < int(off)+a.Volume; k++ {
			v.stored.add(k)
		}
	} else {
		v.loads = append(v.loads, fn.here())
	}
}

// offset is the offset in bytes of an access to a variable.
func (fn *fn) offset(a *ptx.Access, sym *sig.Symbol) int64 {
	if a.Addr.Indexed {
		return a.Addr.Off * int64(sig.ElemSize(sym.Spec))
	}
	return a.Addr.Off
}

// planInstr looks for names of variables among an instruction's operands.
func (fn *fn) planInstr(in *ptx.Instr) {
	if isReturn(in) {
		fn.rets = append(fn.rets, fn.here())
		return
	}
	if isBranch(in) {
		return
	}
	if isStackOp(in) {
		fn.alloca = true
	}
	onlyRegs := true
	if m := &fn.mentions; m.all {
		for _, n := range m.list[m.first[fn.at]:] {
			onlyRegs = fn.planName(fn.scope.Name(n), n) && onlyRegs
		}
	} else {
		names := identifiers{text: in.Args}
		for name := names.next(); name != ""; name = names.next() {
			onlyRegs = fn.planName(name, -1) && onlyRegs
		}
	}
	if onlyRegs {
		for len(fn.onlyRegs) <= fn.at {
			fn.onlyRegs = append(fn.onlyRegs, false)
		}
		fn.onlyRegs[fn.at] = true
	}
}

// planName looks at a name among an instruction's operands, of number n where that
// is known. It reports whether it begins with %.
func (fn *fn) planName(name string, n int32) (percent bool) {
	percent = name[0] == '%'
	if percent && !fn.percent {
		return true
	}
	if n < 0 {
		n = fn.scope.Number(name)
	}
	if v := fn.variableOf(fn.scope.At(n), name); v != nil {
		v.addressed = append(v.addressed, fn.here())
		for len(fn.addressed) <= fn.at {
			fn.addressed = append(fn.addressed, false)
		}
		fn.addressed[fn.at] = true
	}
	return percent
}

// wordOf is the register that keeps word i of a variable in words.
func (fn *fn) wordOf(v *pvar, i int) wordReg {
	for i < lowWords && len(v.inWords) <= i {
		v.inWords = append(v.inWords, 0)
	}
	if i >= lowWords {
		return fn.virtual(fn.wordName(v, i), sass.Whole)
	}
	if v.inWords[i] == 0 {
		v.inWords[i] = fn.scope.Number(fn.wordName(v, i)) + 1
	}
	return wordReg{name: v.inWords[i] - 1, kind: sass.Virtual}
}

// wordName is the name of the register that keeps word i of a variable in words.
func (fn *fn) wordName(v *pvar, i int) string {
	b := append(append(fn.line[:0], v.source...), fn.names.added(v.sym.ID)...)
	fn.line = strconv.AppendInt(append(b, '.'), int64(i), 10)
	return fn.bytes(fn.line)
}

// nameOf is v's name, unique within the function.
func (fn *fn) nameOf(v *pvar) string {
	if n := fn.names.added(v.sym.ID); n != "" {
		return v.source + n
	}
	return v.source
}
