package resolved

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Body is the body of a function whose names have been looked up: those of its
// accesses and calls once and for all, others when somebody asks. A Resolver makes it;
// afterwards only Number changes it. It may be read by one goroutine at a time, since
// looking names up keeps what was found last.
type Body struct {
	Func  *ptx.Func
	Stmts []ptx.Stmt // of the body; those of Func where it has them
	// Syms are the symbols of the function by ID: results, parameters, and what the body
	// declares, in the order of the text.
	Syms []*Symbol
	// Labels are those of the body, and Lists its prototypes and lists of targets, in the
	// order of the text.
	Labels []Label
	Lists  []List
	Calls  int // how many calls there are

	blocks []block // blocks[0] is the whole body
	first  []int32 // by statement: where its operands begin in ops
	ops    []Ref
	byName []int32 // IDs ordered by name, then by themselves
	names  []span  // of byName: at 2n those of name number n, at 2n+1 its name<count>; made when first asked
	asked  bool
	scope  *scope
}

// A Label is a label of a body.
type Label struct {
	*ptx.Label
	At    int // index of the statement
	Block int // the innermost block around it; 0 is that of the function
}

// A List is a prototype or a list of targets.
type List struct {
	Sym   *Symbol
	Block int // as that of a Label
}

// Name returns the name of the list, and where it stands.
func (l List) Name() (string, diag.Pos) {
	if l.Sym.Proto != nil {
		return l.Sym.Proto.Name, l.Sym.Proto.Pos
	}
	return l.Sym.Targets.Name, l.Sym.Targets.Pos
}

// A Ref is a name that a statement mentions: its number, the same for equal names of a
// function, and the ID of the symbol that it means there. Each is -1 where there is none,
// the number also where the Resolver was not asked for numbers.
type Ref struct{ Name, Sym int32 }

// NoRef is what is no name.
var NoRef = Ref{-1, -1}

// A block is one that braces enclose.
type block struct{ outer int32 }

// A span is a part of a slice, from first-1 up to end. The zero span is none.
type span struct{ first, end int32 }

// Around returns the block around a block, -1 for block 0.
func (b *Body) Around(block int) int { return int(b.blocks[block].outer) }

// Operands returns what the operands of statement i mean, which is an *ptx.Access
// or a *ptx.Call; of others it has none. Those of an access are the base of its address
// and its registers; those of a call are the callee, the prototype, its results and its
// arguments.
func (b *Body) Operands(i int) []Ref {
	ends := b.first[i : i+2]
	return b.ops[ends[0]:ends[1]]
}

// Refs returns how many operands all statements have together.
func (b *Body) Refs() int { return len(b.ops) }

// Sym returns the symbol that a name means, nil if it means none of the function's.
func (b *Body) Sym(r Ref) *Symbol {
	if r.Sym < 0 {
		return nil
	}
	return b.Syms[r.Sym]
}

// Number returns the number of a name, which it is given if it has none.
func (b *Body) Number(name string) int32 { return b.scope.Number(name) }

// Numbered returns the number of a name, -1 if it has none.
func (b *Body) Numbered(name string) int32 { return b.scope.Numbered(name) }

// Numbers returns how many numbers names have been given.
func (b *Body) Numbers() int { return b.scope.Numbers() }

// Name returns the name of a number.
func (b *Body) Name(n int32) string { return b.scope.Name(n) }

// Names returns all names by their numbers.
func (b *Body) Names() []string { return b.scope.names.names }

// Ref returns a name as statement i means it.
func (b *Body) Ref(i int, name string) Ref {
	r := Ref{b.scope.Number(name), -1}
	if sym := b.Lookup(i, name); sym != nil {
		r.Sym = sym.ID
	}
	return r
}

// Lookup returns what a name means to statement i, nil if no symbol of the function has
// it there. What stands for the end of the body is statement len(Stmts). %r7 is found where %r<8> is declared, unless %r7 itself is, later.
func (b *Body) Lookup(i int, name string) *Symbol {
	if name == "" {
		return nil
	}
	at := int32(i)
	one := b.visible(at, b.scope.Numbered(name), false)
	if !isDigit(name[len(name)-1]) {
		return one
	}
	r := b.inRange(at, name)
	if one == nil || r != nil && r.ID > one.ID {
		return r
	}
	return one
}

// inRange returns the name<count> that declares the name. As in ptxas, the name without
// all the digits at its end is looked for first (%r14 is one of %r<20>, not of %r1<5>),
// and zeros before the number do not count.
func (b *Body) inRange(at int32, name string) *Symbol {
	stem := len(name)
	for stem > 0 && isDigit(name[stem-1]) {
		stem--
	}
	for cut := max(stem, 1); cut < min(len(name), stem+maxDigits); cut++ {
		sym := b.visible(at, b.scope.Numbered(name[:cut]), true)
		if sym == nil {
			continue
		}
		k, ok := number(name[cut:])
		if !ok {
			continue
		}
		if sym = sym.widerThan(k); sym != nil {
			return sym
		}
	}
	return nil
}

// widerThan returns the innermost range from s on, going out, that has more than n
// members; nil if none has.
func (s *Symbol) widerThan(n int64) *Symbol {
	for s != nil && n >= s.Var.Count {
		if s.jump != nil && n >= s.jump.Var.Count {
			s = s.jump
		} else {
			s = s.wider
		}
	}
	return s
}

// visible returns the innermost symbol of a name that a statement sees: a range, or one
// of a single name.
func (b *Body) visible(at, name int32, ranged bool) *Symbol {
	if name < 0 {
		return nil
	}
	if !b.asked {
		b.asked = true
		b.index()
	}
	of := int(nameOf(name, ranged))
	if of >= len(b.names) {
		return nil
	}
	s := b.names[of]
	if s.first == 0 {
		return nil
	}
	list := b.byName[s.first-1 : s.end]
	n, _ := slices.BinarySearchFunc(list, at, func(id, at int32) int { return int(b.Syms[id].From - at) })
	if n == 0 {
		return nil
	}
	// The last one that is declared before the statement hides what can be seen there, or
	// its block was closed: then it hid that when it was declared.
	sym := b.Syms[list[n-1]]
	for sym != nil && sym.To <= at {
		sym = sym.Outer
	}
	return sym
}

// nameOf returns where in Body.names a name is.
func nameOf(name int32, ranged bool) int32 {
	if ranged {
		return 2*name + 1
	}
	return 2 * name
}

// ranged reports whether a symbol is a name<count>.
func (s *Symbol) ranged() bool { return s.Var != nil && s.Var.Ranged() }

// A Resolver makes bodies, one after the other, in memory that it uses again: a body and
// its symbols are valid until the next one is made. The zero Resolver is ready.
type Resolver struct {
	// Numbers says that names which operands mention have numbers. Else a Ref has none.
	Numbers bool

	scope scope
	body  Body
	open  []int32 // the blocks that are open, innermost last
	// The first bytes of names that end with a digit, and of name<count>, each modulo 64:
	// few names can be one of a range in their block.
	single, ranges uint64
	// last is the last name that was looked up but those with a percent sign, and what it
	// means until something is declared or a block ends.
	last struct {
		name string
		ref  Ref
	}
}

// Body resolves the names of f, whose body is stmts. Where formals is set, .param
// variables of the body are parameters, as those of kernels before PTX 1.4.
func (r *Resolver) Body(f *ptx.Func, stmts []ptx.Stmt, formals bool) *Body {
	r.scope.Reset()
	r.single, r.ranges, r.last.name = 0, 0, ""
	b := &r.body
	*b = Body{
		Func: f, Stmts: stmts, scope: &r.scope,
		Syms: b.Syms[:0], Labels: b.Labels[:0], Lists: b.Lists[:0], blocks: append(b.blocks[:0], block{-1}),
		first: slices.Grow(b.first[:0], len(stmts)+1)[:len(stmts)+1], ops: slices.Grow(b.ops[:0], len(stmts)), byName: b.byName[:0], names: b.names[:0],
	}
	r.open = append(r.open[:0], 0)
	r.formals(f.Results, Result)
	r.formals(f.Params, Param)
	first := b.first
	for i, s := range stmts {
		first[i] = int32(len(b.ops))
		if _, ok := s.(*ptx.Instr); ok { // most are one, or an access
			continue
		}
		if s, ok := s.(*ptx.Access); ok {
			r.name(s.Addr.Base)
			r.operands(s.Regs)
			continue
		}
		switch s := s.(type) {
		case *ptx.Decl:
			role := Local
			if formals && s.Space == ptx.ParamSpace {
				role = Param
			}
			for k := range s.Vars {
				v := &s.Vars[k]
				r.declare(i, v, r.scope.NewVar(&s.Spec, v, role, 0))
			}
		case *ptx.Call:
			b.Calls++
			r.name(s.Callee.Name())
			r.name(s.Proto.Name())
			r.operands(s.Results)
			r.operands(s.Params)
		case *ptx.Open:
			r.scope.Open()
			b.blocks = append(b.blocks, block{r.block()})
			r.open = append(r.open, int32(len(b.blocks)-1))
		case *ptx.Close:
			r.close(i)
		case *ptx.Label:
			b.Labels = append(b.Labels, Label{s, i, int(r.block())})
		case *ptx.Prototype:
			r.list(i, s.Name, Symbol{Proto: s})
		case *ptx.TargetList:
			r.list(i, s.Name, Symbol{Targets: s})
		}
	}
	first[len(stmts)] = int32(len(b.ops))
	return b
}

// Forget drops what a Resolver holds of the last body, and its memory where that was a
// large one: it would be kept for all that follow.
func (r *Resolver) Forget() {
	const many = 1 << 14
	if max(cap(r.body.first), cap(r.body.ops), cap(r.body.names)) > many {
		*r = Resolver{Numbers: r.Numbers}
		return
	}
	clear(r.body.Syms[:cap(r.body.Syms)])
	clear(r.body.Labels[:cap(r.body.Labels)])
	clear(r.body.Lists[:cap(r.body.Lists)])
	r.body.Func, r.body.Stmts = nil, nil
}

func (r *Resolver) block() int32 { return r.open[len(r.open)-1] }

// close ends a block at statement i. One brace too many closes nothing.
func (r *Resolver) close(i int) {
	if len(r.open) == 1 {
		return
	}
	r.open, r.last.name = r.open[:len(r.open)-1], ""
	for _, sym := range r.scope.innermost() {
		sym.sym.To = int32(i)
	}
	r.scope.Close()
}

// formals declares formals.
func (r *Resolver) formals(list []ptx.Formal, role Role) {
	for i := range list {
		f := &list[i]
		r.note(&f.Var)
		r.add(-1, &f.Var, r.scope.NewVar(&f.Spec, &f.Var, role, i))
	}
}

// list declares a prototype or a list of targets.
func (r *Resolver) list(i int, name string, what Symbol) {
	sym := r.scope.NewSymbol()
	*sym = what
	r.declare(i, &ptx.Var{Name: name}, sym)
	r.body.Lists = append(r.body.Lists, List{sym, int(r.block())})
}

// declare declares a name of the body.
func (r *Resolver) declare(i int, v *ptx.Var, sym *Symbol) {
	var same *Symbol
	if r.note(v) {
		same = r.scope.Overlap(v)
	}
	if old := r.add(i, v, sym); old != nil && old.Depth == sym.Depth {
		same = old
	}
	if same != nil {
		sym.Same = same
	}
}

func (r *Resolver) add(i int, v *ptx.Var, sym *Symbol) (old *Symbol) {
	if v.Name == r.last.name || v.Ranged() {
		r.last.name = ""
	}
	sym.Name = r.scope.Number(v.Name)
	sym.Hides = (v.Ranged() || r.scope.MayBeRanged(v.Name)) && r.scope.At(sym.Name) != nil
	old = r.scope.Add(sym)
	sym.From, sym.To = int32(i), int32(len(r.body.Stmts)+1)
	if sym.Outer != old { // mostly both are nil, and writing a pointer is work for the collector
		sym.Outer = old
	}
	if sym.Same != nil {
		sym.Same = nil
	}
	r.body.Syms = append(r.body.Syms, sym)
	return old
}

// note notes the name of a declaration, and reports whether it may be one of a range
// that is declared, or a range that one of the names declared is of. Few begin like
// another of the other kind.
func (r *Resolver) note(v *ptx.Var) bool {
	n := len(v.Name)
	if n == 0 {
		return true
	}
	bit := uint64(1) << (v.Name[0] & 63)
	if v.Ranged() {
		r.ranges |= bit
		return r.single&bit != 0
	}
	if !isDigit(v.Name[n-1]) {
		return false
	}
	r.single |= bit
	return r.ranges&bit != 0
}

// operands looks the names of operands up.
func (r *Resolver) operands(list []ptx.Operand) {
	for i := range list {
		r.name(list[i].Name())
	}
}

// name looks a name up here, "" being that of what is no name.
func (r *Resolver) name(name string) {
	ref := NoRef
	switch {
	case name == "":
	case name == r.last.name: // accesses of one variable follow each other
		ref = r.last.ref
	default:
		var sym *Symbol
		if r.Numbers {
			ref.Name = r.scope.Number(name)
			sym = r.scope.At(ref.Name)
		} else {
			sym = r.scope.Lookup(name)
		}
		if sym != nil {
			ref.Sym = sym.ID
		}
		if name[0] != '%' { // registers, which differ
			r.last.name, r.last.ref = name, ref
		}
	}
	r.body.ops = append(r.body.ops, ref)
}

// index orders the symbols by name.
func (b *Body) index() {
	n := 2 * b.scope.Numbers()
	b.names = slices.Grow(b.names, n)[:n]
	clear(b.names)
	for _, sym := range b.Syms {
		b.names[nameOf(sym.Name, sym.ranged())].end++ // how many there are, until the first has its place
	}
	b.byName = slices.Grow(b.byName, len(b.Syms))[:len(b.Syms)]
	at := int32(0)
	for id, sym := range b.Syms {
		s := &b.names[nameOf(sym.Name, sym.ranged())]
		if s.first == 0 {
			n := s.end
			s.first, s.end = at+1, at
			at += n
		}
		b.byName[s.end] = int32(id)
		s.end++
	}
}
