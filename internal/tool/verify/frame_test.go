package verify_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/tool/verify"
)

// framesModule is frames.ptx for an architecture.
func framesModule(t *testing.T, version, target string) string {
	t.Helper()
	src := must.Read(t, "testdata/frames.ptx")
	return strings.NewReplacer(".version 7.0", ".version "+version, ".target sm_80", ".target "+target).Replace(string(src))
}

func compareWith(t *testing.T, f *cubin.File, src string) *verify.Report {
	t.Helper()
	m := must.Parse(t, "x.ptx", []byte(src))
	row := must.Target(t, f.Arch)
	return (&verify.Binary{File: f, Name: "x.cubin"}).Compare(verify.NewModule(m).On(row))
}

// leasts are what calls need in frames.ptx, by function; those of dead are
// there at -O0 alone.
var leasts = map[string]int{"callsext": 104, "callsboth": 200, "callslarge": 64, "dead": 104}

// TestFrames compares frames that the assembler recorded with what calls need:
// it is exactly this, and the return address where that is saved.
func TestFrames(t *testing.T) {
	for _, name := range []string{"sm_35-11.8", "sm_80-12.4", "sm_100-13.5"} {
		f, err := open(filepath.Join("testdata", "frames-"+name+".cubin"))
		require.NoError(t, err)
		checkFrames(t, compareWith(t, f, framesModule(t, "7.0", "sm_35")), false)
	}
}

func checkFrames(t *testing.T, r *verify.Report, dead bool) {
	t.Helper()
	require.True(t, r.OK(), r.Text())
	row := must.Target(t, r.Target)
	for _, fn := range r.Functions {
		want := leasts[fn.Name]
		if fn.Name == "dead" && !dead {
			want = 0
		}
		if assert.Equal(t, want, fn.Least, fn.Name); want == 0 {
			continue
		}
		if row.Regs.HasRetAddr() {
			want += 8
		}
		assert.Equal(t, want, fn.Frame, fn.Name)
	}
	require.Equal(t, "k", r.Kernels[0].Name)
	assert.Equal(t, 104, r.Kernels[0].Least)
	assert.Equal(t, 104, r.Kernels[0].Frame)
}

// TestFramesLive assembles frames.ptx with each toolkit that is found, for each
// of its architectures and at each level of optimisation.
func TestFramesLive(t *testing.T) {
	eachLive(t, func(tk *oracle.Toolkit, target string) {
		for level := range 4 {
			if testing.Short() && level%3 != 0 {
				continue
			}
			src := framesModule(t, fmt.Sprintf("%d.%d", tk.PTX.Major, tk.PTX.Minor), target)
			data, err := tk.Assemble(t.Context(), src, target, "-c", fmt.Sprintf("-O%d", level))
			require.NoError(t, err)
			f, err := cubin.Open(data)
			require.NoError(t, err)
			checkFrames(t, compareWith(t, f, src), level == 0)
		}
	})
}
