package bench_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestSameBytes holds what the generator writes against what it wrote before:
// numbers of different days are about the same modules. A change of the
// generator changes the sums, and every published number with them.
func TestSameBytes(t *testing.T) {
	for _, tt := range []struct {
		name string
		text []byte
		want string
	}{
		{"Functions(1, 1000)", bench.Functions(1, 1000), "3473769 f82ef5dd311e251e5f437723b98abbbc1a2aefa802236c00eb842cd6dba0b0d1"},
		{"Module(1, 1e6)", bench.Module(1, 1e6), "1000437 2c4a96d11a347c32331ec83dacb932c0eec7e2c6a83901c70b7985a2fb9cc9c5"},
		{"Module(2, 1000)", bench.Module(2, 1000), "1496 521d16571ea0d64a730e0b7d026cc92fc1bf90dda382e8741483b59d070d20fc"},
	} {
		assert.Equal(t, tt.want, fmt.Sprintf("%d %x", len(tt.text), sha256.Sum256(tt.text)), tt.name)
	}
}

func TestModuleSize(t *testing.T) {
	for size := 1000; size <= 10_000_000; size *= 10 {
		got := len(bench.Module(1, size))
		assert.GreaterOrEqual(t, got, size)
		assert.LessOrEqual(t, got, size+size/8+2500, "asked for %d bytes", size)
	}
}

// TestNoDiagnostics checks that generated modules are what a compiler would
// write: the packages measured with them take no detour through diagnostics.
func TestNoDiagnostics(t *testing.T) {
	target := must.Target(t, "sm_80")
	texts := map[string][]byte{"random": bench.Module(3, 300_000), "small": bench.Module(4, 1000)}
	for _, s := range bench.Shapes {
		if s.Name != "errors" {
			texts[s.Name] = s.Text(50)
		}
	}
	for name, text := range texts {
		m, err := ptx.Parse(name, text)
		require.NoError(t, err, name)
		assert.Empty(t, check.Module(m, check.Options{Lower: true}), name)
		prog, err := lower.Module(m, target, lower.Options{})
		require.NoError(t, err, name)
		assert.NotEmpty(t, prog.AppendText(nil))
	}
}

func TestErrorsShape(t *testing.T) {
	for _, s := range bench.Shapes {
		if s.Name != "errors" {
			continue
		}
		_, err := ptx.Parse("errors.ptx", s.Text(50))
		var list diag.List
		require.ErrorAs(t, err, &list)
		assert.Len(t, list, 50)
		return
	}
	t.Error("there is no shape of that name")
}

// TestAssemblersAccept checks that each toolkit takes the modules that it is
// measured with.
func TestAssemblersAccept(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	if len(tools.Toolkits) == 0 {
		t.Skip(oracle.NotFound)
	}
	functions := 1000
	if testing.Short() {
		functions = 50
	}
	texts := map[string]string{"random": string(bench.Functions(1, functions)), "small": string(bench.Module(2, 1000))}
	for _, s := range bench.Shapes {
		if s.Name != "errors" {
			texts[s.Name] = string(s.Text(20))
		}
	}
	for _, tk := range tools.Toolkits {
		for name, text := range texts {
			_, err := tk.Assemble(context.Background(), text, "sm_80", "-c", "-O0")
			assert.NoError(t, err, "%s: %s", tk, name)
		}
	}
}

func TestReplace(t *testing.T) {
	doc := []byte("a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n")
	got, err := bench.Replace(doc, "x", []byte("new\n"))
	require.NoError(t, err)
	assert.Equal(t, "a\n<!-- begin x -->\nnew\n<!-- end x -->\nb\n", string(got))
	for _, bad := range []string{"", "<!-- begin x -->\n", "<!-- end x -->\n<!-- begin x -->\n", string(doc) + string(doc)} {
		_, err := bench.Replace([]byte(bad), "x", nil)
		assert.Error(t, err, "%q", bad)
	}
}
