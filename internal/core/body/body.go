package body

import (
	"slices"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Body is the body of a function whose names have been looked up. [New] makes it, only [Body.Read] changes
// it afterwards, and several goroutines may read it at once.
type Body struct {
	Func  *ptx.Func
	Stmts []ptx.Stmt // the statements, which Func may lack
	// Syms has the symbols of the function by ID: results, parameters, and the declarations of the body,
	// in the order of the text.
	Syms []*Symbol
	// Labels has the labels of the body, and Lists its prototypes and lists of targets, in the
	// order of the text.
	Labels []Label
	Lists  []List

	scope  scope
	blocks []int32 // by number of a block: the block around it; blocks[0], the whole body, has -1
	instrs []instr // by statement, and one for the end
	refs   []Ref   // of the operands of all statements, one list after the other
	ops    map[string]*Op
}

// An instr is a statement that may be an instruction.
type instr struct {
	op    *Op
	guard Ref
	first int32 // the index of its first operand in refs
	block int32 // the innermost block around it
}

// A Label is a label of a body.
type Label struct {
	*ptx.Label
	At    int // index of the statement
	Block int // the innermost block around it; 0 is the whole body
}

// A List is a prototype or a list of targets.
type List struct {
	Sym   *Symbol
	Block int // the innermost block around it; 0 is the whole body
}

// Name returns the name of the list, and its position.
func (l List) Name() (string, diag.Pos) {
	if l.Sym.Proto != nil {
		return l.Sym.Proto.Name, l.Sym.Proto.Pos
	}
	return l.Sym.Targets.Name, l.Sym.Targets.Pos
}

// A Ref is a name that a statement mentions: its number, the same for equal names of a
// function, and the ID of the symbol that it means there. Sym is -1 if it means none of the function's.
type Ref struct{ Name, Sym int32 }

// NoRef is the Ref of an operand that is no name.
var NoRef = Ref{-1, -1}

// New looks up the names of f, whose body is stmts. If formals is set, .param
// variables of the body are parameters, as in kernels before PTX 1.4.
func New(f *ptx.Func, stmts []ptx.Stmt, formals bool) *Body {
	b := new(Body)
	b.Read(f, stmts, formals)
	return b
}

// Read is [New] in the memory of b. Nothing may use the old contents of b afterwards.
func (b *Body) Read(f *ptx.Func, stmts []ptx.Stmt, formals bool) {
	b.Func, b.Stmts = f, stmts
	b.Syms, b.Labels, b.Lists, b.blocks = b.Syms[:0], b.Labels[:0], b.Lists[:0], append(b.blocks[:0], -1)
	b.instrs, b.refs = slices.Grow(b.instrs[:0], len(stmts)+1), slices.Grow(b.refs[:0], 3*len(stmts))
	b.scope.reset(len(stmts)/2 + 8)
	b.formals(f.Results, Result)
	b.formals(f.Params, Param)
	block := int32(0)
	for i, s := range stmts {
		one := instr{guard: NoRef, first: int32(len(b.refs)), block: block}
		switch s := s.(type) {
		case *ptx.Instr:
			for o := range ptx.Names(s.Ops()) {
				b.mention(o.Name())
			}
		case *ptx.Access:
			b.mention(s.Addr.Base)
			b.operands(s.Regs)
		case *ptx.Call:
			b.mention(s.Callee.Name())
			b.mention(s.Proto.Name())
			b.operands(s.Results)
			b.operands(s.Params)
		case *ptx.Decl:
			role := Local
			if formals && s.Space == ptx.ParamSpace {
				role = Param
			}
			for k := range s.Vars {
				b.declare(i, s.Vars[k].Name, Symbol{Spec: &s.Spec, Var: &s.Vars[k], Role: role, Same: b.scope.overlap(&s.Vars[k])})
			}
		case *ptx.Open:
			b.scope.open()
			b.blocks = append(b.blocks, block)
			block = int32(len(b.blocks) - 1)
		case *ptx.Close:
			b.scope.close(i)
			block = max(b.blocks[block], 0)
		case *ptx.Label:
			b.declare(i, s.Name, Symbol{Label: s, Same: b.scope.overlap(&ptx.Var{Name: s.Name})})
			b.Labels = append(b.Labels, Label{s, i, int(block)})
		case *ptx.Prototype:
			b.list(i, s.Name, Symbol{Proto: s}, block)
		case *ptx.TargetList:
			b.list(i, s.Name, Symbol{Targets: s}, block)
		}
		if in := instrOf(s); in != nil {
			if one.op = b.op(in.Op); in.Guard != nil {
				one.guard = b.ref(in.Guard.Name)
			}
		}
		b.instrs = append(b.instrs, one)
	}
	b.instrs = append(b.instrs, instr{first: int32(len(b.refs))})
}

// formals declares formals.
func (b *Body) formals(list []ptx.Formal, role Role) {
	for i := range list {
		b.declare(-1, list[i].Name, Symbol{Spec: &list[i].Spec, Var: &list[i].Var, Role: role, Index: int32(i)})
	}
}

// list declares a prototype or a list of targets.
func (b *Body) list(i int, name string, sym Symbol, block int32) {
	sym.Same = b.scope.overlap(&ptx.Var{Name: name})
	b.Lists = append(b.Lists, List{b.declare(i, name, sym), int(block)})
}

func (b *Body) declare(i int, name string, like Symbol) *Symbol {
	n := len(b.Syms)
	if b.Syms = slices.Grow(b.Syms, 1)[:n+1]; b.Syms[n] == nil { // otherwise there is a symbol of the body before, to be reused
		b.Syms[n] = new(Symbol)
	}
	sym := b.Syms[n]
	*sym = like
	sym.From, sym.To = int32(i), int32(len(b.Stmts)+1)
	b.scope.add(name, sym)
	return sym
}

// operands records operands, each with a Ref, which may be NoRef.
func (b *Body) operands(list []ptx.Operand) {
	for i := range list {
		b.mention(list[i].Name())
	}
}

// mention records a name among the operands of the statement at hand; "" for an operand that is no name.
func (b *Body) mention(name string) { b.refs = append(b.refs, b.ref(name)) }

// ref returns the Ref of a name at the statement at hand.
func (b *Body) ref(name string) Ref {
	ref := NoRef
	if name != "" {
		ref.Name = b.scope.number(name)
		if sym := b.scope.search(name, ref.Name, (*meaning).visible); sym != nil {
			ref.Sym, sym.Mentioned = sym.ID, true
		}
	}
	return ref
}

// Block returns the innermost block around statement i; 0 is the whole body.
func (b *Body) Block(i int) int { return int(b.instrs[i].block) }

// Around returns the block around a block, -1 for block 0.
func (b *Body) Around(block int) int { return int(b.blocks[block]) }

// Operands returns the Refs of the operands of statement i: for an *[ptx.Access], the base of
// its address and its registers; for a *[ptx.Call], the callee, the prototype, its results and its
// arguments; for an *[ptx.Instr], the names among its operands, in the order of [ptx.Names]. Other statements have
// none.
func (b *Body) Operands(i int) []Ref { return b.refs[b.instrs[i].first:b.instrs[i+1].first] }

// Guard returns the Ref of the guard of statement i, [NoRef] if it has none.
func (b *Body) Guard(i int) Ref { return b.instrs[i].guard }

// Op returns the opcode of statement i, nil if it is no instruction.
func (b *Body) Op(i int) *Op { return b.instrs[i].op }

// instrOf returns the instruction that a statement is, nil if it is none.
func instrOf(s ptx.Stmt) *ptx.Instr {
	switch s := s.(type) {
	case *ptx.Instr:
		return s
	case *ptx.Access:
		return &s.Instr
	case *ptx.Call:
		return &s.Instr
	}
	return nil
}

// Sym returns the symbol that a name means, nil if it means none of the function's.
func (b *Body) Sym(r Ref) *Symbol {
	if r.Sym < 0 {
		return nil
	}
	return b.Syms[r.Sym]
}

// Numbered returns the number of a name, -1 if it has none.
func (b *Body) Numbered(name string) int32 { return b.scope.numbered(name) }

// Numbers returns how many names there are.
func (b *Body) Numbers() int { return len(b.scope.names) }

// Name returns the name with a number.
func (b *Body) Name(n int32) string { return b.scope.names[n].text }

// Lookup returns the symbol that a name means at statement i, nil if it means none of the function's.
// Statement len(Stmts) stands for the end of the body.
func (b *Body) Lookup(i int, name string) *Symbol {
	if name == "" {
		return nil
	}
	return b.scope.search(name, b.scope.numbered(name), func(m *meaning) *Symbol { return m.at(int32(i)) })
}

// at returns the symbol that is visible at a statement, nil if there is none.
func (m *meaning) at(stmt int32) *Symbol {
	n, _ := slices.BinarySearchFunc(m.all, stmt, func(s *Symbol, at int32) int { return int(s.From - at) })
	if n == 0 {
		return nil
	}
	// Take the last symbol that is declared before the statement. If its block is still open at the statement, it is
	// visible there. Otherwise the visible symbol was declared earlier, in a block that has been open ever since: so it is
	// among the symbols that this one hides, which Outer leads through from the innermost to the outermost.
	sym := m.all[n-1]
	for sym != nil && sym.To <= stmt {
		sym = sym.Outer
	}
	return sym
}
