package ptx

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
)

// Validate returns what a tree that was built by hand has and no text can have: missing nodes and names, blocks that do
// not match, and opcodes of accesses that say something else than the fields. Nodes that have no place are named by their
// function and their index in its body. It returns nothing for a tree that [Parse] returned.
func (m *Module) Validate() diag.List {
	if m == nil || m.text != nil {
		return nil
	}
	var list diag.List
	for i, it := range m.Items {
		if isNil(it) {
			it = nil
		}
		switch it := it.(type) {
		case nil:
			list.Add(&diag.Diagnostic{File: m.Name, Code: BadSyntax, Msg: fmt.Sprintf("item %d of the module is nil; leave it out", i)})
		case *Func:
			for at, msg := range it.validate() {
				list.Add(&diag.Diagnostic{File: m.Name, Pos: at, Code: BadSyntax, Msg: msg})
			}
		}
	}
	return list
}

// isNil reports whether a node is nil, or a nil pointer.
func isNil(node any) bool { return node == nil || reflect.ValueOf(node).IsNil() }

// namesOf returns the names among operands.
func namesOf(list []Operand) (names []string) {
	for o := range Names(list) {
		names = append(names, o.Name())
	}
	return names
}

// wrongOperands says what is wrong with a guard and operands, "" if nothing is.
func wrongOperands(g *Guard, list []Operand) string {
	if g != nil && g.Name == "" {
		return "a guard has no name; set Name"
	}
	for o := range Names(list) {
		if o.Name() == "" {
			return "an operand has no name; set Text"
		}
	}
	return ""
}

// validate yields what is wrong with the nodes of a function.
func (f *Func) validate() func(yield func(Pos, string) bool) {
	return func(yield func(Pos, string) bool) {
		if f.Name == "" && !yield(f.Pos, "a function has no name; set Name") {
			return
		}
		blocks := Blocks(f.Body)
		for i, s := range f.Body {
			what := wrongStmt(s, blocks[i])
			if what == "" {
				continue
			}
			var at Pos
			if !isNil(s) {
				at, _ = s.Span()
			}
			if !yield(at, fmt.Sprintf("statement %d of function %s: %s", i, f.Name, what)) {
				return
			}
		}
	}
}

// wrongStmt says what is wrong with a statement, "" if nothing is; other is the index of the brace that a brace belongs to.
func wrongStmt(s Stmt, other int) string {
	if isNil(s) {
		return "it is nil; leave it out"
	}
	switch s := s.(type) {
	case *Open:
		if other < 0 {
			return "no Close ends this block; add one"
		}
	case *Close:
		if other < 0 {
			return "this Close ends no block; drop it, or add an Open before it"
		}
	case *Label:
		if s.Name == "" {
			return "a label has no name; set Name"
		}
	case *Decl:
		for k := range s.Vars {
			if s.Vars[k].Name == "" {
				return fmt.Sprintf("variable %d of the declaration has no name; set Name", k)
			}
		}
	case *Instr:
		switch {
		case s.Op == "":
			return "an instruction has no opcode; set Op"
		case s.Args != "" && s.Operands != nil && !slices.Equal(namesOf(s.Operands), namesOf(ParseOperands(s.Args))):
			return "its Args and its Operands name different things; leave Args empty"
		}
		return wrongOperands(s.Guard, s.Operands)
	case *Call:
		if s.Callee.Name() == "" {
			return "a call has no callee; set Callee"
		}
		return cmp.Or(wrongOperands(s.Guard, s.Results), wrongOperands(nil, s.Params))
	case *Access:
		if what := wrongOperands(s.Guard, s.Regs); what != "" || s.Op == "" {
			return what
		}
		if !isParamOp(s.Op) {
			return s.Op + " is no access of a parameter; make it an Instr"
		}
		m, _ := paramOpOf(s.Op)
		if m != (paramOp{s.Qual, s.Type, s.Vec}) || s.Store != (s.Op[0] == 's') {
			return "its opcode is " + s.Op + ", and its fields are those of " + s.opcode() + "; leave Op empty, or let the fields say the same"
		}
	}
	return ""
}
