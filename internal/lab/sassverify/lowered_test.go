package sassverify_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/sassverify"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// readsBack lowers a module, unless it has errors, and holds that its text reads
// back as the program it was printed from. It reports whether it did.
func readsBack(t *testing.T, name string, src []byte, target *abi.Target) bool {
	t.Helper()
	m, err := ptx.Parse(name, src)
	if err != nil {
		return false
	}
	prog, err := lower.Module(m, target, lower.Options{})
	if err != nil {
		return false
	}
	require.NoError(t, sassverify.Forms(name, prog, target), target.Name)
	text := prog.AppendText(nil)
	got, err := sass.Parse(name, text)
	require.NoError(t, err)
	require.Equal(t, string(text), string(got.AppendText(nil)), "%s for %s", name, target)
	require.Equal(t, prog.Target, got.Target)
	require.Len(t, got.Funcs, len(prog.Funcs))
	for i, f := range prog.Funcs {
		require.Equal(t, f.Name, got.Funcs[i].Name)
		require.Len(t, got.Funcs[i].Items, len(f.Items))
		for j, want := range f.Items {
			have := got.Funcs[i].Items[j]
			require.Len(t, have.Instr.Args, len(want.Instr.Args))
			for k := range want.Instr.Args {
				require.Equal(t, canonical(want.Instr.Args[k]), have.Instr.Args[k], "%s for %s: %s: %s", name, target, f.Name, want.Instr.String())
			}
			have.Instr.Args, want.Instr.Args = nil, nil
			have.Instr.Pos, want.Instr.Pos = sass.Pos{}, sass.Pos{}
			want.Instr.Contract, want.List, want.Step = nil, nil, sass.Step{} // which are not printed
			want.Instr.Text = strings.ReplaceAll(want.Instr.Text, "\n", " ")  // as it prints
			require.Equal(t, want, have, "%s for %s: %s", name, target, f.Name)
		}
	}
	return true
}

// canonical turns a name that lowering makes, as that of a word of a variable, x.1, into a part of x, as
// which it reads back: the text of both is one.
func canonical(o sass.Operand) sass.Operand {
	if n := len(o.Name) - 2; (o.Kind == sass.KindVirtual || o.Kind == sass.KindMem || o.Kind == sass.KindConst) && o.Part == sass.Whole && n > 0 && o.Name[n] == '.' && o.Name[n+1] <= '3' {
		o.Name, o.Part = o.Name[:n], sass.W0+sass.Part(o.Name[n+1]-'0')
	}
	return o
}

// TestLoweredReadsBack lowers the modules of the golden cases, for every target
// that a case has a listing of, and those of real compilers.
func TestLoweredReadsBack(t *testing.T) {
	listings, homes := 0, 0
	err := filepath.WalkDir("../../../testdata/golden", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".txtar" {
			return err
		}
		a := golden.Archive(t, file)
		for _, f := range a.Files {
			how, name, _ := strings.Cut(f.Name, " ")
			if how != "lower" && how != "homes" {
				continue
			}
			if how == "lower" {
				target := must.Target(t, name)
				assert.True(t, readsBack(t, file, a.Files[0].Data, target), "%s is not lowered", file)
			} else {
				homes++
			}
			got, err := sass.Parse(file, f.Data)
			require.NoError(t, err)
			assert.Equal(t, string(f.Data), got.String())
			listings++
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, listings, 100)
	assert.Positive(t, homes)

	lowered := 0
	for _, file := range effort.RealModules(t, "../../..") {
		src := must.Read(t, file)
		for _, name := range []string{"sm_61", "sm_90a"} {
			target := must.Target(t, name)
			if readsBack(t, file, src, target) {
				lowered++
			}
		}
	}
	assert.Greater(t, lowered, 25)
}
