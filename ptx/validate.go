package ptx

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/ptxabi/ptxabi/diag"
)

// Validate returns errors that a tree has only if it was built or changed by hand: missing nodes and names, blocks
// that do not match, and opcodes of accesses that contradict the fields. Nodes without a position are named by
// their function and their index in its body. In a module that was read, it looks for missing nodes and blocks alone. It
// returns nil for a tree that [Parse] returned, and for a nil module.
func (m *Module) Validate() diag.List {
	if m == nil {
		return nil
	}
	var list diag.List
	read := m.text != nil
	for i, it := range m.Items {
		if isNil(it) {
			list.Add(&diag.Diagnostic{File: m.Name, Code: BadSyntax, Msg: fmt.Sprintf("item %d of the module is nil; leave it out", i)})
			continue
		}
		report := func(at Pos, msg string) {
			list.Add(&diag.Diagnostic{File: m.Name, Pos: at, Code: BadSyntax, Msg: msg})
		}
		if f, ok := it.(*Func); ok {
			f.validate(read, report)
		} else if what := wrongStmt(it.(Stmt), false); what != "" && !read {
			at, _ := it.Span()
			report(at, fmt.Sprintf("item %d of the module: %s", i, what))
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

// wrongOperands returns the error of a guard or of operands, "" if there is none.
func wrongOperands(g *Guard, list []Operand) string {
	if g != nil && g.Name == "" {
		return "a guard has no name; set Name"
	}
	if slices.Contains(namesOf(list), "") {
		return "an operand has no name; set Text"
	}
	return ""
}

// validate reports the errors of the nodes of a function; if it was read, only missing nodes and blocks.
func (f *Func) validate(read bool, report func(Pos, string)) {
	if what := f.wrongHead(); what != "" && !read {
		report(f.Pos, what)
	}
	lone := loneBraces(f.Body)
	for i, s := range f.Body {
		alone := len(lone) > 0 && lone[0] == i
		if alone {
			lone = lone[1:]
		}
		if read && !isNil(s) && !alone {
			continue
		}
		what := wrongStmt(s, alone)
		if what == "" {
			continue
		}
		var at Pos
		if !isNil(s) {
			at, _ = s.Span()
		}
		report(at, fmt.Sprintf("statement %d of function %s: %s", i, f.Name, what))
	}
}

// loneBraces returns the indexes of the Open and Close statements of a body that have no match, in order.
func loneBraces(body []Stmt) (lone []int) {
	open := 0 // how many blocks are open: their Opens are the last of lone
	for i, s := range body {
		switch s.(type) {
		case *Open:
			lone, open = append(lone, i), open+1
		case *Close:
			if open > 0 {
				open--
				lone = lone[:len(lone)-1]
			} else {
				lone = append(lone, i)
			}
		}
	}
	return lone
}

// noName returns the error of a node without a name; "" if it has one.
func noName(what, name string) string {
	if name == "" {
		return what + " has no name; set Name"
	}
	return ""
}

// wrongHead returns the error of the head of a function, "" if there is none.
func (f *Func) wrongHead() string {
	if what := wrongFormals(f.Results, f.Params); what != "" && f.Name != "" {
		return "function " + f.Name + ": " + what
	}
	return noName("a function", f.Name)
}

// wrongFormals returns the error of a formal without a name; "" if all have one.
func wrongFormals(results, params []Formal) string {
	none := func(f Formal) bool { return f.Name == "" }
	if i := slices.IndexFunc(results, none); i >= 0 {
		return fmt.Sprintf("result %d has no name; set Name, to _ if it has none", i)
	}
	if i := slices.IndexFunc(params, none); i >= 0 {
		return fmt.Sprintf("parameter %d has no name; set Name, to _ if it has none", i)
	}
	return ""
}

// wrongStmt returns the error of a statement, "" if there is none; alone says that it is an Open or a Close without a match.
func wrongStmt(s Stmt, alone bool) string {
	if isNil(s) {
		return "it is nil; leave it out"
	}
	switch s := s.(type) {
	case *Open:
		if alone {
			return "no Close ends this block; add one"
		}
	case *Close:
		if alone {
			return "this Close ends no block; drop it, or add an Open before it"
		}
	case *Label:
		return noName("a label", s.Name)
	case *Decl:
		if k := slices.IndexFunc(s.Vars, func(v Var) bool { return v.Name == "" }); k >= 0 {
			return fmt.Sprintf("variable %d of the declaration has no name; set Name", k)
		}
	case *Prototype:
		return cmp.Or(noName("a prototype", s.Name), wrongFormals(s.Results, s.Params))
	case *TargetList:
		return cmp.Or(noName("a list of targets", s.Name), wrongOperands(nil, s.Names))
	case *Func:
		return s.wrongHead()
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
