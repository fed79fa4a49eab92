package main

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

const (
	targetsDoc  = "../../docs/targets.md"
	commandsDoc = "../../docs/commands.md"
)

// TestTargetsDocument holds the table of docs/targets.md against the recordings;
// PTXABI_UPDATE=1 rewrites it.
func TestTargetsDocument(t *testing.T) {
	between(t, targetsDoc, "<!-- table: targets -->\n", "<!-- end -->\n", readmeTable(t))
}

// TestPictures holds the pictures of documents against the modules that they are of;
// PTXABI_UPDATE=1 draws them again.
func TestPictures(t *testing.T) {
	for _, module := range must.Glob(t, "../../docs/images/*.ptx") {
		r := ptxabi(nil, "assign", "-format", "svg", module)
		require.Zero(t, r.status, r.stderr)
		golden.Hold(t, strings.TrimSuffix(module, ".ptx")+".svg", r.stdout)
	}
}

// readmeTable has a line for targets that are known alike, with the releases of which there are recordings.
func readmeTable(t *testing.T) string {
	recordings := os.DirFS("../../testdata/measured")
	names, err := measured.Releases(recordings)
	require.NoError(t, err)
	recorded := make(map[string][]string) // targets by release, those of which every probe is recorded
	for _, release := range names {
		files, err := fs.ReadDir(recordings, release)
		require.NoError(t, err)
		count := make(map[string]int)
		for _, f := range files {
			file, err := measured.Read(recordings, release, strings.TrimSuffix(f.Name(), ".txt"))
			require.NoError(t, err)
			for _, target := range file.Targets() {
				if count[target]++; count[target] == len(files) {
					recorded[release] = append(recorded[release], target)
				}
			}
		}
	}

	var b strings.Builder
	b.WriteString("| targets | generation | measured with ptxas |\n|---|---|---|\n")
	line := func(t *knownTarget) string {
		known := t.known()
		if t.Measured {
			var runs [][]string // releases that follow each other
			last := -2
			for i, release := range names {
				if !slices.Contains(recorded[release], t.Name) {
					continue
				}
				if last != i-1 {
					runs = append(runs, nil)
				}
				run := &runs[len(runs)-1]
				*run = append(*run, strings.TrimPrefix(release, "cuda-"))
				last = i
			}
			var parts []string
			for _, run := range runs {
				if n := len(run); n > 1 {
					run = []string{run[0] + " to " + run[n-1]}
				}
				parts = append(parts, run...)
			}
			known = strings.Join(parts, ", ")
		}
		return "| " + cmp.Or(t.Generation, "-") + " | " + known + " |\n"
	}
	list := knownTargets()
	for i := 0; i < len(list); {
		var same []string
		text := line(&list[i])
		for ; i < len(list) && line(&list[i]) == text; i++ {
			same = append(same, list[i].Name)
		}
		b.WriteString("| " + strings.Join(same, ", ") + " " + text)
	}
	return b.String()
}

// shellWords are the words of a command line up to where its input or output is
// named, those in single quotes whole, and the file that is its input; "" for none.
func shellWords(line string) (words []string, input string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		before, _, output := strings.Cut(part, ">")
		before, input, redirected := strings.Cut(before, "<")
		words = append(words, strings.Fields(before)...)
		if output || redirected {
			return words, strings.TrimSpace(input)
		}
	}
	return words, ""
}

// TestHelp checks that the examples in the help of each command are command lines
// that the command takes, and that no other line is wider than a terminal.
func TestHelp(t *testing.T) {
	narrow := func(text string) {
		for line := range strings.Lines(text) {
			assert.LessOrEqual(t, len(line), 81, line)
		}
	}
	narrow(usage())
	for _, c := range commands() {
		r := ptxabi(nil, c.name, "-h")
		require.Equal(t, result{c.page().Help.String(), "", 0}, r)
		text, examples, ok := strings.Cut(r.stdout, "\nExamples:\n\n")
		require.True(t, ok)
		narrow(text)
		for line := range strings.Lines(examples) {
			_, call, ok := strings.Cut(line, "ptxabi ")
			require.True(t, ok, line)
			args, _ := shellWords(call)
			for i, arg := range args {
				if i > 0 && args[i-1] == "-include" {
					args[i] = writeSource(t, arg, "struct Params {\n\tfloat x;\n};\n")
					continue
				}
				switch arg {
				case "x.sass":
					args[i] = "../../examples/drift/step.sass"
					if c.name == "compare" {
						args[i] = "../../examples/compare/add.sass"
					}
				case "lowered.sass":
					args[i] = writeSource(t, arg, ptxabi(nil, "lower", "../../examples/compare/add.ptx").stdout)
				case "x.go":
					args[i] = "-"
					if c.name == "annotate" {
						args[i] = writeSource(t, "x.go", "package p\n\ntype Params struct {\n\tX float32\n}\n")
					}
					if c.name == "verify" { // whose kernel is called wide
						args[i] = writeSource(t, "x.go", "package p\n\ntype Params struct {\n\tS [625]float64\n\tP uint64\n\tH uint16\n}\n")
					}
				case "step":
					if c.name != "annotate" {
						args[i] = "wide"
					}
				case "x.ptx", "x.h", "x.cu", "y.ptx":
					args[i] = "-"
					if c.name == "compare" {
						args[i] = "../../examples/compare/add.ptx"
					}
					if c.name == "verify" && arg == "x.cu" {
						args[i] = writeSource(t, arg, "struct S { double c[625]; };\nextern \"C\" __global__ void wide(S s, int *p, short h);\n")
					}
					if c.name == "diff" || c.name == "annotate" || c.name == "link" {
						args[i] = writeSource(t, arg, ".version 7.8\n.target sm_80\n.func bar (.param .b32 x) { ret; }\n")
					}
				case "norm.h", "norm.ptx", "main.ptx", "norm.map":
					args[i] = "../../examples/adapt/" + arg
				case "main.cubin", "walk.cubin":
					args[i] = "../../examples/recursion/" + arg
				case "api.h":
					args[i] = writeSource(t, arg, "extern \"C\" __device__ void other(int n);\n")
				case "params.json":
					args[i] = writeSource(t, arg, `{"format": "ptxabi.layout/1", "types": [{"name": "S", "size": 5024, "align": 16, "fields": [
						{"path": "s", "type": "char[5000]", "offset": 0, "size": 5000}, {"path": "p", "type": "int *", "offset": 5000, "size": 8},
						{"path": "h", "type": "short", "offset": 5008, "size": 2}]}]}`)
				case "x.cubin", "a.out", "libx.so":
					args[i] = cubinData + "/cubins/wide-sm_80-12.4.cubin"
				case "-o", "-func": // what they name is not here
					if args[i+1] == "norm.py" {
						args[i+1] = t.TempDir() + "/norm.py"
						continue
					}
					args[i], args[i+1] = "-format", "text"
				}
			}
			in := []byte(".version 7.8\n.target sm_80\n.func bar (.param .b32 x) { ret; }\n")
			switch c.name {
			case "export":
				args = args[:3] // up to the language
			case "layout":
				in = []byte("struct Params { float x; };\n")
			case "verify":
				in = []byte(wideModule(t))
			}
			if c.name == "serve" || c.name == "lsp" { // for ever: the flags alone
				args = append(args, "-h")
			}
			got := ptxabi(in, args...)
			assert.Equal(t, 0, got.status, "%s: %s", line, got.stderr)
		}
	}
}
