package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

// A place is where the bytes of a parameter variable are while its function
// runs.
type place uint8

const (
	// unplaced: nothing touches the variable.
	unplaced place = iota
	// inEntry: in the registers that the call left them in. Every access
	// stands before anything can have overwritten those.
	inEntry
	// inWords: in virtual registers name.0, name.1, … of 32 bits each.
	inWords
	// folded: an argument whose stores are turned into the moves of its call,
	// a result whose loads stand right behind its call, or a result formal
	// whose stores stand right before the return.
	folded
	// inFrame: in the function's frame.
	inFrame
	// incoming: in the caller's frame, at or above the stack pointer at entry.
	incoming
	// hidden: in the memory whose address the caller passed.
	hidden
	// inBank: in a kernel's parameter block.
	inBank
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
	name   string // unique within the function
	source string // as PTX names it
	pos    ptx.Pos
	size   int // bytes; 0 if unsized
	align  int

	stores, loads   []ref
	asArg, asResult []ref
	addressed       []ref // where its address is taken

	place place
	loc   abi.Loc // of a formal: where the assignment puts it
	frame int     // offset in the frame from the body's stack pointer, if inFrame
	// pending are the bytes that folded stores have given so far.
	pending []word
}

// A site is a call of the body.
type site struct {
	ok      bool
	name    string // of the callee or prototype, for notes
	params  []ptx.Formal
	results []ptx.Formal
	asn     abi.Assignment
	self    bool
	reg     bool // through a register
	// resultVar is the local that receives the result, nil if it goes to
	// registers or nowhere.
	resultVar *pvar
	buffer    int // offset in the frame of the memory for a result passed by its address; -1 if none
}

// plan walks the body once to learn what emission needs to know before it
// begins: what touches each variable, what is called, how large the frame is.
func (fn *fn) plan() {
	fn.scope.Reset()
	fn.vars = fn.vars[:0]
	fn.byID = fn.byID[:0]
	fn.declareFormals(sig.Param, fn.params)
	fn.declareFormals(sig.Result, fn.f.Results)
	fn.seg, fn.calls = 0, 0
	falls := true // control may reach the next statement
	for i, s := range fn.f.Body {
		fn.at = i
		switch s := s.(type) {
		case *ptx.Open:
			fn.scope.Open()
		case *ptx.Close:
			fn.scope.Close()
		case *ptx.Label:
			fn.seg++
			falls = true
		case *ptx.Decl:
			fn.planDecl(s)
		case *ptx.Prototype, *ptx.TargetList:
			fn.declareTargets(s)
		case *ptx.Access:
			fn.planAccess(s)
			falls = true
		case *ptx.Call:
			fn.planCall(s)
			fn.calls++
			falls = true
		case *ptx.Instr:
			fn.planInstr(s)
			falls = s.Guard != nil || !isBranch(s)
		}
	}
	if falls { // the end of the body returns
		fn.rets = append(fn.rets, ref{len(fn.f.Body), fn.seg, fn.calls})
	}
	for _, v := range fn.vars {
		fn.choose(v)
	}
	fn.layFrame()
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
	sym := fn.scope.Lookup(name)
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
	one := *v
	one.name = name + fn.names.renamed[sym.ID]
	one.source = name
	if fn.members == nil {
		fn.members = make(map[member]*pvar)
	}
	fn.members[key] = &one
	fn.vars = append(fn.vars, &one)
	return &one
}

func (fn *fn) declareFormals(role sig.Role, list []ptx.Formal) {
	places := fn.asn.Params
	if role == sig.Result {
		places = fn.asn.Results
	}
	for i := range list {
		p := &list[i]
		sym := &sig.Symbol{Spec: &p.Spec, Var: &p.Var, Role: role, Index: i}
		fn.declare(p.Name, sym)
		if p.Space != ptx.ParamSpace {
			continue
		}
		v := &pvar{sym: sym, name: fn.unique(sym), source: p.Name, pos: p.Var.Pos, size: sig.Size(&p.Spec, &p.Var), align: sig.Align(&p.Spec)}
		if i < len(places) {
			v.loc = places[i].Loc
		}
		fn.track(v)
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
		sym := &sig.Symbol{Spec: &d.Spec, Var: &d.Vars[i]}
		if fn.inBody && d.Space == ptx.ParamSpace {
			continue // a formal of a kernel of PTX 1.0 to 1.3
		}
		fn.declare(d.Vars[i].Name, sym)
		if d.Space != ptx.ParamSpace && d.Space != ptx.LocalSpace {
			continue
		}
		fn.noteName(d.Vars[i].Name)
		fn.track(&pvar{sym: sym, name: fn.unique(sym), source: d.Vars[i].Name, pos: d.Vars[i].Pos, size: sig.Size(&d.Spec, &d.Vars[i]), align: sig.Align(&d.Spec)})
	}
}

func (fn *fn) planAccess(a *ptx.Access) {
	v := fn.variable(a.Addr.Base)
	if v == nil {
		return // complained of when it is emitted
	}
	if a.Store {
		v.stores = append(v.stores, fn.here())
	} else {
		v.loads = append(v.loads, fn.here())
	}
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
	names := identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		if name[0] == '%' && !fn.percent {
			continue
		}
		if v := fn.variable(name); v != nil {
			v.addressed = append(v.addressed, fn.here())
			fn.addressed = true
		}
	}
}

// isStackOp reports whether in moves the stack pointer or asks for it.
func isStackOp(in *ptx.Instr) bool {
	op, _, _ := strings.Cut(in.Op, ".")
	return op == "alloca" || op == "stacksave" || op == "stackrestore"
}

func isReturn(in *ptx.Instr) bool { return in.Op == "ret" || in.Op == "ret.uni" }

func isExit(in *ptx.Instr) bool { return in.Op == "exit" }

// isBranch reports whether control does not go on behind in.
func isBranch(in *ptx.Instr) bool {
	switch in.Op {
	case "bra", "bra.uni", "ret", "ret.uni", "exit", "trap", "brx.idx", "brx.idx.uni":
		return true
	}
	return false
}

// identifiers walks over the names in the text of operands.
type identifiers struct {
	text string
	off  int
}

func nameByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// next returns the next name, "" at the end. Numbers, strings, comments and
// what follows a dot are no names.
func (it *identifiers) next() string {
	t, i := it.text, it.off
	for i < len(t) {
		c := t[i]
		switch {
		case c == '"':
			for i++; i < len(t) && t[i] != '"'; i++ {
				if t[i] == '\\' {
					i++
				}
			}
			i++
		case c == '/' && i+1 < len(t) && t[i+1] == '/':
			for i < len(t) && t[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(t) && t[i+1] == '*':
			for i += 2; i < len(t) && (t[i] != '/' || t[i-1] != '*'); i++ {
			}
			i++
		case c == '.' || '0' <= c && c <= '9':
			for i++; i < len(t) && nameByte(t[i]); i++ {
			}
		case c == '%' || nameByte(c):
			start := i
			for i++; i < len(t) && nameByte(t[i]); i++ {
			}
			if i-start > 1 || c != '%' {
				it.off = i
				return t[start:i]
			}
		default:
			i++
		}
	}
	it.off = i
	return ""
}

// choose decides where v lives.
func (fn *fn) choose(v *pvar) {
	sym := v.sym
	switch {
	case sym.Spec.Space == ptx.LocalSpace:
		v.place = inFrame
	case sym.Role == sig.Param:
		fn.chooseParam(v)
	case sym.Role == sig.Result:
		fn.chooseResult(v)
	default:
		fn.chooseLocal(v)
	}
}

func (fn *fn) chooseParam(v *pvar) {
	switch v.loc.Kind {
	case abi.InConst:
		v.place = inBank
	case abi.OnStack:
		v.place = incoming
	case abi.InReg:
		switch {
		case len(v.addressed) > 0:
			v.place = inFrame
		case fn.allEarly(v.loads):
			v.place = inEntry
		default:
			v.place = inWords
		}
	}
}

// allEarly reports whether every ref stands before the first label and the
// first call, where registers are as the caller left them.
func (fn *fn) allEarly(refs []ref) bool {
	for _, r := range refs {
		if r.seg != 0 || r.call != 0 {
			return false
		}
	}
	return true
}

// early reports whether all that touches v does so where registers are as the
// caller left them.
func (fn *fn) early(v *pvar) bool {
	return fn.allEarly(v.stores) && fn.allEarly(v.loads) && fn.allEarly(v.addressed)
}

func (fn *fn) chooseResult(v *pvar) {
	switch {
	case v.loc.Kind == abi.Indirect:
		v.place = hidden
	case v.loc.Kind == abi.Nowhere:
	case len(v.addressed) > 0:
		v.place = inFrame
	case len(v.loads) == 0 && fn.straight(v.stores, fn.rets):
		v.place = folded
	default:
		v.place = inWords
	}
}

func (fn *fn) chooseLocal(v *pvar) {
	if fn.bigResult(v) {
		v.place = inFrame
		return
	}
	switch {
	case len(v.asArg) == 1 && len(v.asResult) == 0 && len(v.loads) == 0 && fn.straight(v.stores, v.asArg):
		v.place = folded
	case len(v.asResult) == 1 && len(v.asArg) == 0 && len(v.stores) == 0 && follow(v.asResult[0], v.loads):
		v.place = folded
	case len(v.stores)+len(v.loads)+len(v.asArg)+len(v.asResult) > 0:
		v.place = inWords
	}
}

// bigResult reports whether v receives a result that comes through memory.
func (fn *fn) bigResult(v *pvar) bool {
	for _, r := range v.asResult {
		if s := &fn.sites[r.call]; s.ok && s.asn.Hidden.Kind == abi.InReg {
			return true
		}
	}
	return false
}

// follow reports whether all loads stand behind the call, in the same stretch
// of code, and before the next call.
func follow(call ref, loads []ref) bool {
	for _, r := range loads {
		if r.seg != call.seg || r.call != call.call+1 {
			return false
		}
	}
	return true
}

// straight reports whether stores can be folded into their only use: all of
// them stand before it in one stretch of code, unguarded, and nothing between
// touches the registers that they store.
func (fn *fn) straight(stores, uses []ref) bool {
	if len(uses) != 1 {
		return false
	}
	use := uses[0]
	for _, r := range stores {
		if r.seg != use.seg || r.stmt > use.stmt {
			return false
		}
		a := fn.f.Body[r.stmt].(*ptx.Access)
		if a.Guard != nil || !fn.unchanged(a, r.stmt, use.stmt) {
			return false
		}
	}
	return true
}

// unchanged reports whether nothing between the statements from and to can
// write a register that a stores.
func (fn *fn) unchanged(a *ptx.Access, from, to int) bool {
	if fn.busy[to] == fn.busy[from+1] {
		return true
	}
	if fn.mentions == nil {
		fn.findMentions()
	}
	for i := range a.Regs {
		list := fn.mentions[a.Regs[i].Name()]
		k, _ := slices.BinarySearch(list, int32(from+1))
		if k < len(list) && int(list[k]) < to {
			return false
		}
	}
	return true
}

// findMentions makes mentions, for each register that an st.param stores, the
// statements that may write it: all that mention it and are no st.param. Which
// operand an instruction writes is none of our business.
func (fn *fn) findMentions() {
	fn.mentions = make(map[string][]int32)
	for _, s := range fn.f.Body {
		if a, ok := s.(*ptx.Access); ok && a.Store {
			for i := range a.Regs {
				fn.mentions[a.Regs[i].Name()] = nil
			}
		}
	}
	for i, s := range fn.f.Body {
		switch s := s.(type) {
		case *ptx.Instr:
			names := identifiers{text: s.Args}
			for name := names.next(); name != ""; name = names.next() {
				fn.mention(name, i)
			}
		case *ptx.Access:
			if !s.Store {
				for k := range s.Regs {
					fn.mention(s.Regs[k].Name(), i)
				}
			}
		case *ptx.Call:
			for k := range s.Results {
				fn.mention(s.Results[k].Name(), i)
			}
		}
	}
}

func (fn *fn) mention(name string, i int) {
	if list, ok := fn.mentions[name]; ok && name != "" {
		fn.mentions[name] = append(list, int32(i))
	}
}

// countBusy makes busy[i] the number of statements before i that can write a
// register.
func (fn *fn) countBusy() {
	body := fn.f.Body
	if cap(fn.busy) < len(body)+1 {
		fn.busy = make([]int32, len(body)+1)
	}
	fn.busy = fn.busy[:len(body)+1]
	n := int32(0)
	for i, s := range body {
		fn.busy[i] = n
		switch s := s.(type) {
		case *ptx.Instr, *ptx.Call:
			n++
		case *ptx.Access:
			if !s.Store {
				n++
			}
		}
	}
	fn.busy[len(body)] = n
}

func wordName(name string, i int) string { return name + "." + strconv.Itoa(i) }
