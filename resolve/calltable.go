package resolve

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// CallTable returns the functions that a table of functions stands for in an indirect
// call: the initial values of an array of .u8, .u32 or .u64 in .global or .const space.
// It is nil for other variables.
func CallTable(s *ptx.Spec, v *ptx.Var) *ptx.TargetList {
	if s == nil || v == nil || s.Type != ptx.U8 && s.Type != ptx.U32 && s.Type != ptx.U64 {
		return nil
	}
	if s.Space != ptx.GlobalSpace && s.Space != ptx.ConstSpace || len(v.Dims) != 1 || s.Vec != 0 {
		return nil
	}
	l := &ptx.TargetList{Pos: v.Pos, Name: v.Name}
	text, opened := strings.CutPrefix(string(ptx.AppendTokens(nil, v.Init)), "{")
	text, closed := strings.CutSuffix(text, "}")
	if !opened || !closed {
		return nil
	}
	for element := range strings.SplitSeq(text, ",") {
		name := elementName(strings.Trim(element, " "))
		if name == "" {
			return nil
		}
		if n := len(l.Names); n == 0 || l.Names[n-1].Text != name { // each byte of one function
			l.Names = append(l.Names, ptx.Operand{Pos: v.Pos, Kind: ptx.KindName, Text: name})
		}
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

// elementName returns the name of a function in an element of a table: f, or a byte of its address, 0xff(f); "" if it is
// neither.
func elementName(s string) string {
	name := s
	if mask, rest, ok := strings.Cut(s, "("); ok && isWord(strings.TrimRight(mask, " ")) && isDigit(s[0]) {
		rest, ok = strings.CutSuffix(rest, ")")
		if name = strings.Trim(rest, " "); !ok {
			return ""
		}
	}
	if !isWord(name) || isDigit(name[0]) {
		return ""
	}
	return name
}

// isWord reports whether s is a name or a number.
func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return (c < '0' || '9' < c) && (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) && c != '_' && c != '$' && c != '%'
	}) < 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
