package sass

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// chunks is an input that gives its text in pieces of random sizes.
type chunks struct {
	rest string
	rng  *rand.Rand
}

func (c *chunks) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, c.rest[:min(len(c.rest), c.rng.IntN(1+c.rng.IntN(300)))])
	c.rest = c.rest[n:]
	return n, nil
}

// readAll puts together what a Reader gives, with items that are kept or passed.
func readAll(t require.TestingT, r *Reader, pass bool) (p *Program, list diag.List, text string) {
	p = new(Program)
	line := 1
	var items []Item
	keep := func(it *Item) {
		own := *it
		own.Instr.Args = append([]Operand(nil), it.Instr.Args...)
		items = append(items, own)
	}
	if pass {
		r.Item = keep
	}
	for {
		s, err := r.Next()
		if s == nil {
			require.Equal(t, io.EOF, err)
			_, err = r.Next()
			require.Equal(t, io.EOF, err, "once more")
			return p, list, text
		}
		var one diag.List
		if err != nil {
			require.ErrorAs(t, err, &one)
			list = append(list, one...)
		}
		require.Equal(t, line, s.Line)
		line += len(s.Lines)
		text += strings.Join(s.Lines, "")
		p.Target = s.Target
		if s.Func != nil {
			if pass {
				require.Empty(t, s.Func.Items)
			}
			for i := range s.Func.Items {
				keep(&s.Func.Items[i])
			}
			p.Funcs = append(p.Funcs, &Func{Name: s.Func.Name, Pos: s.Func.Pos, Kernel: s.Func.Kernel, Items: items})
			items = nil
		} else {
			require.Empty(t, items, "outside of functions")
		}
	}
}

// sameAsParse holds that a Reader gives what Parse does, however its input comes.
func sameAsParse(t require.TestingT, text string, in io.Reader) {
	sameWith(t, text, in, false)
	sameWith(t, text, strings.NewReader(text), true)
}

func sameWith(t require.TestingT, text string, in io.Reader, pass bool) {
	want, err := Parse("x", []byte(text))
	var wrong diag.List
	if err != nil {
		require.ErrorAs(t, err, &wrong)
	}
	got, list, all := readAll(t, NewReader("x", in), pass)
	require.Equal(t, text, all)
	if want.Target == "" && want.Funcs == nil && list == nil {
		wrong = nil // "no code", which Parse alone says
	}
	require.Equal(t, wrong, list)
	for _, f := range want.Funcs {
		f.Items = append([]Item(nil), f.Items...)
		for i := range f.Items {
			f.Items[i].Instr.Args = append([]Operand(nil), f.Items[i].Instr.Args...)
		}
	}
	require.Equal(t, want.Funcs, got.Funcs)
	require.Equal(t, want.Target, got.Target)
}

// TestReader reads listings of every family, whole, byte by byte, and in pieces.
func TestReader(t *testing.T) {
	texts := []string{
		"", "\n", "\n\n", "x", "\r\n", disassembled, "f:\n.text.f:\n\tNOP ;\ng:\n.text.g:\n\tNOP ;", "f:\n.text.f:\ng:\n.text.g:\nf:\n.text.f:\n",
		"f:\n.text.f:\na:\nb:\n.text.f:\n\tNOP ;\na:\n.text.f:\nb:\nf:\n", ".text.f:\n// x\nf:\n.text.f:\n\tBRA `(f) ;\nf:\n.text.g:\ng:\n",
		".text.f:\n\t{ NOP ;\n", // a pair that is open at the end
	}
	paths := must.Glob(t, "../internal/tool/annotate/testdata/golden/*.txtar")
	for _, path := range paths {
		ar := golden.Archive(t, path)
		texts = append(texts, string(ar.Files[1].Data))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range texts {
		sameAsParse(t, text, strings.NewReader(text))
		sameAsParse(t, text, iotest.OneByteReader(strings.NewReader(text)))
		sameAsParse(t, text, iotest.DataErrReader(strings.NewReader(text)))
		for range 5 {
			sameAsParse(t, text, &chunks{text, rng})
			lines := strings.SplitAfter(text, "\n")
			for range rng.IntN(8) { // lines that are wrong, or in the wrong place
				i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
				lines[i] = lines[j][:rng.IntN(len(lines[j])+1)] + "\n"
			}
			broken := strings.Join(lines, "")
			sameAsParse(t, broken, &chunks{broken, rng})
		}
	}
}

// TestReaderWant passes functions over.
func TestReaderWant(t *testing.T) {
	text := disassembled + "f:\n.text.f:\n\tfrom nowhere\n\tNOP ;\ng:\n.text.g:\n\tNOP ;\nh:\n.text.h:\n\twrong too\n"
	r := NewReader("x", strings.NewReader(text))
	r.Want = func(name string) bool { return name == "g" }
	var names []string
	for {
		s, err := r.Next()
		if s == nil {
			require.Equal(t, io.EOF, err)
			break
		}
		require.NoError(t, err)
		if s.Func == nil {
			continue
		}
		names = append(names, s.Func.Name)
		assert.Equal(t, s.Func.Name == "g", s.Wanted)
		if s.Wanted {
			assert.Len(t, s.Func.Items, 1)
			assert.Equal(t, ".text.g:\n\tNOP ;\nh:\n", strings.Join(s.Lines, ""))
		} else {
			assert.Empty(t, s.Func.Items)
			assert.Empty(t, s.Lines)
		}
	}
	assert.Equal(t, []string{"caller", "f", "g", "h"}, names)
}

// TestReaderError has an input that fails: what came before is given.
func TestReaderError(t *testing.T) {
	fails := errors.New("no more")
	r := NewReader("x", io.MultiReader(strings.NewReader(".text.f:\n\tNOP ;\n"), iotest.ErrReader(fails)))
	s, err := r.Next()
	require.NoError(t, err)
	assert.Equal(t, "f", s.Func.Name)
	_, err = r.Next()
	assert.Equal(t, fails, err)

	s, err = NewReader("x", iotest.ErrReader(nil)).Next()
	assert.Nil(t, s)
	assert.Equal(t, io.ErrNoProgress, err)
}

// TestReaderMemory holds that lines which belong to no function are given in pieces,
// and that a line may be longer than what is read at once.
func TestReaderMemory(t *testing.T) {
	long := strings.Repeat("\t.byte 0x00\n", 1<<17) + "// " + strings.Repeat("x", 3*blockSize) + "\n.text.f:\n\tNOP ;\n"
	sections, most := 0, 0
	r := NewReader("x", strings.NewReader(long))
	for {
		s, err := r.Next()
		if s == nil {
			require.Equal(t, io.EOF, err)
			break
		}
		require.NoError(t, err)
		sections++
		most = max(most, len(strings.Join(s.Lines, "")))
	}
	assert.Greater(t, sections, 5)
	assert.Less(t, most, 5*blockSize)
}

// TestManyOperands holds that an instruction keeps its operands, however many they are, when
// others are read after it.
func TestManyOperands(t *testing.T) {
	var text strings.Builder
	text.WriteString(".text.f:\n")
	counts := []int{120, 150, 3, 140, 400, 128, 129}
	for i, n := range counts {
		sep := []string{", ", " "}[i%2]
		fmt.Fprintf(&text, "\tFFMA %s ;\n", strings.TrimSuffix(strings.Repeat(fmt.Sprintf("R%d%s", i, sep), n), sep))
	}
	prog, err := Parse("x", []byte(text.String()))
	require.NoError(t, err)
	items := prog.Funcs[0].Items
	require.Len(t, items, len(counts))
	for i, n := range counts {
		require.Equal(t, slices.Repeat([]Operand{Register(Reg(i))}, n), items[i].Instr.Args)
	}
}

// FuzzReader gives a Reader any text in pieces of any size: it reads what Parse reads.
func FuzzReader(f *testing.F) {
	f.Add(disassembled, uint64(1))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		sameAsParse(t, text, &chunks{text, rand.New(rand.NewPCG(seed, 0))})
	})
}
