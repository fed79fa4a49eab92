package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/ptx"
)

// readable reports whether a module is of a version of PTX up to one.
func readable(text string, newest ptx.Version) bool {
	m, _ := ptx.Parse("x.ptx", []byte(text))
	return newest.AtLeast(m.Version.Major, m.Version.Minor)
}

// opcodes are those of the instructions in a module.
func opcodes(text string) (all []string) {
	m, _ := ptx.Parse("x.ptx", []byte(text))
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		for _, st := range f.Body {
			switch st := st.(type) {
			case *ptx.Instr:
				all = append(all, st.Op)
			case *ptx.Access:
				all = append(all, st.Op)
			case *ptx.Call:
				all = append(all, st.Op)
			}
		}
	}
	return all
}

// TestFixAssembles fixes modules of testdata, and others with parts that are changed at random: what check finds nothing in after
// that, an assembler takes, where there is one. Which instructions there are is not for check to say.
func TestFixAssembles(t *testing.T) {
	t.Parallel()
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	tk := tools.Toolkits[len(tools.Toolkits)-1]
	files := must.Glob(t, "../../testdata/check/golden/*/*.txtar")
	var modules [][]byte
	for _, file := range files {
		archive := golden.Archive(t, file)
		for _, f := range archive.Files {
			if text := string(f.Data); strings.HasSuffix(f.Name, ".ptx") && len(text) < 6000 && readable(text, tk.PTX) {
				modules = append(modules, f.Data)
			}
		}
	}
	known := make(map[string]bool)
	for _, m := range modules {
		for _, op := range opcodes(string(m)) {
			known[op] = true
		}
	}
	rng, fixed := rand.New(rand.NewPCG(5, 5)), 0
	recheck := func(text string) (diag.List, error) {
		_, list := check.Text("x.ptx", text, check.Options{Compile: true})
		return list, nil
	}
	for i := range effort.Of(200, 4000) {
		text := string(modules[i%len(modules)])
		if i >= len(modules) { // one word or mark is another
			lines := strings.SplitAfterN(text, "\n", 3) // not of the version and the target, which the assembler goes by
			all := regexp.MustCompile(`\s+|[\w$%.]+|.`).FindAllString(lines[len(lines)-1], -1)
			others := append(strings.Fields(".b32 .u32 .b64 4 .align 8 , ; ( ) .param .reg [a] .func"), "", all[rng.IntN(len(all))])
			all[rng.IntN(len(all))] = others[rng.IntN(len(others))]
			text = strings.Join(append(lines[:len(lines)-1], all...), "")
		}
		list, _ := recheck(text)
		out, left, err := fixAll(text, list, recheck)
		if err != nil || out == text || left.Err() != nil || slices.ContainsFunc(opcodes(out), func(op string) bool { return !known[op] }) {
			continue
		}
		fixed++
		_, err = tk.Assemble(t.Context(), out, "sm_90", "-c")
		assert.NoError(t, err, "%s of\n%s", tk, out)
	}
	t.Logf("%d taken by %s", fixed, tk)
	assert.Positive(t, fixed)
}

// A swap is a rule of these tests: a word is to be another.
type swap struct{ word, by string }

// of reports each place of the word in a text.
func (s swap) of(name, text string) diag.List {
	var list diag.List
	lines := diag.NewText(text)
	for n := uint32(1); ; n++ {
		line, ok := lines.Line(n)
		if !ok {
			return list
		}
		for at := 0; ; {
			i := strings.Index(line[at:], s.word)
			if i < 0 {
				break
			}
			from := diag.Pos{Line: n, Col: uint32(at + i + 1)}
			at += i + len(s.word)
			to := diag.Pos{Line: n, Col: uint32(at + 1)}
			list.Add(&diag.Diagnostic{
				File: name, Pos: from, End: to, Severity: diag.Warning, Code: "Word", Msg: s.word,
				Fixes: []diag.Fix{{Msg: "write " + s.by, Edits: []diag.Edit{{Pos: from, End: to, Text: s.by}}}},
			})
		}
	}
}

// swaps checks a source as ever, and by such rules too.
func swaps(rules ...swap) checker {
	return func(src *source, opts check.Options, bodies bool) (*ptx.Module, diag.List, error) {
		m, list, err := src.check(opts, bodies)
		for _, s := range rules {
			list = append(list, s.of(src.name, src.text)...)
		}
		list.Sort()
		return m, list, err
	}
}

// fixing runs check -fix with such rules, in this process.
func fixing(rules []swap, stdin string, args ...string) result {
	var stdout, stderr strings.Builder
	e := env{stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr, getenv: func(string) string { return "" }}
	status := exit(command{"check", func(o *options) action { return bindCheckBy(o, swaps(rules...)) }}.run(e, append([]string{"-c", "-fix"}, args...)), e)
	return result{stdout.String(), stderr.String(), status}
}

const swapped = "\ufeff.version 7.8\r\n.target sm_80\r\n.visible .func aa(.param .b32 x) { ret; } // aa\r\n"

// inFile writes a file and returns its name and what reads it.
func inFile(t *testing.T, name, text string) (path string, now func() string) {
	path = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o640))
	return path, func() string {
		data := must.Read(t, path)
		return string(data)
	}
}

func TestFixInPlace(t *testing.T) {
	path, now := inFile(t, "x.ptx", swapped)
	other, otherNow := inFile(t, "y.ptx", strings.ReplaceAll(swapped, "aa", "zz"))
	require.NoError(t, os.Chmod(other, 0o440))
	untouched, err := os.Stat(other)
	require.NoError(t, err)
	r := fixing([]swap{{"aa", "bb"}}, "", path, other)
	assert.Equal(t, result{}, r)
	assert.Equal(t, strings.ReplaceAll(swapped, "aa", "bb"), now())
	assert.Equal(t, strings.ReplaceAll(swapped, "aa", "zz"), otherNow())
	again, err := os.Stat(other)
	require.NoError(t, err)
	assert.True(t, os.SameFile(untouched, again), "what has no fixes is not rewritten")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
}

// TestFixRounds holds that fixes go on while there are any, within bounds, and that
// what remains is reported of the text that is written.
func TestFixRounds(t *testing.T) {
	path, now := inFile(t, "x.ptx", swapped)
	r := fixing([]swap{{"aa", "bb"}, {"bb", "cc"}, {"cc", "ddd"}, {"// ddd", "// end"}}, "", path)
	assert.Equal(t, result{}, r)
	assert.Equal(t, strings.Replace(strings.Replace(swapped, "aa", "ddd", 1), "aa", "end", 1), now())

	path, now = inFile(t, "x.ptx", swapped)
	r = fixing([]swap{{"aa", "caac"}}, "", path)
	assert.Equal(t, 0, r.status)
	wide := strings.Repeat("c", maxRounds) + "aa" + strings.Repeat("c", maxRounds)
	assert.Equal(t, strings.ReplaceAll(swapped, "aa", wide), now())
	assert.Equal(t, path+":3:26: warning: aa [Word]\n"+path+":3:76: warning: aa [Word]\n", r.stderr)
}

func TestFixFromStandardInput(t *testing.T) {
	for _, text := range []string{swapped, strings.ReplaceAll(swapped, "aa", "bb")} {
		r := fixing([]swap{{"aa", "bb"}}, text, "-")
		assert.Equal(t, result{stdout: strings.ReplaceAll(swapped, "aa", "bb")}, r)
	}
}

func TestFixToFile(t *testing.T) {
	path, now := inFile(t, "x.ptx", swapped)
	out := filepath.Join(t.TempDir(), "y.ptx")
	r := fixing([]swap{{"aa", "bb"}, {".b32 x", ".b32 y"}, {".func bb", ".func  bb"}}, "", "-format", "json", "-o", out, path)
	assert.Equal(t, 0, r.status)
	assert.Equal(t, swapped, now())
	data := must.Read(t, out)
	assert.Contains(t, string(data), ".func  bb(.param .b32 y) { ret; } // bb\r\n")
	assert.Empty(t, r.stdout)

	r = fixing([]swap{{"aa", "bb"}}, "", "-o", "-", path)
	assert.Equal(t, result{stdout: strings.ReplaceAll(swapped, "aa", "bb")}, r)
}

// TestFixRefused holds that a text with an error that was not there before is not
// written, and that the file as it is is reported.
func TestFixRefused(t *testing.T) {
	path, now := inFile(t, "x.ptx", swapped)
	r := fixing([]swap{{"{ ret", "{ call nobody; ret"}}, "", path)
	assert.Equal(t, 2, r.status)
	assert.Equal(t, swapped, now())
	assert.Contains(t, r.stderr, path+":3:34: warning: { ret [Word]\n")
	assert.Contains(t, r.stderr, "ptxabi: "+path+": nothing is written: the fixed text would have another error: 3:41: ")
	assert.Contains(t, r.stderr, " [UndeclaredCallee]\n")

	r = fixing([]swap{{"{ ret", "{ call nobody; ret"}}, swapped, "-")
	assert.Equal(t, 2, r.status)
	assert.Empty(t, r.stdout)

	// The same error at another place is none that the fix made.
	broken := swapped + ".visible .func cc() { call nobody; ret; }\n"
	path, now = inFile(t, "x.ptx", broken)
	r = fixing([]swap{{"aa", "bb"}}, "", path)
	assert.Equal(t, 1, r.status)
	assert.Equal(t, strings.ReplaceAll(broken, "aa", "bb"), now())
	assert.Contains(t, r.stderr, path+":4:28: error: ")
}

func TestFixCannotBeWritten(t *testing.T) {
	path, now := inFile(t, "x.ptx", swapped)
	r := fixing([]swap{{"aa", "bb"}}, "", "-o", filepath.Join(filepath.Dir(path), "none", "y.ptx"), path)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "none/y.ptx: no such file or directory\n")
	assert.Equal(t, swapped, now())
}

// TestFixAllFails holds fixAll to passing on what keeps it from its work.
func TestFixAllFails(t *testing.T) {
	never := errors.New("never")
	_, _, err := fixAll("aa", swap{"aa", "bb"}.of("x", "aa"), func(string) (diag.List, error) { return nil, never })
	assert.ErrorIs(t, err, never)
	_, _, err = fixAll("", swap{"aa", "bb"}.of("x", "aa"), nil)
	assert.ErrorContains(t, err, "no position 1:3 in the text")
}
