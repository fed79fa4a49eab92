package lower

import (
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
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
	sym    *resolved.Symbol
	source string // as PTX names it
	size   int    // bytes; 0 if unsized
	align  int

	stores, loads   []ref
	stored          wordSet // words that stores touch
	asArg, asResult []ref
	addressed       []ref // where its address is taken

	place place
	loc   abi.Loc // of a formal: where the assignment puts it
	frame int     // offset in the frame from the body's stack pointer, if inFrame
	// pending are the words that folded stores have given so far.
	pending pendingWords
	// wholes are those that are words of variables in memory.
	wholes  byWord[wholeWord]
	fetched []lir.Reg // by word: the register that it has been loaded into
	inWords []int32   // by word: number of the name of the register that keeps it, plus 1
	held    []bool    // words that relays need in registers of their own
	loaded  wordSet   // those of them that have been loaded from memory
}

// plan walks the body once to learn what emission needs to know before it
// begins: what touches each variable, what is called, how large the frame is.
func (fn *fn) plan() {
	fn.rewind()
	fn.declareNames()
	fn.declareFormals(resolved.Param, fn.params)
	fn.declareFormals(resolved.Result, fn.f.Results)
	fn.planBody()
	if fn.falls { // the end of the body returns
		fn.rets = append(fn.rets, ref{len(fn.f.Body), fn.seg, fn.calls})
	}
	if fn.h != nil {
		fn.settle()
	}
	if fn.names.repeated {
		fn.names.uniqueLabels(fn.in.Labels)
	}
	for _, v := range fn.vars {
		fn.choose(v)
	}
	fn.findRelays()
	fn.layFrame()
}

// resized returns a list of n elements, of which nothing is known, in the room of
// one if there is enough.
func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}

// rewind begins a walk over the body.
func (fn *fn) rewind() {
	fn.names.reset()
	fn.at, fn.seg, fn.calls, fn.block, fn.list = 0, 0, 0, 0, 0
}

func (fn *fn) here() ref { return ref{fn.at, fn.seg, fn.calls} }

// A member is one of the variables that name<count> declares.
type member struct {
	id    int // of the symbol
	index string
}

// track makes v findable by its symbol, which has been declared.
func (fn *fn) track(v *pvar) {
	fn.syms[v.sym.ID].v = v
	fn.tracked.add(v.sym.Var)
	if !v.sym.Var.Ranged() {
		fn.vars = append(fn.vars, v)
	}
}

// variable returns the variable that a name means here, nil if it means none
// that is tracked. The members of name<count> are made when they are first
// mentioned, since the count may be anything.
func (fn *fn) variable(name string) *pvar {
	return fn.variableOf(fn.in.Lookup(fn.at, name), name)
}

// variableOf is variable for a name whose symbol is known.
func (fn *fn) variableOf(sym *resolved.Symbol, name string) *pvar {
	if sym == nil {
		return nil
	}
	v := fn.syms[sym.ID].v
	if v == nil || !sym.Var.Ranged() {
		return v
	}
	return fn.memberOf(v, sym, name)
}

// memberOf returns the one of the variables v of a name<count> that a name means.
func (fn *fn) memberOf(v *pvar, sym *resolved.Symbol, name string) *pvar {
	stem := len(sym.Var.Name)
	key := member{sym.ID, name[stem:]}
	if one := fn.members[key]; one != nil {
		return one
	}
	one := fn.pvar(sym, name, resolve.Size(sym.Spec, sym.Var))
	one.loc = v.loc
	if fn.members == nil {
		fn.members = make(map[member]*pvar)
	}
	fn.members[key] = one
	fn.vars = append(fn.vars, one)
	return one
}

// formal returns the symbol of formal i of a role.
func (fn *fn) formal(role resolved.Role, i int) *resolved.Symbol {
	switch {
	case role == resolved.Result:
		return fn.in.Syms[i]
	case !fn.inBody:
		return fn.in.Syms[len(fn.f.Results)+i]
	}
	for _, sym := range fn.in.Syms[len(fn.f.Results):] {
		if sym.Role == resolved.Param {
			if i == 0 {
				return sym
			}
			i--
		}
	}
	return nil
}

func (fn *fn) declareFormals(role resolved.Role, list []ptx.Formal) {
	places := fn.asn.Params
	if role == resolved.Result {
		places = fn.asn.Results
	}
	for i := range list {
		p := &list[i]
		sym, size := fn.formal(role, i), resolve.Size(&p.Spec, &p.Var)
		fn.mentions.use(int32(sym.Name)).reads = allBytes // by the caller, where it is a register
		if p.Space != ptx.ParamSpace {
			if h := fn.lodging(p.Name, sym); h != nil && role == resolved.Param {
				fn.h.write(h, -1)
			}
			continue
		}
		v := fn.pvar(sym, p.Name, size)
		if i < len(places) {
			v.loc = places[i].Loc
		}
		fn.track(v)
		if role == resolved.Result {
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

// planDecl plans a declaration, the first name of which is symbol first.
func (fn *fn) planDecl(d *ptx.Decl, first int) {
	for i := range d.Vars {
		v := &d.Vars[i]
		if v.Init != "" {
			fn.taking(d)
		}
		if fn.inBody && d.Space == ptx.ParamSpace {
			continue // a formal of a kernel of PTX 1.0 to 1.3
		}
		if d.Space != ptx.ParamSpace && d.Space != ptx.LocalSpace {
			continue
		}
		fn.noteName(v.Name)
		fn.track(fn.pvar(fn.in.Syms[first+i], v.Name, resolve.Size(&d.Spec, v)))
	}
}

func (fn *fn) planAccess(a *ptx.Access) {
	reads := accessReads(a)
	refs := fn.in.Operands(fn.at)
	for _, r := range refs[1:] {
		fn.noteReads(r.Name, reads)
	}
	fn.noteReads(refs[0].Name, allBytes) // of a register
	v := fn.variableOf(fn.in.Sym(refs[0]), a.Addr.Base)
	fn.noteGuard(a.Guard)
	if a.Store {
		fn.mentions.passes = true
	}
	if v == nil {
		return // complained of when it is emitted
	}
	if !a.Store {
		v.loads = append(v.loads, fn.here())
		return
	}
	v.stores = append(v.stores, fn.here())
	off := fn.offset(a, v.sym)
	if off < 0 || off > maxOffset {
		return
	}
	for k := int(off) / 4; 4*k < int(off)+a.Volume; k++ {
		v.stored.add(k)
	}
}

// offset is the offset in bytes of an access to a variable.
func (fn *fn) offset(a *ptx.Access, sym *resolved.Symbol) int64 {
	if a.Addr.Indexed {
		return a.Addr.Off * int64(resolve.ElemSize(sym.Spec))
	}
	return a.Addr.Off
}

// planInstr looks for names of variables among the operands of an instruction of a kind,
// for one that is not plain or where they do not all begin with a percent sign. It
// returns what there is to know of the instruction when it is emitted.
func (fn *fn) planInstr(in *ptx.Instr, kind instrKind) instrKind {
	switch {
	case kind == returns:
		fn.rets = append(fn.rets, fn.here())
		return kind | named
	case kind.ends():
		return kind | named // labels among them
	case kind == movesStack:
		fn.alloca = true
	}
	names := identifiers{text: in.Args}
	for name := names.nextBare(); name != ""; name = names.nextBare() {
		if kind&named == 0 {
			kind |= named
			fn.taking(in)
		}
		bit := filterBit(name)
		fn.bareNames |= bit
		if fn.tracked&bit != 0 && fn.addresses(name) {
			kind |= takesAddress
		}
	}
	if !fn.percent {
		return kind
	}
	names = identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		if name[0] == '%' && fn.tracked.has(name) && fn.addresses(name) {
			kind |= takesAddress
		}
	}
	return kind
}

// addresses takes note of a variable that an instruction names. It reports whether
// it is one.
func (fn *fn) addresses(name string) bool {
	v := fn.variable(name)
	if v == nil {
		return false
	}
	v.addressed = append(v.addressed, fn.here())
	return true
}

// wordOf is the register that keeps word i of a variable in words.
func (fn *fn) wordOf(v *pvar, i int) lir.Reg {
	for i < lowWords && len(v.inWords) <= i {
		v.inWords = append(v.inWords, 0)
	}
	if i >= lowWords {
		return fn.virtual(fn.wordName(v, i), sass.Whole)
	}
	if v.inWords[i] == 0 {
		v.inWords[i] = fn.in.Number(fn.wordName(v, i)) + 1
	}
	return lir.Virt(v.inWords[i]-1, sass.Whole)
}

// wordName is the name of the register that keeps word i of a variable in words.
func (fn *fn) wordName(v *pvar, i int) string {
	b := append(append(fn.line[:0], v.source...), fn.added(v.sym)...)
	fn.line = strconv.AppendInt(append(b, '.'), int64(i), 10)
	return fn.bytes(fn.line)
}

// nameOf is v's name, unique within the function.
func (fn *fn) nameOf(v *pvar) string {
	if n := fn.added(v.sym); n != "" {
		return v.source + n
	}
	return v.source
}
