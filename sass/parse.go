package sass

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
)

// Parse reads the text of a program: the text that [Program.AppendText] writes, or the code that
// nvdisasm or cuobjdump -sass prints for a cubin. Errors have the name of the input.
//
// Parse always returns the program that it could read. Text outside of functions, and
// directives inside of them, are not part of it. Text that this package has printed reads
// back unchanged, except for positions, which are those in src. Of a disassembler's text
// the blanks, the spelling of numbers and the sign of offsets are lost; operands of an
// unknown form are kept as their text.
//
// The error, if any, is a [diag.List] of all errors.
func Parse(name string, src []byte) (*Program, error) {
	p := &parser{file: name, prog: new(Program)}
	p.fresh = func() *Func {
		f := new(Func)
		p.prog.Funcs = append(p.prog.Funcs, f)
		return f
	}
	for rest, more := string(src), true; more; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		p.next(line)
	}
	p.end()
	if p.prog.Target == "" && p.prog.Funcs == nil && p.list == nil {
		p.num = 1
		p.errorf(0, "no code: expected a line such as //---- .text.NAME ---- or .text.NAME: before a function")
	}
	if p.list != nil {
		return p.prog, p.list
	}
	return p.prog, nil
}

// A parser reads a text line by line.
type parser struct {
	file string
	list diag.List
	prog *Program

	num  int   // the number of the line, from 1
	cur  *Func // the function at hand; nil outside of functions
	own  bool  // the next label, if it has the function's name, is the function's own
	open bool  // the instruction before is the first of a pair
	// passed says that items of cur have been passed on and removed, coded that some of them
	// were no labels.
	passed, coded bool
	// label is the last label outside of functions, or the last item of cur if
	// that is a label.
	label string

	fresh func() *Func // returns a function to which items can be added
	skip  bool         // the items of cur are not wanted
	// kernels has the kernels that the listing has named before they begin.
	kernels map[string]bool
}

const (
	blanks      = " \t"
	targetLine  = "// pseudo-SASS for "
	sectionLine = "//--"
	codePrefix  = ".text."
)

// next reads the next line, without its line feed.
func (p *parser) next(line string) {
	p.num++
	if p.skip && strings.HasPrefix(strings.TrimLeft(line, blanks), "/*") {
		p.label = ""
		return
	}
	if strings.IndexByte(line, '\r') >= 0 {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\r", " ")
	}
	p.line(line)
}

func (p *parser) line(s string) {
	body := strings.TrimLeft(s, blanks)
	indent := len(s) - len(body)
	body = strings.TrimRight(body, blanks)
	margin := body != "" && indent == 0
	switch {
	case body == "":
	case margin && strings.HasPrefix(s, sectionLine):
		p.section(strings.Trim(strings.TrimRight(strings.TrimLeft(body, "/-"), "-"), blanks))
	case margin && strings.HasPrefix(s, targetLine):
		name, _, _ := strings.Cut(strings.TrimPrefix(s, targetLine), ":")
		p.target(name)
	case margin && strings.HasPrefix(s, "//"):
	case margin && len(body) > 1 && strings.HasSuffix(body, ":"):
		p.labelLine(strings.TrimSuffix(body, ":"))
	case strings.HasPrefix(body, "Function : "):
		p.start(strings.TrimPrefix(body, "Function : "), indent)
	case strings.HasPrefix(body, "code for "):
		p.end()
		p.target(strings.TrimPrefix(body, "code for "))
	case strings.HasPrefix(body, ".........."):
		p.end()
	case body[0] == '.':
		p.directive(body, indent)
	case p.cur == nil:
	case p.skip:
		p.label = ""
	case strings.HasPrefix(body, "//"):
		text := strings.TrimPrefix(s[indent:], "//")
		*p.add() = Item{Kind: Comment, Text: strings.TrimPrefix(text, " ")}
	case strings.HasPrefix(body, "/* 0x") && strings.HasSuffix(body, "*/"):
		// The second half of an instruction's encoding.
	case !margin:
		p.instrLine(s, indent)
	default:
		p.errorf(0, "expected an instruction, indented, or a label with a colon")
	}
}

// target sets the target to the name of an architecture: sm_90a.
func (p *parser) target(name string) {
	if sm, ok := strings.CutPrefix(name, "sm_"); ok && isName("_"+sm) {
		p.prog.Target = name
	}
}

// section begins the function of a section of code. Any other section ends the
// one before.
func (p *parser) section(title string) {
	name, ok := strings.CutPrefix(title, codePrefix)
	if !ok {
		p.end()
		return
	}
	p.start(name, 0)
}

// kernel records that a function is a kernel, perhaps before it begins.
func (p *parser) kernel(name string) {
	if p.cur != nil && p.cur.Name == name {
		p.cur.Kernel = true
		return
	}
	if p.kernels == nil {
		p.kernels = make(map[string]bool)
	}
	p.kernels[name] = true
}

// directive reads a line that begins with a dot, for the target, the
// sections and the kernels. Other directives have no effect.
func (p *parser) directive(body string, indent int) {
	fields := strings.FieldsFunc(body, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
	if len(fields) < 2 {
		return
	}
	switch fields[0] {
	case ".section":
		if name, ok := strings.CutPrefix(fields[1], codePrefix); !ok {
			p.end()
		} else if p.cur == nil || p.cur.Name != name {
			p.start(name, indent)
		}
	case ".other":
		if strings.Contains(body, "STO_CUDA_ENTRY") {
			p.kernel(fields[1])
		}
	case ".target":
		p.target(fields[1])
	case ".headerflags":
		for _, flag := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(" \t@\"()", r) }) {
			if sm, ok := strings.CutPrefix(flag, "EF_CUDA_SM"); ok && p.prog.Target == "" {
				p.target("sm_" + sm)
			}
		}
	}
}

// labelLine reads a label. The label of a section's code, .text.NAME, begins a function if no
// line announced it. Labels with the function's own name are not kept.
func (p *parser) labelLine(name string) {
	if fn, ok := strings.CutPrefix(name, codePrefix); ok && fn != "" {
		if p.cur != nil && p.cur.Name == fn && p.codeless() {
			if p.label == fn && !p.skip {
				p.cur.Items = p.cur.Items[:len(p.cur.Items)-1]
			}
			p.label, p.own = "", false
			return
		}
		if p.cur != nil && p.label == fn && !p.skip {
			p.cur.Items = p.cur.Items[:len(p.cur.Items)-1]
		}
		p.start(fn, 0)
		return
	}
	switch {
	case p.cur == nil || p.skip:
		p.label = name
	case p.own && name == p.cur.Name && len(p.cur.Items) == 0 && !p.passed:
		p.own = false
	case !isSymbol(name):
		p.errorf(0, "expected a label without blanks and slashes")
	default:
		*p.add() = Item{Kind: Label, Text: name}
		p.label = name
	}
}

// codeless reports whether only labels of the function have been read: its own, and those of
// aliases.
func (p *parser) codeless() bool {
	return !p.coded && !hasCode(p.cur.Items)
}

// hasCode reports whether there are items that are no labels.
func hasCode(items []Item) bool {
	for i := range items {
		if items[i].Kind != Label {
			return true
		}
	}
	return false
}

// add adds an item to the function, to be filled in.
func (p *parser) add() *Item {
	p.label = ""
	p.cur.Items = append(p.cur.Items, Item{})
	return &p.cur.Items[len(p.cur.Items)-1]
}

// isSymbol reports whether s may be the name of a function or of a label.
func isSymbol(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r == '/' }) < 0
}

// start begins a function.
func (p *parser) start(name string, indent int) {
	p.end()
	if !isSymbol(name) || strings.HasPrefix(name, codePrefix) {
		p.errorf(indent, "expected the name of a function, without blanks, slashes and "+codePrefix)
		return
	}
	p.cur = p.fresh()
	p.cur.Name, p.cur.Pos = name, p.pos(indent)
	p.cur.Kernel = p.kernels[name]
	p.own, p.label, p.skip = true, "", false
	p.passed, p.coded = false, false
}

// end ends the function, if there is one.
func (p *parser) end() {
	if p.open {
		p.errorf(0, "the function ends within a pair: expected an instruction that ends in }")
	}
	p.cur, p.open, p.label, p.skip = nil, false, "", false
}

// instrLine reads an instruction. An instruction without an address is pseudo-SASS, in which
// any name may be a register.
func (p *parser) instrLine(s string, indent int) {
	label := p.label
	it := p.add()
	in := &it.Instr
	in.Pos = p.pos(indent)
	l := lineParser{parser: p, s: s, off: indent}
	if !l.address(in) || !l.instr(in) {
		p.cur.Items = p.cur.Items[:len(p.cur.Items)-1]
		p.label = label
		return
	}
	switch {
	case in.Pair == First && p.open:
		p.errorf(indent, "a pair begins within a pair")
	case in.Pair == First:
		p.open = true
	case in.Pair == Second && !p.open:
		p.errorf(indent, "a pair ends that did not begin with {")
	case in.Pair == Second:
		p.open = false
	case p.open:
		p.errorf(indent, "the second instruction of a pair does not end in }")
		p.open = false
	}
}

func (p *parser) pos(off int) Pos { return Pos{Line: uint32(p.num), Col: uint32(off + 1)} }

func (p *parser) errorf(off int, format string, args ...any) {
	p.list.Add(&diag.Diagnostic{File: p.file, Pos: p.pos(off), Msg: fmt.Sprintf(format, args...)})
}
