package ptx

import (
	"io"
	"strconv"
	"strings"
)

// WriteTo writes the module as [Module.AppendText] makes it.
func (m *Module) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(m.AppendText(nil))
	return int64(n), err
}

// AppendText appends the module as PTX text: a statement a line, blocks
// indented by tabs, comments left out. A tree that Parse made gives the tokens
// that went in; text that a node keeps of its source (Text, Head, Args) is
// what is printed, and the node's other fields where it keeps none.
func (m *Module) AppendText(dst []byte) []byte {
	for _, it := range m.Items {
		switch it := it.(type) {
		case *Directive:
			dst = it.append(dst)
		case *Raw:
			dst = append(dst, it.Text...)
		case *Decl:
			dst = append(it.append(dst), ';')
		case *Prototype:
			dst = append(it.append(dst), ';')
		case *TargetList:
			dst = append(it.append(dst), ';')
		case *Func:
			dst = it.append(dst)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// AppendStmt appends a statement of a body in one line, without its line end
// and, where it is an instruction, with its semicolon.
func AppendStmt(dst []byte, s Stmt) []byte {
	switch s := s.(type) {
	case *Instr:
		dst = append(s.append(dst, ""), ';')
	case *Call:
		dst = append(s.Instr.append(dst, callArgs(s)), ';')
	case *Access:
		dst = append(s.Instr.append(dst, accessArgs(s)), ';')
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
	if d.Args != "" {
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
		for range min(in, 40) { // deeper ones look alike: text must stay linear in the input
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
	if f.Entry {
		dst = append(dst, ".entry "...)
	} else {
		dst = append(dst, ".func "...)
	}
	if f.Attr != "" {
		dst = append(append(append(dst, ".attribute("...), f.Attr...), ") "...)
	}
	if len(f.Results) > 0 {
		dst = append(appendFormals(dst, f.Results), ' ')
	}
	dst = append(dst, f.Name...)
	if f.HasParams || len(f.Params) > 0 {
		dst = appendFormals(dst, f.Params)
	}
	for i := range f.Directives {
		dst = f.Directives[i].append(append(dst, ' '))
	}
	return dst
}

func (p *Prototype) append(dst []byte) []byte {
	if p.Text != "" {
		return AppendTokens(dst, p.Text)
	}
	dst = append(append(dst, p.Name...), ": .callprototype "...)
	if len(p.Results) > 0 {
		dst = append(appendFormals(dst, p.Results), ' ')
	}
	dst = append(dst, '_')
	if p.HasParams || len(p.Params) > 0 {
		dst = appendFormals(append(dst, ' '), p.Params)
	}
	for i := range p.Directives {
		dst = p.Directives[i].append(append(dst, ' '))
	}
	return dst
}

func (l *TargetList) append(dst []byte) []byte {
	if l.Text != "" {
		return AppendTokens(dst, l.Text)
	}
	dst = append(dst, l.Name...)
	if l.Branch {
		dst = append(dst, ": .branchtargets "...)
	} else {
		dst = append(dst, ": .calltargets "...)
	}
	return appendOperands(dst, l.Names)
}

func appendFormals(dst []byte, list []Formal) []byte {
	dst = append(dst, '(')
	for i := range list {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = list[i].Spec.append(dst)
		dst = list[i].Var.append(append(dst, ' '))
	}
	return append(dst, ')')
}

func (d *Decl) append(dst []byte) []byte {
	if d.Text != "" {
		return AppendTokens(dst, d.Text)
	}
	if d.Linkage != NoLinkage {
		dst = append(append(dst, d.Linkage.String()...), ' ')
	}
	dst = d.Spec.append(dst)
	for i := range d.Vars {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = d.Vars[i].append(append(dst, ' '))
	}
	return dst
}

func appendAlign(dst []byte, n int64) []byte {
	return strconv.AppendInt(append(dst, " .align "...), n, 10)
}

func (s *Spec) append(dst []byte) []byte {
	dst = append(dst, s.Space.String()...)
	if s.Bank != 0 {
		dst = append(strconv.AppendInt(append(dst, '['), s.Bank, 10), ']')
	}
	if s.AlignPos.IsValid() || s.Align != 0 {
		dst = appendAlign(dst, s.Align)
	}
	if s.Attr != "" {
		dst = append(append(append(dst, " .attribute("...), s.Attr...), ')')
	}
	if s.Vec != 0 {
		dst = strconv.AppendInt(append(dst, " .v"...), int64(s.Vec), 10)
	}
	dst = append(append(dst, ' '), s.Type.String()...)
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
	if v.Count > 0 {
		dst = append(strconv.AppendInt(append(dst, '<'), v.Count, 10), '>')
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

// append appends the instruction without its semicolon; made is what stands
// for the operands where Args is empty.
func (in *Instr) append(dst []byte, made string) []byte {
	if in.Guard != nil {
		dst = append(dst, '@')
		if in.Guard.Neg {
			dst = append(dst, '!')
		}
		dst = append(append(dst, in.Guard.Name...), ' ')
	}
	dst = append(dst, in.Op...)
	switch {
	case in.Args == "" && made != "":
		dst = append(append(dst, ' '), made...)
	case in.Args == "":
	case in.Ragged:
		dst = AppendTokens(append(dst, ' '), in.Args)
	default:
		dst = append(append(dst, ' '), in.Args...)
	}
	return dst
}

func appendOperands(dst []byte, list []Operand) []byte {
	for i := range list {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = AppendTokens(dst, list[i].Text)
	}
	return dst
}

// callArgs makes the operands of a call that keeps no text.
func callArgs(c *Call) string {
	if c.Args != "" {
		return ""
	}
	var dst []byte
	if len(c.Results) > 0 {
		dst = append(appendOperands(append(dst, '('), c.Results), "), "...)
	}
	dst = append(dst, c.Callee.Text...)
	if len(c.Params) > 0 {
		dst = append(appendOperands(append(dst, ", ("...), c.Params), ')')
	}
	if c.Proto.Kind != KindNone {
		dst = append(append(dst, ", "...), c.Proto.Text...)
	}
	return string(dst)
}

// accessArgs makes the operands of an access that keeps no text.
func accessArgs(a *Access) string {
	if a.Args != "" {
		return ""
	}
	var addr []byte
	if a.Addr.Indexed {
		addr = append(append(addr, a.Addr.Base...), '[')
		addr = strconv.AppendInt(addr, a.Addr.Off, 10)
	} else {
		addr = append(append(addr, '['), a.Addr.Base...)
	}
	if !a.Addr.Indexed && (a.Addr.Off != 0 || a.Addr.Base == "") {
		if a.Addr.Base != "" && a.Addr.Off > 0 {
			addr = append(addr, '+')
		}
		addr = strconv.AppendInt(addr, a.Addr.Off, 10)
	}
	addr = append(addr, ']')
	regs := appendOperands(nil, a.Regs)
	if a.Vec != 0 && !a.Whole {
		regs = append(append([]byte{'{'}, regs...), '}')
	}
	if a.Store {
		return string(addr) + ", " + string(regs)
	}
	return string(regs) + ", " + string(addr)
}

// AppendTokens appends PTX text with every run of blanks, line ends and
// comments turned into one blank, and none at its ends.
func AppendTokens(dst []byte, text string) []byte {
	for i, gap, some := 0, false, false; i < len(text); {
		n := blankLen(text[i:])
		if n > 0 {
			i += n
			gap = true
			continue
		}
		if gap && some {
			dst = append(dst, ' ')
		}
		gap, some = false, true
		if text[i] == '"' {
			n = stringLen(text[i:])
		} else {
			n = 1
			for i+n < len(text) && text[i+n] != '"' && text[i+n] != '/' && !blank(text[i+n]) {
				n++
			}
		}
		dst = append(dst, text[i:i+n]...)
		i += n
	}
	return dst
}

func blank(c byte) bool { return class[c] == cSpace || c == '\n' || class[c] == cBad }

// blankLen returns the length of the blank or comment that text begins with.
func blankLen(text string) int {
	if blank(text[0]) {
		return 1
	}
	if text[0] != '/' || len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '/':
		if n := strings.IndexByte(text, '\n'); n >= 0 {
			return n
		}
		return len(text)
	case '*':
		if n := strings.Index(text[2:], "*/"); n >= 0 {
			return n + 4
		}
		return len(text)
	}
	return 0
}

func stringLen(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}
