// Package annotate writes into the listing of a disassembler what each
// instruction has to do with the calling convention: which value a register,
// a word of the stack or of the constant bank is. It does no I/O.
//
// It follows values from a function's entry through copies and through the
// stack, and says nothing where it is not sure: at a place that control reaches
// by several ways a value has a name only if it has the same on all of them.
package annotate

import (
	"slices"
	"strings"
	"unicode/utf8"

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

// A Listed is a function of a listing with what is said of its code.
type Listed struct {
	Name   string
	Line   int // where it begins in the listing, from 1; 0: unknown
	Func   *Func
	Named  bool // the names are those of the source, and not of places
	Instrs []Noted
}

// A Noted is an instruction of which something is said.
type Noted struct {
	Line  int // in the listing, from 1
	Instr *sass.Instr
	Notes []string
	// Cells has a letter for each parameter register, as [Options.Registers]
	// shows them.
	Cells string
}

// Functions says of each function of the listing what its instructions have to
// do with the convention. Prog is what [sass.Parse] made of the listing, without
// error.
func Functions(src []byte, prog *sass.Program, o Options) []Listed {
	kernels := entries(slices.Collect(strings.Lines(string(src))))
	byName := make(map[string]*Func)
	for _, f := range o.Funcs {
		byName[f.Name] = f
	}
	var all []Listed
	for _, f := range prog.Funcs {
		out := Listed{Name: f.Name, Line: int(f.Pos.Line), Func: byName[f.Name], Named: true}
		if out.Func == nil {
			out.Func, out.Named = unknown(f.Name, kernels[f.Name] || loadsSP(f, o.Target), o.Target), false
		}
		n := notesOf(newFunction(f, out.Func, o.Target, func(name string) *Func { return byName[name] }))
		for i, in := range n.code {
			if in.Pos.Line > 0 {
				out.Instrs = append(out.Instrs, Noted{int(in.Pos.Line), in, n.said[i], n.cells[i]})
			}
		}
		all = append(all, out)
	}
	return all
}

// Text returns the listing with the notes. Apart from them it is what it was,
// byte for byte. Prog is as in [Functions].
func Text(src []byte, prog *sass.Program, o Options) []byte {
	lines := slices.Collect(strings.Lines(string(src)))
	added := make([]string, len(lines))
	for _, f := range Functions(src, prog, o) {
		var said []note
		if line := heading(lines, f); o.Registers && line >= 0 {
			said = append(said, note{line, digits(o.Target) + " |"})
		}
		for _, in := range f.Instrs {
			text := strings.Join(in.Notes, "; ")
			if o.Registers {
				text = strings.TrimRight(in.Cells+" | "+text, " ")
			}
			if text != "" {
				said = append(said, note{in.Line - 1, text})
			}
		}
		align(added, lines, said)
	}
	var out []byte
	for i, line := range lines {
		body := strings.TrimRight(line, "\r\n")
		out = append(out, body...)
		out = append(out, added[i]...)
		out = append(out, line[len(body):]...)
	}
	return out
}

// A note is what is added to a line, counted from 0.
type note struct {
	line int
	text string
}

// heading is the first directive between a function's beginning and its code,
// where a comment is in nobody's way; -1 where there is none.
func heading(lines []string, f Listed) int {
	if len(f.Instrs) == 0 || f.Line == 0 {
		return -1
	}
	for i := f.Line; i < f.Instrs[0].Line-1; i++ {
		if body := strings.TrimSpace(lines[i]); strings.HasPrefix(body, ".") && !strings.HasSuffix(body, ":") {
			return i
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

// entries are the functions that the listing calls kernels.
func entries(lines []string) map[string]bool {
	all := make(map[string]bool)
	for _, line := range lines {
		if !strings.Contains(line, "STO_CUDA_ENTRY") {
			continue
		}
		if f := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t,\"@", r) }); len(f) > 1 && f[0] == ".other" {
			all[f[1]] = true
		}
	}
	return all
}

// loadsSP reports whether a function takes its stack pointer from the constant
// bank, which kernels alone do.
func loadsSP(f *sass.Func, t *abi.Target) bool {
	for i := range f.Items {
		in := &f.Items[i].Instr
		if len(in.Args) < 2 || in.Args[0] != sass.R(t.Regs.SP) {
			continue
		}
		last := in.Args[len(in.Args)-1]
		if last.Kind == sass.Const && last.Bank == t.Kernel.SP.Bank && last.Off == int64(t.Kernel.SP.Off) {
			return true
		}
	}
	return false
}

// The column where notes begin is that behind the longest line with one, and no
// further than maxColumn.
const (
	maxColumn = 160
	tabWidth  = 8
)

// align gives the notes of one function a column of their own.
func align(added, lines []string, said []note) {
	column := 0
	widths := make([]int, len(said))
	for i, n := range said {
		widths[i] = width(strings.TrimRight(lines[n.line], "\r\n"))
		if w := widths[i] + 2; w <= maxColumn {
			column = max(column, w)
		}
	}
	for i, n := range said {
		added[n.line] = strings.Repeat(" ", max(column-widths[i], 2)) + "// " + n.text
	}
}

// width is how far a line reaches.
func width(s string) int {
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if s = s[size:]; r == '\t' {
			n += tabWidth - n%tabWidth
		} else {
			n++
		}
	}
	return n
}
