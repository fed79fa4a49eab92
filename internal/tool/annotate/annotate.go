// Package annotate writes into the listing of a disassembler what each
// instruction has to do with the calling convention: which value a register,
// a word of the stack or of the constant bank is. It does no I/O.
//
// It follows values from a function's entry through copies and through the
// stack, and says nothing where it is not sure: at a place that control reaches
// by several ways a value has a name only if it has the same on all of them.
package annotate

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// Options say what is known beside the listing.
type Options struct {
	Target *abi.Target
	// Funcs are the functions and kernels whose formals have names. Values of
	// all others have the names of their places.
	Funcs []*Func
	// Registers adds a column for each parameter register.
	Registers bool
}

// An Annotator annotates the functions of a listing.
type Annotator struct {
	o      Options
	byName map[string]*Func
}

// New returns an Annotator.
func New(o Options) *Annotator {
	a := &Annotator{o: o, byName: make(map[string]*Func)}
	for _, f := range o.Funcs {
		a.byName[f.Name] = f
	}
	return a
}

// Names reports whether the values of a function have names.
func (a *Annotator) Names(function string) bool { return a.byName[function] != nil }

// A Reader reads a listing as [sass.Reader] does, whose Want may be set before the first
// call of Next.
type Reader struct {
	*sass.Reader
	section Section
}

// A Section is a part of a listing: a function with its code, or lines that belong to none.
// There are no Items in Func.
type Section struct {
	*sass.Section
	code instructions
}

// NewReader returns a Reader of a listing. The name of the input stands in errors.
func NewReader(name string, in io.Reader) *Reader {
	r := &Reader{Reader: sass.NewReader(name, in)}
	r.Item = r.section.code.item
	return r
}

// Next returns the next section, as [sass.Reader.Next] does.
func (r *Reader) Next() (*Section, error) {
	r.section.code = instructions{}
	s, err := r.Reader.Next()
	if s == nil {
		return nil, err
	}
	r.section.Section = s
	return &r.section, err
}

// known returns what is known of the function of a section, and whether its values have
// names.
func (a *Annotator) known(s *Section) (own *Func, named bool) {
	if own := a.byName[s.Func.Name]; own != nil {
		return own, true
	}
	return unknown(s.Func.Name, s.IsKernel(a.o.Target), a.o.Target), false
}

// IsKernel reports whether the function of a section is a kernel: the listing says so, or
// it takes its stack pointer from the constant bank, which kernels alone do.
func (s *Section) IsKernel(t *abi.Target) bool { return s.Func.Kernel || s.code.loadsSP(t) }

// follow visits the instructions of a section with what is said of each, and its cells if registers are shown. It reports
// whether the function is tangled.
func (a *Annotator) follow(s *Section, own *Func, visit func(in *instr, said []saying, cells string)) (tangled bool) {
	n := notes{function: analyze(&s.code, own, a.o.Target, a.byName)}
	n.of(a.o.Registers)
	said, each := n.said, len(n.cells)/max(len(n.code), 1)
	for i := range n.code {
		k := 0
		for k < len(said) && said[k].instr == i {
			k++
		}
		visit(&n.code[i], said[:k], string(n.cells[i*each:(i+1)*each]))
		said = said[k:]
	}
	return n.tangled
}

// textBuffer is how much of a section is written at once, in bytes.
const textBuffer = 64 << 10

// WriteText writes a section of a listing with its notes. Apart from them it is what it
// was, byte for byte. It reports whether values were not followed to where control comes
// together, as [Listed.Tangled].
func (a *Annotator) WriteText(w io.Writer, s *Section) (tangled bool, err error) {
	var said []note
	if s.Func != nil {
		said, tangled = a.say(s)
	}
	column := columnOf(said, s.Lines)
	text := bufio.NewWriterSize(w, textBuffer)
	for i, line := range s.Lines {
		if len(said) > 0 && said[0].line == i {
			body := strings.TrimRight(line, "\r\n")
			fmt.Fprintf(text, "%s%*s// %s", body, max(column-said[0].width, 2), "", said[0].text)
			said, line = said[1:], line[len(body):]
		}
		text.WriteString(line)
	}
	return tangled, text.Flush()
}

// TangledNote stands in a function that is tangled.
const TangledNote = "values are not followed to where control comes together: it does in too many ways"

// say returns the notes of a section's function, in the order of its lines.
func (a *Annotator) say(s *Section) (all []note, tangled bool) {
	own, _ := a.known(s)
	tangled = a.follow(s, own, func(in *instr, said []saying, cells string) {
		line, text := int(in.Pos.Line)-s.Line, together(said)
		if a.o.Registers {
			text = strings.TrimRight(cells+" | "+text, " ")
		}
		if text != "" && line >= 0 && line < len(s.Lines) {
			all = append(all, note{line: line, text: text})
		}
	})
	if line := heading(s); line >= 0 && (a.o.Registers || tangled) {
		text := ""
		if a.o.Registers {
			text = digits(a.o.Target) + " | "
		}
		if tangled {
			text += TangledNote
		}
		all = slices.Insert(all, 0, note{line: line, text: strings.TrimRight(text, " ")})
	}
	return all, tangled
}

// together is what is said of one instruction.
func together(said []saying) string {
	var texts []string
	for _, one := range said {
		texts = append(texts, one.text)
	}
	return strings.Join(texts, "; ")
}

// A note is what is added to a line of a section, counted from 0, which is that wide.
type note struct {
	line, width int
	text        string
}

// heading is the first directive between a function's beginning and its code,
// where a comment covers nothing; -1 where there is none.
func heading(s *Section) int {
	if s.Func.Pos.Line == 0 {
		return -1
	}
	end := 0 // the line of the first instruction
	if len(s.code.code) > 0 {
		end = int(s.code.code[0].Pos.Line)
	}
	for i := int(s.Func.Pos.Line); i < end-1; i++ {
		if body := strings.TrimSpace(s.Lines[i+1-s.Line]); strings.HasPrefix(body, ".") && !strings.HasSuffix(body, ":") {
			return i + 1 - s.Line
		}
	}
	return -1
}

// digits are the last ones of the parameter registers' numbers.
func digits(t *abi.Target) string {
	var b []byte
	for k := range t.Passing.Count {
		b = append(b, '0'+byte((int(t.Passing.First)+k)%10))
	}
	return string(b)
}

// loadsSP reports whether a function takes its stack pointer from the constant
// bank.
func (c *instructions) loadsSP(t *abi.Target) bool {
	return slices.ContainsFunc(c.code, func(in instr) bool {
		last := len(in.Args) - 1
		return last > 0 && isReg(&in.Args[0], t.Regs.SP) && isConst(&in.Args[last], t.Kernel.SP)
	})
}

// The column where notes begin is that after the longest line with one, and no
// further than maxColumn.
const (
	maxColumn = 160
	tabWidth  = 8
)

// columnOf returns the column in which the notes of a section begin, and notes how wide their lines are.
func columnOf(said []note, lines []string) int {
	column := 0
	for i := range said {
		n := &said[i]
		n.width = width(strings.TrimRight(lines[n.line], "\r\n"))
		if w := n.width + 2; w <= maxColumn {
			column = max(column, w)
		}
	}
	return column
}

// width is how far a line reaches.
func width(s string) int {
	n := 0
	for _, c := range s {
		if n++; c == '\t' {
			n += (tabWidth - n%tabWidth) % tabWidth
		}
	}
	return n
}
