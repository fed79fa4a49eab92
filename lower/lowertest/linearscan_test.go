package lowertest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// modulesVariable names a folder with more modules.
const modulesVariable = "PTXABI_MODULES"

// realModules are those of testdata/real, and of the folder that PTXABI_MODULES names.
func realModules(t testing.TB) []string {
	t.Helper()
	files := must.Glob(t, "../../testdata/real/*.ptx")
	require.GreaterOrEqual(t, len(files), 25)
	if dir := os.Getenv(modulesVariable); dir != "" {
		more := must.Glob(t, filepath.Join(dir, "*.ptx"))
		files = append(files, more...)
	}
	return files
}

// TestLinearScan holds that the example allocates the registers of every real module, with
// all registers and with few, and that lowering takes what it says.
func TestLinearScan(t *testing.T) {
	spilled, modules := 0, 0
	for n, file := range realModules(t) {
		for i, last := range []sass.Reg{252, 63} {
			if !effort.Long() && n%4 != 2*i { // one of both, of every other module
				continue
			}
			src := must.Read(t, file)
			m, target := sound(file, src)
			if m == nil {
				continue
			}
			modules++
			homes, err := allocate(m, target, abi.RegRange(0, min(last, target.Regs.Last)))
			if !assert.NoError(t, err, "%s: R%d", file, last) {
				continue
			}
			spilled += homes.temps
			_, err = lower.Module(m, target, lower.Options{Homes: homes, Slots: homes})
			assert.NoError(t, err, "%s: R%d", file, last)
		}
	}
	assert.Greater(t, spilled, 100)
	assert.GreaterOrEqual(t, modules, 50)
	t.Logf("%d modules, %d registers made by spilling", modules, spilled)
}

// sound reads a module and finds its target; nil if something is wrong with it, as with
// some of a large collection.
func sound(file string, src []byte) (*ptx.Module, *abi.Target) {
	m, err := ptx.Parse(file, src)
	if err != nil {
		return nil, nil
	}
	target, err := abi.Assume(m.Target)
	if err != nil {
		return nil, nil
	}
	if _, err := lower.Module(m, target, lower.Options{}); err != nil {
		return nil, nil
	}
	return m, target
}
