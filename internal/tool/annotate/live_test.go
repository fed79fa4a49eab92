package annotate_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

func toolkits(t *testing.T) []*oracle.Toolkit {
	t.Helper()
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	return tools.Toolkits
}

// TestRecorded assembles the modules of the golden cases again with the toolkit
// that each names: the notes are those of the case.
func TestRecorded(t *testing.T) {
	tools := toolkits(t)
	paths := must.Glob(t, "testdata/golden/sm_*.txtar")
	ran := 0
	for _, path := range paths {
		m := regexp.MustCompile(`(sm_\w+)-(\d+)-(\d+)\.txtar$`).FindStringSubmatch(path)
		require.NotNil(t, m, path)
		i := slices.IndexFunc(tools, func(tk *oracle.Toolkit) bool {
			return strconv.Itoa(tk.Version.Major) == m[2] && strconv.Itoa(tk.Version.Minor) == m[3] && tk.Measures(m[1])
		})
		if i < 0 {
			t.Logf("%s: no toolkit %s.%s", path, m[2], m[3])
			continue
		}
		ran++
		data := must.Read(t, path)
		files := make(map[string]string)
		for _, f := range txtar.Parse(data).Files {
			files[f.Name] = string(f.Data)
		}
		cubin, err := tools[i].Assemble(t.Context(), files["in.ptx"], m[1])
		require.NoError(t, err)
		listing, err := tools[i].Disassemble(t.Context(), cubin, m[1])
		require.NoError(t, err)
		out, err := annotated([]byte(listing), []byte(files["in.ptx"]), false)
		require.NoError(t, err)
		want := notesIn(files["annotate"])
		assert.Greater(t, len(want), 50)
		assert.Equal(t, want, notesIn(string(out)), path)
	}
	if ran == 0 {
		t.Skip("none of the toolkits of the golden cases is here")
	}
}

// notesIn are the notes with their functions and addresses: disassemblers differ
// in blanks and remarks.
func notesIn(out string) []string {
	var all []string
	fn := ""
	for line := range strings.Lines(out) {
		if m := section.FindStringSubmatch(line); m != nil {
			fn = m[1]
		}
		m := regexp.MustCompile(`^\s*/\*(\w+)\*/.*  // (.*)`).FindStringSubmatch(line)
		if m != nil {
			all = append(all, fn+" "+m[1]+" "+m[2])
		}
	}
	return all
}

// A formal of a probe.
type formal struct {
	name, decl string
	size       int
}

// formals are random ones of whole words.
func formals(rng *rand.Rand) []formal {
	var all []formal
	for i := range 1 + rng.IntN(5) {
		f := formal{name: fmt.Sprintf("p%d", i)}
		switch rng.IntN(3) {
		case 0:
			f.size, f.decl = 4, ".param .b32 "+f.name
		case 1:
			f.size, f.decl = 8, ".param .b64 "+f.name
		default:
			f.size = 4 * (1 + rng.IntN(7))
			f.decl = fmt.Sprintf(".param .align %d .b8 %s[%d]", 4<<rng.IntN(3), f.name, f.size)
		}
		all = append(all, f)
	}
	return all
}

// far is where the words of results are in the array of a probe.
const far = 0x400

// probe is a module with a function and a kernel that store each word of their
// formals to an array of their own at the offsets 0, 4, 8 … of it, and a kernel
// that calls the function with words loaded from such an array. The words of the
// function's result are loaded from and stored to offsets of their own.
func probe(head string, list []formal, result int) string {
	var decls, stores, locals, loads, names []string
	off := 0
	for _, f := range list {
		decls = append(decls, f.decl)
		locals = append(locals, "\t"+f.decl+";\n")
		names = append(names, f.name)
		for w := 0; w < f.size; w += 4 {
			stores = append(stores, fmt.Sprintf("\tld.param.b32 %%r, [%s+%d];\n\tst.volatile.global.b32 [%%d+%d], %%r;\n", f.name, w, off))
			loads = append(loads, fmt.Sprintf("\tld.volatile.global.b32 %%r, [%%d+%d];\n\tst.param.b32 [%s+%d], %%r;\n", off, f.name, w))
			off += 4
		}
	}
	var returned, taken string
	for w := 0; w < result; w += 4 {
		returned += fmt.Sprintf("\tld.volatile.global.b32 %%r, [%%d+%d];\n\tst.param.b32 [r+%d], %%r;\n", far+w, w)
		taken += fmt.Sprintf("\tld.param.b32 %%r, [r+%d];\n\tst.volatile.global.b32 [%%d+%d], %%r;\n", w, far+w)
	}
	out := fmt.Sprintf(".param .align 4 .b8 r[%d]", result)
	params, body := strings.Join(decls, ", "), strings.Join(stores, "")
	const regs = "{\n\t.reg .b32 %r;\n\t.reg .b64 %d;\n\tmov.u64 %d, array;\n"
	return head + ".extern .global .align 4 .b32 array[];\n" +
		".visible .func (" + out + ") f (" + params + ")\n" + regs + body + returned + "\tret;\n}\n" +
		".visible .entry k (" + params + ")\n" + regs + body + "\tret;\n}\n" +
		".extern .func (" + out + ") g (" + params + ");\n" +
		".visible .entry c ()\n" + regs + "{\n" + strings.Join(locals, "") + "\t" + out + ";\n" + strings.Join(loads, "") +
		"\tcall (r), g, (" + strings.Join(names, ", ") + ");\n" + taken + "}\n\tret;\n}\n"
}

var (
	section = regexp.MustCompile(`^//-+ \.text\.(\w+) `)
	access  = regexp.MustCompile(`\b(STG?|LDG?)\.[\w.]+ .*\[(?:R|UR)\w[^\]]*?(?:\+(0x[0-9a-f]+))?\]`)
	word    = regexp.MustCompile(`((?:p\d+|r)\[\d+:\d+\])( for g| from g| returned)?`)
)

// TestAgainstPtxas annotates what ptxas makes of random probes. A probe's
// offsets say which word each store and load is of: no note may name another,
// and every store in a callee has its word's name.
func TestAgainstPtxas(t *testing.T) {
	checked := 0
	for n, tk := range toolkits(t) {
		rng := rand.New(rand.NewPCG(8, uint64(n)))
		targets := slices.DeleteFunc(slices.Clone(tk.Targets), func(name string) bool { return !tk.Measures(name) })
		rng.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
		each := 1
		if testing.Short() {
			each, targets = 3, targets[:min(3, len(targets))]
		}
		for _, target := range targets {
			for range each {
				list := formals(rng)
				head := fmt.Sprintf(".version %d.%d\n.target %s\n.address_size 64\n", tk.PTX.Major, tk.PTX.Minor, target)
				result := 4 * (1 + rng.IntN(16))
				module := probe(head, list, result)
				level := fmt.Sprintf("-O%d", 1+rng.IntN(3)) // without optimization addresses have no offsets
				cubin, err := tk.Assemble(t.Context(), module, target, level)
				require.NoError(t, err, "%v", tk)
				listing, err := tk.Disassemble(t.Context(), cubin, target)
				require.NoError(t, err, "%v", tk)
				if strings.HasPrefix(target, "sm_107") { // which is read as another
					listing = regexp.MustCompile(`sm_121[af]?`).ReplaceAllString(listing, target)
				}
				out, err := annotated([]byte(listing), []byte(module), false)
				require.NoError(t, err, "%v %s", tk, target)
				require.NoError(t, unchanged([]byte(listing), out))
				if n := agrees(t, string(out), list, result); n < 0 {
					t.Fatalf("%v %s for %s:\n%s\n%s", tk, level, target, module, out)
				} else {
					checked += n
				}
			}
		}
	}
	t.Logf("%d notes checked", checked)
	assert.Positive(t, checked)
}

// agrees counts the notes that agree with the offsets; -1: one does not.
func agrees(t *testing.T, out string, list []formal, result int) int {
	t.Helper()
	want := make(map[int64]string)
	off := int64(0)
	for _, f := range list {
		for w := 0; w < f.size; w += 4 {
			want[off] = fmt.Sprintf("%s[%d:%d]", f.name, w, w+4)
			off += 4
		}
	}
	for w := 0; w < result; w += 4 {
		want[far+int64(w)] = fmt.Sprintf("r[%d:%d]", w, w+4)
	}
	checked, stores, results := 0, 0, 0
	fn := ""
	for line := range strings.Lines(out) {
		if m := section.FindStringSubmatch(line); m != nil {
			fn = m[1]
		}
		code, note, _ := strings.Cut(line, ";")
		m := access.FindStringSubmatch(code)
		if m == nil {
			continue
		}
		off, _ := strconv.ParseInt("0"+strings.TrimPrefix(m[2], "0"), 0, 64)
		store := m[1][0] == 'S'
		// What is stored was a parameter or came from a call; what is loaded is
		// for one, or returned.
		role := map[string]string{"fS": "", "kS": "", "cS": " from g", "cL": " for g", "fL": " returned"}[fn+m[1][:1]]
		named := 0
		for _, name := range word.FindAllStringSubmatch(note, -1) {
			if name[2] != role {
				t.Errorf("%q in %s: %s", name[0], fn, line)
				return -1
			}
			if name[1] != want[off] {
				t.Errorf("%s is %s: %s", name[0], want[off], line)
				return -1
			}
			named++
		}
		checked += named
		switch {
		case store && named == 0 && fn != "k":
			t.Errorf("%s has no name: %s", want[off], line)
			return -1
		case store && fn == "c":
			results += named
		case store:
			stores += named
		}
	}
	if words := len(want) - result/4; stores < words || results != result/4 {
		t.Errorf("%d stores have names, of %d in each of f and k; %d results of %d", stores, words, results, result/4)
		return -1
	}
	return checked
}
