package annotate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A jsonReader reads what nvdisasm -json prints as a listing of nvdisasm -c, function by function.
// The form is that of 13.x:
//
//	[{"SM": {"version": {"major": 8, "minor": 0}}, …},
//	 [{"function-name": "k", "start": 0, "length": 512, "sass-instructions": [
//	    {"predicate": "@P0", "opcode": "LDG.E", "operands": "R2[R2.64]"}, …]}, …]]
//
// Instructions have no addresses: of the architectures that 13.x reads each has 16 bytes. Symbols have no marks,
// and an address after a register has no comma before it.
type jsonReader struct {
	d    *json.Decoder
	text []byte // that was not read yet
	end  int64  // of the last function in its section
	err  error
}

type (
	nvHeader struct {
		SM struct {
			Version struct{ Major, Minor int }
		}
	}
	nvFunction struct {
		Name   string `json:"function-name"`
		Start  int64
		Length int64
		Code   []nvInstr `json:"sass-instructions"`
	}
	nvInstr struct{ Predicate, Opcode, Operands string }
)

// instrSize is the size of an instruction from sm_70 on, in bytes.
const instrSize = 16

// FromJSON returns the listing in what nvdisasm -json printed. Errors are those of its Read.
func FromJSON(in io.Reader) io.Reader { return &jsonReader{d: json.NewDecoder(in)} }

func (r *jsonReader) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if r.err = r.more(); r.err != nil && !errors.Is(r.err, io.EOF) {
			r.err = fmt.Errorf("what nvdisasm -json prints is expected: %w", r.err)
		}
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// more reads the header or a function.
func (r *jsonReader) more() error {
	if r.d.InputOffset() == 0 {
		var head nvHeader
		for range 2 {
			if r.text != nil { // the functions follow
				break
			}
			if t, err := r.d.Token(); err != nil || t != json.Delim('[') {
				return headError(err, "no list")
			}
			if err := r.d.Decode(&head); err != nil {
				return err
			}
			v := head.SM.Version
			if v.Major < 7 {
				return fmt.Errorf("the architecture is %d.%d, and addresses are known from sm_70 on: annotate what nvdisasm -c prints", v.Major, v.Minor)
			}
			r.text = fmt.Appendf(nil, "\t.target\tsm_%d%d\n", v.Major, v.Minor)
		}
		if t, err := r.d.Token(); err != nil || t != json.Delim('[') {
			return headError(err, "no list of functions")
		}
		return nil
	}
	if !r.d.More() {
		return io.EOF
	}
	var f nvFunction
	if err := r.d.Decode(&f); err != nil {
		return err
	}
	r.function(&f)
	return nil
}

// headError is an error before the first function, where the input has no end either.
func headError(err error, text string) error {
	switch {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	return errors.New(text)
}

// function makes the lines of a function. One that begins where the one before it does, or after it, and not at 0, is a
// part of the same section.
func (r *jsonReader) function(f *nvFunction) {
	if f.Start == 0 || f.Start > r.end {
		r.text = fmt.Appendf(nil, "\n\n//--------------------- %s%s --------------------------\n", textSection, f.Name)
		r.end = f.Length
	}
	r.text = fmt.Appendf(r.text, "%s:\n", f.Name)
	labels := make(map[int64]bool)
	for i := range f.Code {
		in := &f.Code[i]
		in.Operands = afterCall().ReplaceAllStringFunc(in.Operands, func(text string) string {
			m := afterCall().FindStringSubmatch(text)
			at, err := strconv.ParseInt(m[2], 16, 64)
			if err != nil {
				return text
			}
			labels[at] = true
			return fmt.Sprintf("32@%s + .L_%x@srel))", m[1], at)
		})
	}
	for i := range f.Code {
		in, at := &f.Code[i], f.Start+int64(i)*instrSize
		if labels[at] {
			r.text = fmt.Appendf(r.text, ".L_%x:\n", at)
		}
		r.text = fmt.Appendf(r.text, "        /*%04x*/                   ", at)
		if in.Predicate != "" {
			r.text = append(append(r.text, in.Predicate...), ' ')
		}
		r.text = append(r.text, in.Opcode...)
		args := operands(in.Operands)
		for k, arg := range args {
			name, _, _ := strings.Cut(in.Opcode, ".")
			jumps := name == "CALL" || name == "RET" || name == "BRA" || name == "JMP"
			if k > 0 && !(jumps && k == len(args)-1 && args[k-1][0] == 'R') {
				r.text = append(r.text, ',')
			}
			r.text = append(r.text, ' ')
			if jumps && k == len(args)-1 && isSymbol(arg) {
				arg = "`(" + arg + ")"
			}
			r.text = append(r.text, arg...)
		}
		r.text = append(r.text, " ;\n"...)
	}
}

// afterCall is a word of the address of an instruction after a call, in the function of that name.
var afterCall = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`32@((?:lo|hi)\(\([^()]+) \+ 0x([0-9a-f]+)\)\)`) })

// register matches what may be the target of a jump and is no symbol: registers, predicates and convergence barriers.
var register = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^!?(U?R|U?P|B)([0-9]+|Z|T)(\.reuse|\.64)?$`) })

// isSymbol reports whether the target of a jump is a symbol.
func isSymbol(arg string) bool {
	return !strings.ContainsAny(arg[:1], "0123456789-[") && !strings.ContainsAny(arg, "[]") && !register().MatchString(arg)
}

const textSection = ".text."

// operands takes operands apart.
func operands(text string) []string {
	var all []string
	depth, start := 0, 0
	add := func(end int) {
		if arg := text[start:end]; arg != "" {
			all = append(all, arg)
		}
	}
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			if text[i] == '[' && depth == 0 && i > start && text[i-1] != ']' {
				// R2[R4.64], R2desc[UR4][R4.64]: two operands.
				if at := start + len(strings.TrimRight(text[start:i], "abcdefghijklmnopqrstuvwxyz")); at > start && text[start] == 'R' {
					add(at)
					start = at
				}
			}
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				add(i)
				start = i + 1
			}
		}
	}
	add(len(text))
	return all
}
