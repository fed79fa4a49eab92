package annotate_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/textdiff"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// annotated is a listing with its notes; without module no names are known.
func annotated(listing, module []byte, registers bool) ([]byte, error) {
	prog, err := sass.Parse("in.sass", listing)
	if err != nil {
		return nil, err
	}
	t, err := abi.Lookup(prog.Target)
	if err != nil {
		return nil, err
	}
	o := annotate.Options{Target: t, Registers: registers}
	if module != nil {
		m, err := ptx.Parse("in.ptx", module)
		if err != nil {
			return nil, err
		}
		funcs, list := annotate.FromPTX(m, t)
		if list.Err() != nil {
			return nil, list
		}
		o.Funcs = funcs
	}
	return text(listing, o)
}

// text is a listing with its notes, which comes in pieces.
func text(listing []byte, o annotate.Options) ([]byte, error) {
	a := annotate.New(o)
	var out bytes.Buffer
	r := annotate.NewReader("in.sass", iotest.HalfReader(bytes.NewReader(listing)))
	for {
		s, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return out.Bytes(), nil
		case err != nil:
			return nil, err
		}
		if _, err := a.WriteText(&out, s); err != nil {
			return nil, err
		}
	}
}

// TestGolden has listings of every family. Whatever the notes, the listing is
// what it was, and reads back as the same program.
func TestGolden(t *testing.T) {
	section := func(registers, names bool) golden.Section {
		return func(c *golden.Case, _ []string) ([]byte, error) {
			module, listing := c.Inputs[0].Data, c.Inputs[1].Data
			if !names {
				module = nil
			}
			out, err := annotated(listing, module, registers)
			if err != nil {
				return nil, err
			}
			return out, unchanged(listing, out)
		}
	}
	golden.Run(t, "testdata/golden", map[string]golden.Section{
		"annotate": section(false, true), "registers": section(true, true), "nameless": section(false, false),
	})
}

var added = regexp.MustCompile(`^ {2,}// [^\r\n]*$`)

// unchanged checks that nothing but notes was added.
func unchanged(listing, out []byte) error {
	was, is := strings.SplitAfter(string(listing), "\n"), strings.SplitAfter(string(out), "\n")
	if len(was) != len(is) {
		return fmt.Errorf("%d lines have become %d", len(was), len(is))
	}
	for i := range was {
		body := strings.TrimRight(was[i], "\r\n")
		end := was[i][len(body):]
		rest, ok := strings.CutPrefix(is[i], body)
		rest, ok2 := strings.CutSuffix(rest, end)
		if !ok || !ok2 || rest != "" && !added.MatchString(rest) {
			return fmt.Errorf("line %d: %q has become %q", i+1, was[i], is[i])
		}
	}
	before, err1 := sass.Parse("", listing)
	after, err2 := sass.Parse("", out)
	if err1 != nil || err2 != nil {
		return fmt.Errorf("reads no more: %v, %v", err1, err2)
	}
	for _, f := range slices.Concat(before.Funcs, after.Funcs) {
		for i := range f.Items {
			f.Items[i].Instr.Note = ""
		}
	}
	if before.String() != after.String() {
		return fmt.Errorf("reads back as another program:\n%s", textdiff.Unified(before.String(), after.String(), "before", "after"))
	}
	return nil
}

// TestLineEnds checks that line ends are left alone, and that notes do not
// depend on them.
func TestLineEnds(t *testing.T) {
	listing := []byte("\t.target sm_80\n.text.f:\n\tMOV R0, R4 ;\n\tRET.ABS.NODEC R20 0x0 ;\n")
	out, err := annotated(listing, nil, false)
	require.NoError(t, err)
	assert.Equal(t, "\t.target sm_80\n.text.f:\n\tMOV R0, R4 ;             // R4 at entry\n\tRET.ABS.NODEC R20 0x0 ;  // return address\n", string(out))
	crlf := bytes.ReplaceAll(listing, []byte("\n"), []byte("\r\n"))
	got, err := annotated(crlf, nil, false)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(out), "\n", "\r\n"), string(got))
	got, err = annotated(bytes.TrimSuffix(listing, []byte("\n")), nil, false)
	require.NoError(t, err)
	assert.Equal(t, strings.TrimSuffix(string(out), "\n"), string(got))
}

// TestFields names the parts of a record.
func TestFields(t *testing.T) {
	row := must.Target(t, "sm_80")
	m := must.Parse(t, "x.ptx", []byte(".version 7.0\n.target sm_80\n.address_size 64\n.entry k (.param .u32 n, .param .align 8 .b8 s[32]) { ret; }"))
	funcs, list := annotate.FromPTX(m, row)
	require.Empty(t, list)
	i := slices.IndexFunc(funcs[0].Params, func(f annotate.Formal) bool { return f.Name == "s" })
	funcs[0].Params[i].Fields = []annotate.Field{{"x", 0, 8}, {"in.b", 8, 1}, {"in.c", 9, 2}, {"tag", 12, 4}, {"v", 16, 12}}
	for operand, want := range map[string]string{
		"LDC.64 R4, c[0x0][0x168]": "s.x", "LDC R4, c[0x0][0x16c]": "s.x[4:8]", "LDC R4, c[0x0][0x170]": "s.in.b s.in.c",
		"LDC.U8 R4, c[0x0][0x170]": "s.in.b", "LDC.64 R4, c[0x0][0x178]": "s.v[0:8]", "LDC.128 R4, c[0x0][0x178]": "s.v",
		"LDC.64 R4, c[0x0][0x174]": "s[12:20]", "LDC R4, c[0x0][0x184]": "s[28:32]", "LDC R4, c[0x0][0x160]": "n[0:4]",
	} {
		listing := []byte("\t.target sm_80\n.text.k:\n        /*0000*/ " + operand + " ;\n")
		out, err := text(listing, annotate.Options{Target: row, Funcs: funcs})
		require.NoError(t, err)
		assert.Contains(t, string(out), "  // "+want+"\n")
	}
}

// TestMutations changes lines of the listings: what still reads is annotated,
// and nothing else is done to it.
func TestMutations(t *testing.T) {
	paths := must.Glob(t, "testdata/golden/*.txtar")
	rng := rand.New(rand.NewPCG(3, 4))
	read := 0
	for _, path := range paths {
		data := must.Read(t, path)
		files := txtar.Parse(data).Files
		lines := strings.SplitAfter(string(files[1].Data), "\n")
		for range effort.Of(15, 60) {
			mutant := slices.Clone(lines)
			for range 1 + rng.IntN(6) {
				i, j := rng.IntN(len(mutant)), rng.IntN(len(mutant))
				switch rng.IntN(4) {
				case 0:
					mutant[i], mutant[j] = mutant[j], mutant[i]
				case 1:
					mutant[i] = mutant[j]
				case 2:
					mutant[i] = regexp.MustCompile(`R\d+`).ReplaceAllString(mutant[i], fmt.Sprintf("R%d", rng.IntN(256)))
				default:
					mutant[i] = regexp.MustCompile(`^(\s*/\*\w+\*/\s+)[A-Z0-9]+`).ReplaceAllString(mutant[i],
						"${1}"+[]string{"BRX", "BRA", "LDL.128", "STL.64", "LDC.64", "CALL", "EXIT", "SYNC", "HGMMA", "JMX"}[rng.IntN(10)])
				}
			}
			text := []byte(strings.Join(mutant, ""))
			if _, err := sass.Parse("", text); err != nil {
				continue
			}
			for _, module := range [][]byte{files[0].Data, nil} {
				out, err := annotated(text, module, true)
				if err == nil {
					read++
					require.NoError(t, unchanged(text, out), "%s", text)
				}
			}
		}
	}
	assert.Greater(t, read, effort.Of(75, 300))
}

// TestManyLabels has a function that control takes very many ways through: values have
// names after all of them, but those that a way changes.
func TestManyLabels(t *testing.T) {
	for _, n := range []int{100, effort.Of(10_000, 50_000)} {
		var b strings.Builder
		b.WriteString("\t.target sm_80\n.text.f:\n\tMOV R0, R4 ;\n\tIADD3 R2, R0, c[0x0][0x20], RZ ;\n")
		for i := range n {
			fmt.Fprintf(&b, ".L_x_%d:\n\t@P0 BRA `(.L_x_%d) ;\n", i, i*7919%n)
		}
		b.WriteString("\tMOV R6, R5 ;\n\tMOV R7, R2 ;\n")
		out, err := annotated([]byte(b.String()), nil, false)
		require.NoError(t, err)
		text := string(out) // too long to be shown
		assert.True(t, strings.Contains(text, "// start of local memory"))
		assert.Regexp(t, `MOV R6, R5 ; +// R5 at entry\n\tMOV R7, R2 ;\n$`, text[max(0, len(text)-100):])
	}
}

// TestTangled has a function that moves the words of the stack on by one in a circle, so
// that each way through it makes one word more unknown: the words that come from before
// the circle have no names in it, which is said.
func TestTangled(t *testing.T) {
	const n = 3000
	var b strings.Builder
	b.WriteString("\t.target sm_80\n\t.section\t.text.f,\"ax\",@progbits\n\t.align 128\n.text.f:\n\tIADD3 R1, R1, -0x8000, RZ ;\n")
	for i := range n {
		fmt.Fprintf(&b, "\tSTL [R1+%#x], R4 ;\n", 4*i)
	}
	b.WriteString("\tIADD3 R0, R0, 1, RZ ;\n\tSTL [R1], R0 ;\n.L_x_0:\n")
	for i := n - 1; i > 0; i-- {
		fmt.Fprintf(&b, "\tLDL R0, [R1+%#x] ;\n\tSTL [R1+%#x], R0 ;\n", 4*(i-1), 4*i)
	}
	b.WriteString("\t@P0 BRA `(.L_x_0) ;\n\tMOV R7, R4 ;\n.L_x_1:\n\tMOV R7, R4 ;\n\t@P0 BRA `(.L_x_1) ;\n")
	out, err := annotated([]byte(b.String()), nil, false)
	require.NoError(t, err)
	text := string(out)
	assert.Regexp(t, `\.align 128 +// `+annotate.TangledNote+`\n`, text[:200])
	assert.Equal(t, n, strings.Count(text, "// R4 at entry\n"), "the stores before the circle have names, and nothing in it")
}
