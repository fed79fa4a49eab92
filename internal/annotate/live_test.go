package annotate_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/internal/oracle"
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
	paths, err := filepath.Glob("testdata/golden/sm_*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
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
		data, err := os.ReadFile(path)
		require.NoError(t, err)
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

// probe is a module with a function and a kernel that store each word of their
// formals to an array of their own at the offsets 0, 4, 8 … of it, and a kernel
// that calls the function with words loaded from such an array.
func probe(head string, list []formal) string {
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
	params, body := strings.Join(decls, ", "), strings.Join(stores, "")
	const regs = "{\n\t.reg .b32 %r;\n\t.reg .b64 %d;\n\tmov.u64 %d, array;\n"
	return head + ".extern .global .align 4 .b32 array[];\n" +
		".visible .func f (" + params + ")\n" + regs + body + "\tret;\n}\n" +
		".visible .entry k (" + params + ")\n" + regs + body + "\tret;\n}\n" +
		".extern .func g (" + params + ");\n" +
		".visible .entry c ()\n" + regs + "{\n" + strings.Join(locals, "") + strings.Join(loads, "") +
		"\tcall g, (" + strings.Join(names, ", ") + ");\n}\n\tret;\n}\n"
}

var (
	section = regexp.MustCompile(`^//-+ \.text\.(\w+) `)
	access  = regexp.MustCompile(`\b(STG?|LDG?)\.[\w.]+ .*\[(?:R|UR)\w[^\]]*?(?:\+(0x[0-9a-f]+))?\]`)
	word    = regexp.MustCompile(`(p\d+)\[(\d+):(\d+)\]( for g)?`)
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
		if testing.Short() {
			targets = targets[:min(3, len(targets))]
		}
		for _, target := range targets {
			for range 3 {
				list := formals(rng)
				head := fmt.Sprintf(".version %d.%d\n.target %s\n.address_size 64\n", tk.PTX.Major, tk.PTX.Minor, target)
				module := probe(head, list)
				cubin, err := tk.Assemble(t.Context(), module, target)
				require.NoError(t, err, "%v", tk)
				listing, err := tk.Disassemble(t.Context(), cubin, target)
				require.NoError(t, err, "%v", tk)
				listing = strings.ReplaceAll(listing, "sm_121", target) // where it was read as another
				out, err := annotated([]byte(listing), []byte(module), false)
				require.NoError(t, err, "%v %s", tk, target)
				require.NoError(t, unchanged([]byte(listing), out))
				if n := agrees(t, string(out), list); n < 0 {
					t.Fatalf("%v for %s:\n%s\n%s", tk, target, module, out)
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
func agrees(t *testing.T, out string, list []formal) int {
	t.Helper()
	var want []string
	for _, f := range list {
		for w := 0; w < f.size; w += 4 {
			want = append(want, fmt.Sprintf("%s[%d:%d]", f.name, w, w+4))
		}
	}
	checked, stores := 0, 0
	fn := ""
	for line := range strings.Lines(out) {
		if m := section.FindStringSubmatch(line); m != nil {
			fn = m[1]
		}
		code, note, _ := strings.Cut(line, ";")
		m := access.FindStringSubmatch(code)
		if m == nil || strings.Contains(code, "STL") {
			continue
		}
		off := int64(0)
		if m[2] != "" {
			off, _ = strconv.ParseInt(m[2], 0, 64)
		}
		if off%4 != 0 || off/4 >= int64(len(want)) {
			continue
		}
		named := word.FindAllString(note, -1)
		store := strings.HasPrefix(m[1], "ST")
		for _, name := range named {
			switch passed := strings.TrimSuffix(name, " for g"); {
			case store == (passed != name): // a copy of the array's address, or of what is loaded
				continue
			case passed != want[off/4]:
				t.Errorf("%s is %s: %s", passed, want[off/4], line)
				return -1
			}
			checked++
			if store {
				stores++
			}
		}
		if store && fn == "f" && len(named) == 0 {
			t.Errorf("%s has no name: %s", want[off/4], line)
			return -1
		}
	}
	if stores < len(want) {
		t.Errorf("%d stores have names, of %d in each of f and k", stores, len(want))
		return -1
	}
	return checked
}
