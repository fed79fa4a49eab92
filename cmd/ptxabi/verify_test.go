package main

import (
	"debug/elf"
	encoding "encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
)

const cubinData = "../../internal/image/cubin/testdata"

// writeSource writes a source to a file and returns its path.
func writeSource(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

const wideHead = ".version 8.1\n.target sm_80\n.address_size 64\n"

func wideModule(t *testing.T) string {
	t.Helper()
	body := must.Read(t, cubinData+"/wide.ptx")
	return wideHead + string(body)
}

// TestSpan has architectures in another order than the file's.
func TestSpan(t *testing.T) {
	assert.Equal(t, "sm_52, sm_90, sm_90a, sm_100", compiled.Span([]string{"sm_100", "sm_90a", "sm_52", "sm_90"}))
	assert.Equal(t, "sm_50 … sm_121 (5 architectures)", compiled.Span([]string{"sm_100", "sm_121", "sm_50", "sm_80", "sm_90"}))
}

// TestVerifyStripped has a cubin without symbols: they begin where the section
// table says that they do, and there are none.
func TestVerifyStripped(t *testing.T) {
	data := must.Read(t, cubinData+"/cubins/wide-sm_80-12.4.cubin")
	table := int(encoding.LittleEndian.Uint64(data[40:]))
	count := int(encoding.LittleEndian.Uint16(data[60:]))
	for i := range count {
		if s := data[table+64*i:]; encoding.LittleEndian.Uint32(s[4:]) == uint32(elf.SHT_SYMTAB) || encoding.LittleEndian.Uint32(s[44:]) != 0 ||
			strings.HasPrefix(sectionName(data, table, i), ".nv.info") {
			encoding.LittleEndian.PutUint32(s[4:], uint32(elf.SHT_NULL))
		}
	}
	r := ptxabi(data, "verify", "-", writeSource(t, "wide.ptx", wideModule(t)))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "<stdin>: it is stripped: without symbols its kernels have no names")
}

// sectionName is the name of a section of an ELF file of 64 bits.
func sectionName(data []byte, table, i int) string {
	order := encoding.LittleEndian
	names := table + 64*int(order.Uint16(data[62:]))
	at := int(order.Uint64(data[names+24:])) + int(order.Uint32(data[table+64*i:]))
	name, _, _ := strings.Cut(string(data[at:]), "\x00")
	return name
}

// TestVerifyProgram compares a kernel with structs of programs that have debug information: of C++, if there is a c++, and
// of Rust as docs/verify.md has it, if there is a rustc.
func TestVerifyProgram(t *testing.T) {
	cubin := must.Read(t, "../../examples/drift/step.cubin")
	doc := must.Read(t, "../../docs/verify.md")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("step.cubin", cubin, 0o666))
	t.Run("C++", func(t *testing.T) {
		compiler, err := exec.LookPath("c++")
		if err != nil {
			t.Skip("there is no c++ here")
		}
		require.NoError(t, os.WriteFile("h.cc", []byte(`struct Base { double *x; }; struct None {};
namespace a { struct Args : Base, None { float dt; int n; }; struct Array { float *x; struct { int v; } e[2]; }; }
namespace c { struct In { float dt; int n; }; struct Nested { double *x; In in; }; } c::Nested u;
namespace b { struct Args { int n; }; struct Short { double *x; short n[2]; unsigned b : 3; }; struct Shorts { double *x; short n[2]; }; Shorts v; }
a::Args p; b::Args q; a::Array r; b::Short s;
`), 0o666))
		commands := []string{"-gdwarf-5 -c", "-gdwarf-4 -c", "-gdwarf-5 -fdebug-types-section -c", "-gdwarf-4 -fdebug-types-section -c", "-gdwarf-4 -fdebug-types-section -shared -fPIC"}
		for i := range commands {
			commands[i] = compiler + " " + commands[i]
		}
		for _, clang := range []string{"clang", "clang-19"} { // it has indices of strings, in 64 bits too
			if path, err := exec.LookPath(clang); err == nil {
				commands = append(commands, path+" -gdwarf-5 -gdwarf64 -c", path+" -gdwarf-5 -gdwarf64 -shared -fPIC")
			}
		}
		for i, flags := range commands {
			if !effort.Long() && i%4 > 0 && i != 5 {
				continue // the first of each compiler, and types in sections of their own
			}
			command := append(strings.Fields(flags), "-o", "h.o", "h.cc")
			out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			for _, tt := range []struct {
				typ    string
				status int
				want   string
			}{
				{"a::Args", 0, "kernel step: same as struct a::Args, c[0x0][0x160], 16 bytes\n"},
				{"Array", 0, "kernel step: same as struct Array, c[0x0][0x160], 16 bytes\n"},
				{"Short", 1, "h.o: field b of Short is a bit-field, which is not a parameter\n"},
				{"Shorts", 1, "1      8 … 12  short"},
				{"Nested", 0, "kernel step: same as struct Nested, c[0x0][0x160], 16 bytes\n"},
				{"Args", 2, " are not alike; -type also takes the names around \"Args\"\n"},
				{"Argz", 2, "h.o: its debug information has no struct \"Argz\"; did you mean Args"},
				{"", 2, "h.o: a program has many types; choose one with -type\n"},
			} {
				r := ptxabi(nil, "verify", "-layout", "h.o", "-type", tt.typ, "-kernel", "step", "step.cubin")
				assert.Equal(t, tt.status, r.status, "%s %s: %s%s", flags, tt.typ, r.stdout, r.stderr)
				assert.Contains(t, r.stdout+r.stderr, tt.want, flags+" "+tt.typ)
			}
		}
		out, err := exec.Command(compiler, "-gsplit-dwarf", "-g", "-c", "-o", "h.o", "h.cc").CombinedOutput()
		require.NoError(t, err, "%s", out)
		r := ptxabi(nil, "verify", "-layout", "h.o", "-type", "Array", "step.cubin")
		assert.Contains(t, r.stderr, "h.o: no struct in its debug information that can be read; what -gsplit-dwarf writes")
	})
	t.Run("Rust", func(t *testing.T) {
		compiler, err := exec.LookPath("rustc")
		if err != nil {
			t.Skip("there is no rustc here")
		}
		m := regexp.MustCompile("(?s)This is `host.rs`:\n\n```rust\n(.*?)```\n\n```text\n\\$ rustc -g host.rs\n(.*?)```").FindSubmatch(doc)
		require.NotNil(t, m)
		require.NoError(t, os.WriteFile("host.rs", m[1], 0o666))
		out, err := exec.Command(compiler, "-g", "host.rs").CombinedOutput()
		require.NoError(t, err, "%s", out)
		var got strings.Builder
		for line := range strings.Lines(string(m[2])) {
			if args, ok := strings.CutPrefix(line, "$ ptxabi "); ok {
				got.WriteString(line + ptxabi(nil, strings.Fields(args)...).stdout)
			}
		}
		assert.Equal(t, string(m[2]), got.String())
	})
}
