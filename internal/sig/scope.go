package sig

import (
	"strconv"

	"github.com/ptxabi/ptxabi/ptx"
)

// A Table says which function a name of a module means.
type Table struct {
	byName map[string]*Callee
	vars   map[string]*ptx.Decl
}

// Var returns the declaration of a module's variable, nil if there is none of
// that name.
func (t *Table) Var(name string) *ptx.Decl { return t.vars[name] }

// A Callee is a function that can be called by its name.
type Callee struct {
	Func  *ptx.Func // the definition if there is one, else the first declaration
	First ptx.Pos   // where the name is first declared
}

// NewTable collects the functions of a module, those declared in bodies
// included.
func NewTable(m *ptx.Module) *Table {
	t := &Table{byName: make(map[string]*Callee), vars: make(map[string]*ptx.Decl)}
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Decl); ok {
			for i := range d.Vars {
				t.vars[d.Vars[i].Name] = d
			}
		}
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		t.add(f)
		for _, s := range f.Body {
			if inner, ok := s.(*ptx.Func); ok {
				t.add(inner)
			}
		}
	}
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Directive); ok && d.Name == ".alias" {
			t.alias(d)
		}
	}
	return t
}

func (t *Table) add(f *ptx.Func) {
	c := t.byName[f.Name]
	if c == nil {
		t.byName[f.Name] = &Callee{Func: f, First: f.NamePos}
		return
	}
	if f.HasBody && !c.Func.HasBody {
		c.Func = f
	}
}

// alias gives a name that is declared nowhere the signature of its aliasee.
func (t *Table) alias(d *ptx.Directive) {
	name, of, ok := AliasNames(d)
	if !ok || t.byName[name] != nil || t.byName[of] == nil {
		return
	}
	t.byName[name] = &Callee{Func: t.byName[of].Func, First: d.Pos}
}

// Lookup returns the function of that name, nil if the module has none.
func (t *Table) Lookup(name string) *Callee { return t.byName[name] }

// AliasNames returns the two names of an .alias directive.
func AliasNames(d *ptx.Directive) (name, of string, ok bool) {
	args := string(ptx.AppendTokens(nil, d.Args))
	for i := range len(args) {
		if args[i] == ',' {
			return trim(args[:i]), trim(args[i+1:]), true
		}
	}
	return "", "", false
}

func trim(s string) string {
	for s != "" && s[0] == ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// A Role tells what a Symbol is to its function.
type Role uint8

const (
	Local  Role = iota // declared in the body
	Param              // an input formal
	Result             // a result formal
)

// A Symbol is a name declared in a function.
type Symbol struct {
	Spec  *ptx.Spec
	Var   *ptx.Var // for one of name<count>, the declaration of all
	Role  Role
	Index int // among the formals of its role
	// Proto is set for the name of a prototype, and Targets for that of a
	// list of targets; the other fields are then zero.
	Proto   *ptx.Prototype
	Targets *ptx.TargetList
	// Depth is how many blocks enclose the declaration; 0 for formals.
	Depth int
	// ID tells symbols of one function apart. It counts from 0 in order of
	// declaration.
	ID int
}

// A Scope holds the names that are visible at one place of a body. The caller
// walks the body in order and tells it of blocks and declarations. The zero
// Scope is empty and ready.
type Scope struct {
	names  map[string]int // index into stack
	ranges map[string]int // likewise, of name<count>
	stack  []entry
	marks  []int // length of stack at each open block
	next   int
}

type entry struct {
	name    string
	prev    int // what the name stood for before; -1 for nothing
	sym     *Symbol
	isRange bool // the name is in ranges
}

// Reset empties s for the next function.
func (s *Scope) Reset() {
	clear(s.names)
	clear(s.ranges)
	s.stack, s.marks, s.next = s.stack[:0], s.marks[:0], 0
}

// Open enters a block.
func (s *Scope) Open() { s.marks = append(s.marks, len(s.stack)) }

// Close leaves the innermost block.
func (s *Scope) Close() {
	if len(s.marks) == 0 {
		return
	}
	mark := s.marks[len(s.marks)-1]
	s.marks = s.marks[:len(s.marks)-1]
	for i := len(s.stack) - 1; i >= mark; i-- {
		e := &s.stack[i]
		names := s.names
		if e.isRange {
			names = s.ranges
		}
		if e.prev < 0 {
			delete(names, e.name)
		} else {
			names[e.name] = e.prev
		}
		e.sym = nil
	}
	s.stack = s.stack[:mark]
}

// Depth returns how many blocks are open.
func (s *Scope) Depth() int { return len(s.marks) }

// Add declares a name in the innermost block and returns what it shadows or
// repeats, nil if the name was free.
func (s *Scope) Add(name string, sym *Symbol) (old *Symbol) {
	if s.names == nil {
		s.names, s.ranges = make(map[string]int), make(map[string]int)
	}
	isRange := sym.Var != nil && sym.Var.Count >= 0
	names := s.names
	if isRange {
		names = s.ranges
	}
	prev, ok := names[name]
	if ok {
		old = s.stack[prev].sym
	} else {
		prev = -1
	}
	sym.Depth, sym.ID = len(s.marks), s.next
	s.next++
	names[name] = len(s.stack)
	s.stack = append(s.stack, entry{name, prev, sym, isRange})
	return old
}

// Formals declares the formals of a function.
func (s *Scope) Formals(list []ptx.Formal, role Role) {
	for i := range list {
		s.Add(list[i].Name, &Symbol{Spec: &list[i].Spec, Var: &list[i].Var, Role: role, Index: i})
	}
}

// Declare declares the names of a statement that declares any.
func (s *Scope) Declare(st ptx.Stmt) {
	switch st := st.(type) {
	case *ptx.Decl:
		for i := range st.Vars {
			s.Add(st.Vars[i].Name, &Symbol{Spec: &st.Spec, Var: &st.Vars[i]})
		}
	case *ptx.Prototype:
		s.Add(st.Name, &Symbol{Proto: st})
	case *ptx.TargetList:
		s.Add(st.Name, &Symbol{Targets: st})
	}
}

// maxDigits bounds how many of the digits at a name's end may belong to the
// name of a range, so that no name is costly to look up.
const maxDigits = 20

// Lookup returns what a name means here, nil if it is not declared. %r7 is
// found where %r<8> is declared, unless %r7 itself is, later.
func (s *Scope) Lookup(name string) *Symbol {
	one, ok := s.names[name]
	if !ok {
		one = -1
	}
	if i := max(one, s.inRange(name)); i >= 0 {
		return s.stack[i].sym
	}
	return nil
}

// inRange returns the index in the stack of the name<count> that declares the
// name; -1 if there is none. As in ptxas, the name without all the digits at
// its end is looked for first (%r14 is one of %r<20>, not of %r1<5>), and
// zeros before the number do not count.
func (s *Scope) inRange(name string) int {
	if len(s.ranges) == 0 {
		return -1
	}
	stem := len(name)
	for stem > 0 && '0' <= name[stem-1] && name[stem-1] <= '9' {
		stem--
	}
	for cut := max(stem, 1); cut < min(len(name), stem+maxDigits); cut++ {
		i, ok := s.ranges[name[:cut]]
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(name[cut:], 10, 64)
		if err != nil {
			continue
		}
		for ; i >= 0; i = s.stack[i].prev {
			if n < s.stack[i].sym.Var.Count {
				return i
			}
		}
	}
	return -1
}
