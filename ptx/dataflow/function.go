package dataflow

import (
	"slices"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/flow"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Register is a register that a function declares and uses.
type Register struct {
	Name string // as the body mentions it, without an element: "%r7" of "%r<8>"
	// Var and Spec are its declaration; the declaration of name<count> stands for many registers.
	Var  *ptx.Var
	Spec *ptx.Spec
	// Formal reports that the head of the function declares it, as a parameter or a
	// result.
	Formal bool
}

// IsPredicate reports whether r is a predicate.
func (r *Register) IsPredicate() bool { return zero.Or(zero.Or(r).Spec).Type == ptx.Pred }

// Elements returns how many elements a vector register has, 1 for a scalar.
func (r *Register) Elements() int { return max(zero.Or(zero.Or(r).Spec).Vec, 1) }

// Words returns the number of 32-bit registers that r takes: at least one, and for a
// vector at least one for each element; 0 for a predicate.
func (r *Register) Words() int {
	if r.IsPredicate() {
		return 0
	}
	return r.Elements() * r.elemWords()
}

// Align returns the alignment of the number of its first physical register: the words of
// a scalar or of one element.
func (r *Register) Align() int {
	if r.IsPredicate() {
		return 1
	}
	return r.elemWords()
}

func (r *Register) elemWords() int { return max((zero.Or(zero.Or(r).Spec).Type.Size()+3)/4, 1) }

// A Block is a basic block: the statements [First, End) of a body. Control enters it at the first
// and leaves it at the last. If several jumps use one list of targets, the list is
// a block without statements, after the blocks of the text: the jumps go to it, and it goes to the labels.
type Block struct {
	First, End int
	Succs      []int // blocks that may be executed next, each once
	Preds      []int // blocks that may be executed before, each once
}

// A Def is a register that a statement writes.
type Def struct {
	Reg int // index in [Function].Registers
	// Kills reports that the old value is lost: there is no guard, all elements of a
	// vector are written, and the opcode is known.
	Kills bool
}

// A Function is the registers and the control flow of a function. [New] returns one. It
// must not be used by several goroutines at once.
type Function struct {
	Func *ptx.Func
	// Registers has the registers that the body uses, and those of the head, each once.
	Registers []Register
	// Blocks are the basic blocks in the order of the text. Blocks[0] is the start of the
	// function, and exists even if the body is empty.
	Blocks []Block
	// Unknown has the indices of the statements with an unknown opcode.
	Unknown []int
	// Calls has the indices of the calls.
	Calls []int

	body    *body.Body
	graph   *flow.Graph
	targets map[int][]int32
	byName  map[key]int
	uses    flat[int]
	defs    flat[Def]
	results []int // the registers that returns read
}

// A key identifies a register of a function.
type key struct {
	v    *ptx.Var
	name string
}

// flat holds a list for each statement.
type flat[T any] struct {
	first []int32
	all   []T
}

func (f *flat[T]) begin() { f.first = append(f.first, int32(len(f.all))) }

func (f *flat[T]) of(i int) []T {
	if i < 0 || i+1 >= len(f.first) {
		return nil
	}
	return f.all[f.first[i]:f.first[i+1]:f.first[i+1]]
}

// New analyses a function, which must have its body. The table is that of its module, and
// may be nil; with it, calls of functions with .noreturn end the flow.
func New(f *ptx.Func, table *resolve.Table) *Function {
	f = zero.Or(f)
	fn := &Function{Func: f, byName: make(map[key]int), targets: make(map[int][]int32)}
	fn.body = body.New(f, f.Body, false)
	fn.graph = flow.New(fn.body, flow.Options{NoReturn: func(c *ptx.Call) bool {
		if table == nil {
			return false
		}
		callee := table.Lookup(c.Callee.Name())
		return callee != nil && callee.Func.Directive(".noreturn") != nil
	}})
	for _, b := range fn.graph.Blocks {
		fn.Blocks = append(fn.Blocks, Block(b))
	}
	for _, j := range fn.body.Jumps() {
		fn.targets[j.At] = j.To
	}
	formals := func(list []ptx.Formal) (regs []int) {
		for i := range list {
			if list[i].Space == ptx.RegSpace {
				regs = append(regs, fn.number(&list[i].Var, &list[i].Spec, list[i].Name, true))
			}
		}
		return regs
	}
	formals(f.Params)
	fn.results = formals(f.Results)
	for i, s := range f.Body {
		fn.uses.begin()
		fn.defs.begin()
		fn.statement(i, s)
	}
	fn.uses.begin()
	fn.defs.begin()
	return fn
}

// number returns the index of a register, and adds the register if it is new.
func (fn *Function) number(v *ptx.Var, spec *ptx.Spec, name string, formal bool) int {
	k := key{v, name}
	n, ok := fn.byName[k]
	if !ok {
		n = len(fn.Registers)
		fn.byName[k] = n
		fn.Registers = append(fn.Registers, Register{Name: name, Var: v, Spec: spec, Formal: formal})
	}
	return n
}

// Register returns the index of the register with a declaration and a name, -1 if the
// body does not use it. For a Virtual of package lower, these are its Var and Name.
func (fn *Function) Register(v *ptx.Var, name string) int {
	fn = zero.Or(fn)
	if n, ok := fn.byName[key{v, name}]; ok {
		return n
	}
	return -1
}

// Meaning returns the index of the register that a name means in statement i; -1 if it is
// not a register of the function, but a variable, a label or a special register.
func (fn *Function) Meaning(i int, name string) int {
	fn = zero.Or(fn)
	sym := fn.body.Lookup(i, name)
	if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
		return -1
	}
	return fn.number(sym.Var, sym.Spec, name, sym.Role != body.Local)
}

// Variable returns the declaration of the variable that a name means in statement i: a
// formal, or a variable that the body declares. It is nil for registers and everything
// else.
func (fn *Function) Variable(i int, name string) (*ptx.Spec, *ptx.Var) {
	fn = zero.Or(fn)
	sym := fn.body.Lookup(i, name)
	if sym == nil || sym.Var == nil || sym.Spec.Space == ptx.RegSpace {
		return nil, nil
	}
	return sym.Spec, sym.Var
}

// Uses returns the registers that statement i reads, each once: indices in Registers.
func (fn *Function) Uses(i int) []int { return zero.Or(fn).uses.of(i) }

// Defs returns the registers that statement i writes, each once.
func (fn *Function) Defs(i int) []Def { return zero.Or(fn).defs.of(i) }

// Targets returns the labels that statement i may jump to, as indices of statements in
// the order of its list; none if it is not a jump. A name that is not a label is left
// out.
func (fn *Function) Targets(i int) []int32 { return zero.Or(fn).targets[i] }

// BlockOf returns the block of statement i, -1 if there is no such statement.
func (fn *Function) BlockOf(i int) int {
	if fn == nil || fn.Func == nil || i < 0 || i >= len(fn.Func.Body) {
		return -1
	}
	return fn.graph.BlockOf(i)
}

// Reachable reports whether block b can be executed.
func (fn *Function) Reachable(b int) bool {
	return b >= 0 && b < len(zero.Or(fn).Blocks) && fn.graph.Reachable(b)
}

// statement records the registers that statement i reads and writes.
func (fn *Function) statement(i int, s ptx.Stmt) {
	kills, returns, known := fn.body.Guard(i) == body.NoRef, false, true
	switch s := s.(type) {
	case *ptx.Call:
		fn.Calls = append(fn.Calls, i)
	case *ptx.Instr:
		returns = s.Kind() == ptx.OpReturn && s.Op[0] == 'r'
		known = fn.body.Op(i).Known()
	}
	if !known {
		fn.Unknown = append(fn.Unknown, i)
	}
	for _, m := range fn.body.Mentions(i) {
		sym := fn.body.Sym(m.Ref)
		if sym == nil || sym.Var == nil || sym.Spec.Space != ptx.RegSpace {
			continue
		}
		r := fn.number(sym.Var, sym.Spec, m.Name, sym.Role != body.Local)
		if m.Read {
			fn.useReg(i, r)
		}
		if m.Written {
			fn.def(i, r, kills && known && m.Elem == 0)
		}
	}
	if returns {
		for _, r := range fn.results {
			fn.useReg(i, r)
		}
	}
}

func (fn *Function) useReg(i, r int) {
	if from := fn.uses.first[i]; !slices.Contains(fn.uses.all[from:], r) {
		fn.uses.all = append(fn.uses.all, r)
	}
}

func (fn *Function) def(i, r int, kills bool) {
	for k := int(fn.defs.first[i]); k < len(fn.defs.all); k++ {
		if d := &fn.defs.all[k]; d.Reg == r {
			d.Kills = d.Kills || kills
			return
		}
	}
	fn.defs.all = append(fn.defs.all, Def{r, kills})
}
