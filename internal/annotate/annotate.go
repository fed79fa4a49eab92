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

// Text returns the listing with the notes. Apart from them it is what it was,
// byte for byte. Prog is what [sass.Parse] made of the listing, without error.
func Text(src []byte, prog *sass.Program, o Options) []byte {
	lines := slices.Collect(strings.Lines(string(src)))
	kernels := entries(lines)
	byName := make(map[string]*Func)
	for _, f := range o.Funcs {
		byName[f.Name] = f
	}
	added := make([]string, len(lines))
	for _, f := range prog.Funcs {
		own := byName[f.Name]
		if own == nil {
			own = unknown(f.Name, kernels[f.Name] || loadsSP(f, o.Target), o.Target)
		}
		n := notesOf(newFunction(f, own, o.Target, func(name string) *Func { return byName[name] }))
		var said []note
		if line := heading(lines, f.Pos.Line, n.code); o.Registers && line >= 0 {
			said = append(said, note{line, digits(o.Target) + " |"})
		}
		for i, in := range n.code {
			text := strings.Join(n.said[i], "; ")
			if o.Registers {
				text = strings.TrimRight(n.cells[i]+" | "+text, " ")
			}
			if text != "" && in.Pos.Line > 0 {
				said = append(said, note{int(in.Pos.Line) - 1, text})
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
func heading(lines []string, from uint32, code []*sass.Instr) int {
	if len(code) == 0 || from == 0 {
		return -1
	}
	for i := int(from); i < int(code[0].Pos.Line)-1; i++ {
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
