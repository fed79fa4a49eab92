package resolve

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
)

// A CallSite is a call in a body, with its callee and its signature.
type CallSite struct {
	Call *ptx.Call
	// Callee is the function that is called; the aliasee if the call names an alias. For a call through
	// a register it is the prototype that the call names, or the first function of its
	// list or table of targets. It is nil if the module does not declare that name.
	Callee *Function
	// Signature is the signature of the call: a variadic tail has the size that the call passes.
	// [CallSite.Assign] returns the places.
	Signature abi.Signature
	// Err is the reason if there is no Signature: the callee is not declared, or cannot
	// take the arguments. It is nil otherwise.
	Err error
}

// Calls returns the calls in the body of f, a function of the module of the table, in their order.
func (t *Table) Calls(f *ptx.Func) []CallSite {
	t, f = zero.Or(t), zero.Or(f)
	m := t.module
	b := body.New(f, f.Body, ParamsInBody(m, f))
	var all []CallSite
	for i, s := range f.Body {
		if call, ok := s.(*ptx.Call); ok {
			all = append(all, t.call(m, b, i, call))
		}
	}
	return all
}

// call returns the call that is statement i of a body, with its callee.
func (t *Table) call(m *ptx.Module, b *body.Body, i int, call *ptx.Call) CallSite {
	c := CallSite{Call: call}
	symbols := b.Operands(i)
	callee, list := b.Sym(symbols[0]), b.Sym(symbols[1])
	switch name := call.Callee.Name(); {
	case callee == nil:
		c.Callee = t.function(m, name)
	case list != nil && list.Proto != nil:
		c.Callee = NewPrototype(m, list.Proto)
	case list != nil && list.Targets != nil:
		c.Callee = t.first(m, list.Targets)
	case list != nil && list.Var != nil:
		c.Callee = t.first(m, CallTable(list.Spec, list.Var))
	default:
		c.Callee = t.first(m, t.CallTable(call.Proto.Name()))
	}
	if c.Callee == nil {
		what := call.Callee.Text
		if callee != nil {
			what = "what " + what + " calls"
		}
		c.Err = fmt.Errorf("%s is not declared", what)
		return c
	}
	formals := c.Callee.Signature().Params
	args := make([]abi.Value, len(call.Params))
	for k := range args {
		if sym := b.Sym(symbols[2+len(call.Results)+k]); sym != nil && sym.Var != nil {
			args[k] = Value(sym.Spec, sym.Var)
		} else if k < len(formals) {
			args[k] = formals[k] // a constant has the type of the formal
		}
	}
	c.Signature, c.Err = c.Callee.Call(args...)
	return c
}

// function returns the function with a name, nil if the module has none.
func (t *Table) function(m *ptx.Module, name string) *Function {
	if c := t.Lookup(name); c != nil {
		return NewFunction(m, c.Func)
	}
	return nil
}

// first returns the first function of a list that the module has; nil if there is none.
func (t *Table) first(m *ptx.Module, l *ptx.TargetList) *Function {
	for _, o := range zero.Or(l).Names {
		if f := t.function(m, o.Text); f != nil {
			return f
		}
	}
	return nil
}

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
		if n := len(l.Names); n == 0 || l.Names[n-1].Text != name { // the bytes of one address are one element each
			l.Names = append(l.Names, ptx.Operand{Pos: v.Pos, Kind: ptx.KindName, Text: name})
		}
	}
	return l
}

// CallTable returns the functions of a module's variable, as the function [CallTable]
// does.
func (t *Table) CallTable(name string) *ptx.TargetList {
	t = zero.Or(t)
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
