package ptx

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// WriteTo writes the module as [Module.AppendText] makes it.
func (m *Module) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(m.AppendText(nil))
	return int64(n), err
}

// AppendText appends the module as PTX text: a statement a line, blocks indented by tabs,
// comments left out. A tree that Parse returned prints with the tokens that were read. If
// a node keeps the text of its source (Text, Head, Args), that text is printed, and
// otherwise the fields of the node. Version, Target and AddressSize are printed before
// the items, unless a directive among these says the same.
func (m *Module) AppendText(dst []byte) []byte {
	m = zero.Or(m)
	dst = m.appendHead(dst)
	for _, it := range m.Items {
		s, _ := it.(Stmt) // every item is one
		dst = append(AppendStmt(dst, s), '\n')
	}
	return dst
}

// appendHead appends the directives of the head of the module that are not among its items.
func (m *Module) appendHead(dst []byte) []byte {
	var version, target, size bool
	for _, it := range m.Items {
		if d, ok := it.(*Directive); ok {
			version = version || d.Name == ".version"
			target = target || d.Name == ".target"
			size = size || d.Name == ".address_size"
		}
	}
	if !version && m.Version != (Version{}) {
		dst = fmt.Appendf(dst, ".version %d.%d\n", m.Version.Major, m.Version.Minor)
	}
	if !target && m.Target != "" {
		dst = append(append(append(dst, ".target "...), m.Target...), '\n')
	}
	if !size && m.AddressSize != 0 {
		dst = append(strconv.AppendInt(append(dst, ".address_size "...), int64(m.AddressSize), 10), '\n')
	}
	return dst
}

// AppendStmt appends a statement of a body in one line, without a line end. An
// instruction has its semicolon.
func AppendStmt(dst []byte, s Stmt) []byte {
	switch s := s.(type) {
	case *Instr:
		dst = append(s.append(dst), ';')
	case *Call:
		dst = append(s.append(dst), ';')
	case *Access:
		dst = append(s.append(dst), ';')
	case *Label:
		dst = append(append(dst, s.Name...), ':')
	case *Decl:
		dst = append(s.append(dst), ';')
	case *Open:
		dst = append(dst, '{')
	case *Close:
		dst = append(dst, '}')
	case *Prototype:
		dst = append(s.append(dst), ';')
	case *TargetList:
		dst = append(s.append(dst), ';')
	case *Directive:
		dst = s.append(dst)
	case *Raw:
		dst = append(dst, s.Text...)
	case *Func:
		dst = s.append(dst)
	}
	return dst
}

func (d *Directive) append(dst []byte) []byte {
	dst = append(dst, d.Name...)
	switch {
	case infoOf(d.Name) == nil && strings.IndexByte(d.Args, '{') >= 0: // the braces may have free text
		dst = append(append(dst, ' '), d.Args...)
	case d.Args != "":
		dst = AppendTokens(append(dst, ' '), d.Args)
	}
	if d.Semi {
		dst = append(dst, ';')
	}
	return dst
}

func (f *Func) append(dst []byte) []byte {
	if f.Head != "" {
		dst = AppendTokens(dst, f.Head)
	} else {
		dst = f.appendHead(dst)
	}
	if f.NoSemi && !f.HasBody {
		return dst
	}
	if !f.HasBody {
		return append(dst, ';')
	}
	dst = append(dst, "\n{\n"...)
	depth := 1
	for _, s := range f.Body {
		if _, ok := s.(*Close); ok {
			depth--
		}
		in := depth
		if _, ok := s.(*Label); ok {
			in--
		}
		for range min(in, 16) { // deeper blocks are not indented more, so that the text stays linear in the input
			dst = append(dst, '\t')
		}
		dst = append(AppendStmt(dst, s), '\n')
		if _, ok := s.(*Open); ok {
			depth++
		}
	}
	return append(dst, '}')
}

func (f *Func) appendHead(dst []byte) []byte {
	if f.Linkage != NoLinkage {
		dst = append(append(dst, f.Linkage.String()...), ' ')
	}
	word := ".func "
	if f.Entry {
		word = ".entry "
	}
	dst = append(dst, word...)
	if f.Attr != "" {
		dst = append(append(append(dst, ".attribute("...), f.Attr...), ") "...)
	}
	return appendSignature(dst, f.Results, f.Name, f.Params, f.HasParams, f.Directives)
}

func (p *Prototype) append(dst []byte) []byte {
	if p.Text != "" {
		return AppendTokens(dst, p.Text)
	}
	name := "_ "
	if !p.HasParams && len(p.Params) == 0 {
		name = "_"
	}
	return appendSignature(append(append(dst, p.Name...), ": .callprototype "...), p.Results, name, p.Params, p.HasParams, p.Directives)
}

func (l *TargetList) append(dst []byte) []byte {
	if l.Text != "" {
		return AppendTokens(dst, l.Text)
	}
	word := ": .calltargets "
	if l.Branch {
		word = ": .branchtargets "
	}
	return appendOperands(append(append(dst, l.Name...), word...), l.Names)
}

func (f *Formal) append(dst []byte) []byte {
	if w := f.Unknown; len(w) > 0 && w[0].Form {
		return AppendTokens(dst, w[0].Text)
	}
	return f.Var.append(append(f.Spec.append(dst), ' '))
}

// appendSignature appends the head of a function or a prototype from its results on.
func appendSignature(dst []byte, results []Formal, name string, params []Formal, listed bool, directives []Directive) []byte {
	if len(results) > 0 {
		dst = append(appendList(append(dst, '('), results, ", ", (*Formal).append), ") "...)
	}
	dst = append(dst, name...)
	if listed || len(params) > 0 {
		dst = append(appendList(append(dst, '('), params, ", ", (*Formal).append), ')')
	}
	if len(directives) > 0 {
		dst = appendList(append(dst, ' '), directives, " ", (*Directive).append)
	}
	return dst
}

func (d *Decl) append(dst []byte) []byte {
	if d.Text != "" {
		return AppendTokens(dst, d.Text)
	}
	if d.Linkage != NoLinkage {
		dst = append(append(dst, d.Linkage.String()...), ' ')
	}
	if dst = d.Spec.append(dst); len(d.Vars) == 0 {
		return dst
	}
	return appendList(append(dst, ' '), d.Vars, ", ", (*Var).append)
}

func appendAlign(dst []byte, n int64) []byte {
	return strconv.AppendInt(append(dst, " .align "...), n, 10)
}

func (s *Spec) append(dst []byte) []byte {
	dst = append(dst, s.Space.String()...)
	if s.Bank != 0 {
		dst = append(strconv.AppendInt(append(dst, '['), s.Bank, 10), ']')
	}
	aligned := s.AlignPos.IsValid() || s.Align != 0
	if aligned && !s.AlignLate {
		dst = appendAlign(dst, s.Align)
	}
	if s.Attr != "" {
		dst = append(append(append(dst, " .attribute("...), s.Attr...), ')')
	}
	if s.Vec != 0 {
		dst = strconv.AppendInt(append(dst, " .v"...), int64(s.Vec), 10)
	}
	dst = append(append(dst, ' '), s.Type.String()...)
	for _, w := range s.Unknown {
		dst = append(append(dst, ' '), w.Text...)
	}
	if aligned && s.AlignLate {
		dst = appendAlign(dst, s.Align)
	}
	if s.Ptr != nil {
		dst = append(dst, " .ptr"...)
		if s.Ptr.Space != NoSpace {
			dst = append(append(dst, ' '), s.Ptr.Space.String()...)
		}
		if s.Ptr.Bank != 0 {
			dst = append(strconv.AppendInt(append(dst, '['), s.Ptr.Bank, 10), ']')
		}
		if s.Ptr.Handle != NoType {
			dst = append(append(dst, ' '), s.Ptr.Handle.String()...)
		}
		if s.Ptr.AlignPos.IsValid() || s.Ptr.Align != 0 {
			dst = appendAlign(dst, s.Ptr.Align)
		}
	}
	return dst
}

func (v *Var) append(dst []byte) []byte {
	dst = append(dst, v.Name...)
	if v.Ranged() {
		dst = append(strconv.AppendInt(append(dst, '<'), max(v.Count, 0), 10), '>')
	}
	for _, n := range v.Dims {
		dst = append(dst, '[')
		if n != NoExtent {
			dst = strconv.AppendInt(dst, n, 10)
		}
		dst = append(dst, ']')
	}
	if v.Init != "" {
		dst = AppendTokens(append(dst, " = "...), v.Init)
	}
	return dst
}

// append appends the instruction without its semicolon.
func (in *Instr) append(dst []byte) []byte {
	dst = in.appendOp(dst, "")
	switch {
	case in.Args != "":
		return append(append(dst, ' '), in.argsLine()...)
	case len(in.Operands) > 0:
		return appendOperands(append(dst, ' '), in.Operands)
	}
	return dst
}

// argsLine returns Args in one line. If they have line ends or comments, each run of blanks, line ends and
// comments becomes one blank.
func (in *Instr) argsLine() string {
	if strings.Contains(in.Args, "\n") || strings.Contains(in.Args, "//") || strings.Contains(in.Args, "/*") {
		return string(AppendTokens(nil, in.Args))
	}
	return in.Args
}

// appendOp appends the guard and the opcode; made if the instruction has no opcode.
func (in *Instr) appendOp(dst []byte, made string) []byte {
	if in.Guard != nil {
		dst = append(dst, '@')
		if in.Guard.Neg {
			dst = append(dst, '!')
		}
		dst = append(append(dst, in.Guard.Name...), ' ')
	}
	if in.Op != "" {
		made = in.Op
	}
	return append(dst, made...)
}

// append appends the call without its semicolon.
func (c *Call) append(dst []byte) []byte {
	if c.Args != "" {
		return c.Instr.append(dst)
	}
	made := "call"
	if c.Uni {
		made += ".uni"
	}
	dst = append(c.appendOp(dst, made), ' ')
	if len(c.Results) > 0 {
		dst = append(appendOperands(append(dst, '('), c.Results), "), "...)
	}
	dst = c.Callee.append(dst)
	if c.Listed || len(c.Params) > 0 {
		dst = append(appendOperands(append(dst, ", ("...), c.Params), ')')
	}
	if c.Proto.Kind != KindNone {
		dst = c.Proto.append(append(dst, ", "...))
	}
	return dst
}

// opcode returns the opcode that the fields of an access make, for one that was built by hand without an opcode.
func (a *Access) opcode() string {
	op := "ld.param"
	if a.Store {
		op = "st.param"
	}
	switch a.Qual {
	case EntryParam:
		op += "::entry"
	case FuncParam:
		op += "::func"
	}
	if a.Vec != 0 {
		op += ".v" + strconv.Itoa(a.Vec)
	}
	return op + a.Type.String()
}

// appendList appends the elements of a list, with a text between them.
func appendList[T any](dst []byte, list []T, between string, one func(*T, []byte) []byte) []byte {
	for i := range list {
		if i > 0 {
			dst = append(dst, between...)
		}
		dst = one(&list[i], dst)
	}
	return dst
}

func appendOperands(dst []byte, list []Operand) []byte {
	return appendList(dst, list, ", ", (*Operand).append)
}

func (o *Operand) append(dst []byte) []byte {
	if o.Text != "" {
		if o.Neg && o.Text[0] != '!' && o.Text[0] != '-' {
			dst = append(dst, '!')
		}
		dst = AppendTokens(dst, o.Text)
		if o.named() && o.Elem != 0 && !strings.Contains(o.Text, ".") {
			dst = append(dst, '.', o.Elem)
		}
		if o.Kind == KindSum && !strings.Contains(o.Text, "+") {
			dst = strconv.AppendInt(append(dst, '+'), int64(o.Bits), 10)
		}
		return dst
	}
	switch o.Kind {
	case KindInt:
		return strconv.AppendInt(dst, int64(o.Bits), 10)
	case KindFloat:
		return o.appendFloat(dst)
	case KindVector:
		return append(appendOperands(append(dst, '{'), o.Elems), '}')
	case KindAddress:
		return append(appendOperands(append(dst, '['), o.Elems), ']')
	case KindIndexed:
		if len(o.Elems) > 0 {
			return append(appendOperands(append(o.Elems[0].append(dst), '['), o.Elems[1:]), ']')
		}
	case KindPair:
		return appendList(dst, o.Elems, "|", (*Operand).append)
	case KindSink:
		return append(dst, '_')
	}
	return dst
}

func (o *Operand) appendFloat(dst []byte) []byte {
	f := math.Float64frombits(o.Bits)
	switch {
	case o.FloatSize == 4:
		return fmt.Appendf(dst, "0f%08X", uint32(o.Bits))
	case o.FloatSize == 8, math.IsNaN(f):
		return fmt.Appendf(dst, "0d%016X", o.Bits)
	case math.IsInf(f, 1): // a number that is too large is read as infinite
		return append(dst, "1e999"...)
	case math.IsInf(f, -1):
		return append(dst, "-1e999"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, 64)
	if !bytes.ContainsAny(dst[start:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// append appends the access without its semicolon.
func (a *Access) append(dst []byte) []byte {
	if a.Args != "" {
		return a.Instr.append(dst)
	}
	if dst = append(a.appendOp(dst, a.opcode()), ' '); a.Store {
		return a.appendRegs(append(a.Addr.append(dst), ", "...))
	}
	return a.Addr.append(append(a.appendRegs(dst), ", "...))
}

func (a *Access) appendRegs(dst []byte) []byte {
	if a.Vec == 0 || a.Whole {
		return appendOperands(dst, a.Regs)
	}
	return append(appendOperands(append(dst, '{'), a.Regs), '}')
}

func (a *Address) append(dst []byte) []byte {
	if a.Indexed {
		dst = append(append(dst, a.Base...), '[')
		return append(strconv.AppendInt(dst, a.Off, 10), ']')
	}
	dst = append(append(dst, '['), a.Base...)
	switch {
	case a.Minus:
		dst = strconv.AppendInt(append(dst, '-'), -a.Off, 10)
	case a.Base == "":
		dst = strconv.AppendInt(dst, a.Off, 10)
	case a.Off != 0:
		dst = strconv.AppendInt(append(dst, '+'), a.Off, 10)
	}
	return append(dst, ']')
}
