package resolve

import "github.com/ptxabi/ptxabi/ptx"

// CallTable returns the functions that a table of functions stands for in an indirect
// call: the initial values of an array of .u8, .u32 or .u64 in .global or .const space.
// It is nil for other variables.
func CallTable(s *ptx.Spec, v *ptx.Var) *ptx.TargetList {
	switch s.Type {
	case ptx.U8, ptx.U32, ptx.U64:
	default:
		return nil
	}
	if s.Space != ptx.GlobalSpace && s.Space != ptx.ConstSpace || len(v.Dims) != 1 || s.Vec != 0 {
		return nil
	}
	l := &ptx.TargetList{Pos: v.Pos, Name: v.Name}
	e := elements{text: string(ptx.AppendTokens(nil, v.Init))}
	if !e.got('{') {
		return nil
	}
	for {
		name := e.name()
		if name == "" {
			return nil
		}
		if n := len(l.Names); n == 0 || l.Names[n-1].Text != name { // each byte of one function
			l.Names = append(l.Names, ptx.Operand{Pos: v.Pos, Kind: ptx.KindName, Text: name})
		}
		if !e.got(',') {
			break
		}
	}
	if !e.got('}') || e.text != "" {
		return nil
	}
	return l
}

// CallTable returns the functions of a module's variable, as the function [CallTable]
// does.
func (t *Table) CallTable(name string) *ptx.TargetList {
	if d := t.vars[name]; d != nil {
		for i := range d.Vars {
			if d.Vars[i].Name == name {
				return CallTable(&d.Spec, &d.Vars[i])
			}
		}
	}
	return nil
}

// elements are those of an initialiser, in a text without comments.
type elements struct{ text string }

// got reports whether c comes next, and skips it.
func (e *elements) got(c byte) bool {
	e.blanks()
	if e.text == "" || e.text[0] != c {
		return false
	}
	e.text = e.text[1:]
	e.blanks()
	return true
}

func (e *elements) blanks() {
	for e.text != "" && e.text[0] == ' ' {
		e.text = e.text[1:]
	}
}

// name reads a name, or a byte of its address, which is written mask(name); "" where
// something else stands.
func (e *elements) name() string {
	e.blanks()
	if e.text == "" || !isDigit(e.text[0]) {
		return e.word()
	}
	e.word()
	if !e.got('(') {
		return ""
	}
	name := e.word()
	if name == "" || isDigit(name[0]) || !e.got(')') {
		return ""
	}
	return name
}

func (e *elements) word() string {
	i := 0
	for i < len(e.text) && wordByte(e.text[i]) {
		i++
	}
	w := e.text[:i]
	e.text = e.text[i:]
	return w
}

func wordByte(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c == '%'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
