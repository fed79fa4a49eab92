package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/ptx"
)

// hasError reports whether a linker's words have an error in them.
func hasError(said string) bool {
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "error") || strings.Contains(line, " error ") || strings.Contains(line, "fatal") {
			return true
		}
	}
	return false
}

// pairs compares whether the linker takes two random modules with what "ptxabi link"
// says of their objects, of their PTX, and of one of each; and what was planted with
// what is found.
func pairs(ctx context.Context, l *linker, j job) (string, int, error) {
	dir, err := os.MkdirTemp("", "pairs-")
	if err != nil {
		return "", 0, err
	}
	defer os.RemoveAll(dir)
	var tally tally
	targets := l.targets(j.target)
	for i := range j.n {
		if ctx.Err() != nil {
			return "", 0, ctx.Err()
		}
		p := randomPair(rand.New(rand.NewPCG(j.seed<<32|l.number(), uint64(i))))
		target := targets[i%len(targets)]
		objects, err := l.objects(dir, target, p.files)
		if errors.Is(err, errCrash) {
			tally.crashed++
			continue
		}
		if err != nil {
			return "", 0, fmt.Errorf("pair %d for %s: %w", i, target, err)
		}
		d, err := tally.compare(l, dir, target, objects, p)
		if err != nil {
			return "", 0, err
		}
		if d != "" {
			fmt.Printf("seed %d, pair %d for %s, planted %q: %s\n%s\n// file\n%s\n", j.seed, i, target, p.planted, d, p.files[0], p.files[1])
		}
	}
	return tally.String(), tally.differ, nil
}

// objects makes objects of modules.
func (l *linker) objects(dir, target string, files []string) ([]string, error) {
	var all []string
	for k, text := range files {
		object, err := l.assemble(filepath.Join(dir, fmt.Sprint(k)), head(l, target)+text, target)
		if err != nil {
			return nil, err
		}
		all = append(all, object)
	}
	return all, nil
}

// A tally counts pairs.
type tally struct {
	pairs, planted, refused, silent, differ int
	crashed                                 int // pairs that the assembler crashed on
}

func (t *tally) String() string {
	text := fmt.Sprintf("%d pairs, %d with planted disagreement: %d refused, %d taken and wrong", t.pairs, t.planted, t.refused, t.silent)
	if t.crashed > 0 {
		text += fmt.Sprintf(", the assembler crashed on %d more", t.crashed)
	}
	return text
}

// A pair is two modules.
type pair struct {
	files   []string
	planted string // what they disagree in; "": nothing
	silent  bool   // the linker takes it, and objects do not show it
	taken   bool   // the linker takes it, and every value is in its place
	either  bool   // the linker decides
}

// compare compares all that is said of a pair. It returns what differs, "" for nothing.
func (t *tally) compare(l *linker, dir, target string, objects []string, p pair) (string, error) {
	program, said, err := l.join(dir, target, objects)
	if err != nil {
		return "", err
	}
	t.pairs++
	refused := program == ""
	if p.planted != "" {
		t.planted++
		if p.silent {
			t.silent++
		}
	}
	if refused {
		t.refused++
	}
	var ofObjects, ofText, mixed link.Set
	for i, object := range objects {
		if _, err := add(&ofObjects, object); err != nil {
			return "", err
		}
		text, err := os.ReadFile(strings.TrimSuffix(object, ".cubin") + ".ptx")
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("%d.ptx", i)
		m, err := ptx.ParseString(name, string(text))
		if m == nil {
			return "", err
		}
		ofText.AddPTX(link.Place{Name: name, File: name}, m)
		if i == 0 {
			mixed.AddPTX(link.Place{Name: name, File: name}, m)
		} else if _, err := add(&mixed, object); err != nil {
			return "", err
		}
	}
	var wrong []string
	for _, one := range []struct {
		what string
		set  *link.Set
	}{{"objects", &ofObjects}, {"PTX", &ofText}, {"PTX and an object", &mixed}} {
		list := one.set.Report(link.Options{}).Diags
		says, harm := refuses(list), slices.ContainsFunc(list, isSilent)
		limit := p.planted == "registers" && one.what != "objects" // of which PTX says nothing
		differs := slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code == check.RepeatedDefinition && d.Severity == diag.Warning })
		switch {
		case p.either && differs: // which some linkers take
		case says != refused && !limit:
			wrong = append(wrong, fmt.Sprintf("%s: the linker refuses %v (%s), ours %v: %v", one.what, refused, strings.TrimSpace(said), says, list))
		case one.what == "PTX" && p.silent && !harm:
			wrong = append(wrong, "PTX: it was not found")
		case !p.silent && harm:
			wrong = append(wrong, fmt.Sprintf("%s: it was invented: %v", one.what, list))
		}
	}
	if p.planted != "" && !p.either && (!p.silent && !p.taken) != refused {
		wrong = append(wrong, fmt.Sprintf("planted %s, and the linker refuses %v: %s", p.planted, refused, said))
	}
	if wrong != nil {
		t.differ++
	}
	return strings.Join(wrong, "\n"), nil
}

// refuses reports whether diagnostics say that the linker refuses the files.
func refuses(list diag.List) bool {
	return slices.ContainsFunc(list, func(d *diag.Diagnostic) bool {
		return d.Severity == diag.Error && !isSilent(d) || d.Code == check.MissingDefinition
	})
}

// isSilent reports whether a diagnostic is about what the linkers take and what goes
// wrong.
func isSilent(d *diag.Diagnostic) bool {
	return slices.Contains([]diag.Code{check.SilentMismatch, link.LostReturn, link.MisalignedVariable}, d.Code)
}

// A formal is a random parameter or result.
type formal struct {
	typ   string
	n     int // elements of an array; 0: none
	align int
}

func (f formal) decl(name string) string {
	s := ".param "
	if f.align > 0 {
		s += fmt.Sprintf(".align %d ", f.align)
	}
	s += f.typ + " " + name
	if f.n > 0 {
		s += fmt.Sprintf("[%d]", f.n)
	}
	return s
}

var scalars = []string{".b32", ".b64", ".f32", ".f64", ".u32", ".s64"}

func randomFormal(r *rand.Rand) formal {
	if r.IntN(3) == 0 {
		align := 1 << r.IntN(5)
		return formal{".b8", align * (1 + r.IntN(8)), align}
	}
	return formal{typ: scalars[r.IntN(len(scalars))]}
}

// A signature is a function's.
type signature struct {
	params, results []formal
	directive       string
}

func randomSignature(r *rand.Rand) signature {
	var s signature
	for range r.IntN(6) {
		s.params = append(s.params, randomFormal(r))
	}
	if r.IntN(2) == 0 {
		s.results = []formal{randomFormal(r)}
	}
	return s
}

func (s signature) clone() signature {
	s.params, s.results = slices.Clone(s.params), slices.Clone(s.results)
	return s
}

// text is "(result) f(params)".
func (s signature) text(name string) string {
	var params []string
	for i, f := range s.params {
		params = append(params, f.decl(fmt.Sprintf("p%d", i)))
	}
	head := name + "(" + strings.Join(params, ", ") + ")"
	if len(s.results) > 0 {
		head = "(" + s.results[0].decl("r") + ") " + head
	}
	return head + s.directive
}

// call is a call with undefined arguments, stored all the same.
func (s signature) call(name string) string {
	var b strings.Builder
	b.WriteString("\t{\n")
	var args []string
	for i, f := range s.params {
		a := fmt.Sprintf("q%d", i)
		fmt.Fprintf(&b, "\t%s;\n", f.decl(a))
		n := max(f.n, 1)
		for at := range n {
			fmt.Fprintf(&b, "\tst.param%s [%s+%d], %s;\n", f.typ, a, at, register(f.typ))
		}
		args = append(args, a)
	}
	result := ""
	if len(s.results) > 0 {
		fmt.Fprintf(&b, "\t%s;\n", s.results[0].decl("rr"))
		result = "(rr), "
	}
	after := ""
	if args != nil {
		after = ", (" + strings.Join(args, ", ") + ")"
	}
	fmt.Fprintf(&b, "\tcall %s%s%s;\n\t}\n", result, name, after)
	return b.String()
}

func register(typ string) string {
	return map[string]string{".b8": "%h", ".b32": "%r", ".u32": "%r", ".b64": "%d", ".s64": "%d", ".f32": "%f", ".f64": "%g"}[typ]
}

const callerHead = "{\n\t.reg .b16 %h; .reg .b32 %r; .reg .b64 %d, %p; .reg .f32 %f; .reg .f64 %g;\n" +
	"\tld.param.b64 %p, [p]; ld.global.u8 %h, [%p]; ld.global.b32 %r, [%p+4]; ld.global.b64 %d, [%p+8]; ld.global.f32 %f, [%p+16]; ld.global.f64 %g, [%p+24];\n"

// randomPair makes a caller and a definition, which may disagree.
func randomPair(r *rand.Rand) pair {
	s := randomSignature(r)
	def := s.clone()
	var p pair
	linkage, variable, defined := ".visible", ".extern .global .align 4 .b8 v[16];\n", ".visible .global .align 4 .b8 v[16];\n"
	if r.IntN(4) == 0 {
		linkage = ".weak"
	}
	kernel, more := "", ""
	body := "\tret;\n"
	callerMore := ""
	swapped := r.IntN(2) == 0 // the definition is first
	switch r.IntN(4) {
	case 0, 1:
		p.planted, p.silent = plant(r, &s, &def)
		p.silent = p.silent && (p.planted != "size of an array" || !swapped)
		switch p.planted {
		case "variable size":
			defined = ".visible .global .align 4 .b8 v[12];\n"
		case "variable space":
			defined = ".visible .const .align 4 .b8 v[16];\n"
		case "variable alignment":
			variable = ".extern .global .align 16 .b8 v[16];\n"
		case "missing":
			defined = ""
		case "repeated":
			linkage = ".visible"
			callerMore = ".visible .func f2() { ret; }\n"
			more = ".visible .func f2() { ret; }\n"
		case "registers":
			kernel = " .maxnreg 32"
			body = pressure
		}
	case 2:
		p.planted = "alignments"
		p.silent = alignments(r, &s, &def)
		p.taken = !p.silent
	case 3:
		if r.IntN(2) == 0 {
			p.planted, p.either = "common", true
			variable, defined = randomVariable(r), randomVariable(r)
		}
	}
	p.files = []string{
		".extern .func " + s.text("f") + ";\n" + variable + callerMore + ".visible .entry k(.param .b64 p)" + kernel + "\n" + callerHead + "\tmov.u64 %p, v; ld.global.u8 %h, [%p];\n" + s.call("f") + "\tret;\n}\n",
		defined + more + linkage + " .func " + def.text("f") + "\n{\n" + body + "}\n",
	}
	if swapped {
		slices.Reverse(p.files)
	}
	return p
}

// alignments makes a caller and a definition that differ in the alignment of one array, and reports whether a value moves, or the
// definition relies on more than the caller gives: the table of docs/link.md.
func alignments(r *rand.Rand, s, def *signature) bool {
	caller, callee := 1<<r.IntN(6), 1<<r.IntN(6)
	if caller == callee {
		callee = caller%32*2 + caller/32
	}
	switch r.IntN(3) {
	case 0: // after what fills the registers, on the stack
		*s = signature{params: []formal{{".b8", 48, 8}, {".b8", 64, caller}}}
		*def = s.clone()
		def.params[1].align = callee
		return callee > max(caller, 8)
	case 1: // a result in memory
		*s = signature{params: []formal{{typ: ".b32"}}, results: []formal{{".b8", 64, caller}}}
		*def = s.clone()
		def.results[0].align = callee
		return callee > caller
	}
	caller, callee = min(caller, 16), min(callee, 16) // after a word, in registers
	*s = signature{params: []formal{{typ: ".b32"}, {".b8", 16, caller}}}
	*def = s.clone()
	def.params[1].align = callee
	return max(caller, 4) != max(callee, 4)
}

// randomVariable is a definition of v.
func randomVariable(r *rand.Rand) string {
	linkage, value := []string{".visible", ".weak", ".common", ".common"}[r.IntN(4)], ""
	if linkage != ".common" && r.IntN(2) == 0 {
		value = " = {1}"
	}
	return fmt.Sprintf("%s .global .align 8 .b8 v[%d]%s;\n", linkage, 8<<r.IntN(2), value)
}

// pressure is a body that needs many registers.
var pressure = func() string {
	var b strings.Builder
	b.WriteString("\t.reg .b32 %x<90>; .reg .b64 %y; mov.u64 %y, v;\n")
	for i := range 90 {
		fmt.Fprintf(&b, "\tld.volatile.global.b32 %%x%d, [%%y+%d];\n", i, 4*i)
	}
	b.WriteString("\tbar.sync 0;\n")
	for i := range 90 {
		fmt.Fprintf(&b, "\tst.volatile.global.b32 [%%y+%d], %%x%d;\n", 4*i, i)
	}
	return b.String() + "\tret;\n"
}()

// plant changes one of two signatures, or names something else that is to be changed.
func plant(r *rand.Rand, s, def *signature) (what string, silent bool) {
	for {
		switch r.IntN(13) {
		case 0:
			def.params = append(def.params, randomFormal(r))
			return "number of parameters", false
		case 1:
			if len(def.results) == 0 {
				def.results = []formal{randomFormal(r)}
			} else {
				def.results = nil
			}
			return "result", false
		case 2, 3, 4:
			if len(def.params) == 0 {
				continue
			}
			f := &def.params[r.IntN(len(def.params))]
			switch {
			case f.n > 0:
				one := f.n == 1 // of one byte in the first file, which the linkers take for every size
				f.n += f.align
				return "size of an array", one
			case strings.HasSuffix(f.typ, "32"):
				f.typ = map[bool]string{true: ".b64", false: ".f64"}[r.IntN(2) == 0]
				return "size of a scalar", false
			case strings.HasPrefix(f.typ, ".f"):
				f.typ = ".b64"
				return "float and integer", false
			default:
				*f = formal{".b8", 8, 8}
				return "scalar and array", false
			}
		case 5:
			return "variable size", false
		case 6:
			return "variable space", false
		case 7:
			return "variable alignment", true
		case 8:
			return "missing", false
		case 9:
			return "repeated", false
		case 10:
			return "registers", false
		case 11:
			s.directive = " .noreturn"
			if len(s.results) > 0 {
				s.directive = ""
				continue
			}
			return "noreturn", true
		case 12: // after a word the place moves
			array := formal{".b8", 16, 4}
			*s = signature{params: []formal{{typ: ".b32"}, array}}
			*def = s.clone()
			def.params[1].align = 8 << r.IntN(2)
			return "alignment", true
		}
	}
}
