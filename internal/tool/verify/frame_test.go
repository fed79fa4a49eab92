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
	return verify.Compare("x.cubin", f, verify.NewModule(m).On(row))
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

// TestFrameNotices changes frames.ptx so that its cubins do not fit any more.
func TestFrameNotices(t *testing.T) {
	for _, tt := range []struct{ old, with, want string }{
		{
			"ext (.param .align 8 .b8 y[100],", "ext (.param .align 8 .b8 y[180],",
			"x.cubin: function callsext: a frame of 112 bytes, of 184 at least for the call of ext, which x.ptx:9 gives 180 bytes of parameters on the stack",
		},
		{
			"ext (.param .align 8 .b8 y[100],", "ext (.param .align 8 .b8 y[180],",
			"x.cubin: kernel k: a frame of 104 bytes, of 184 at least for the call of ext, which x.ptx:9 gives 180 bytes of parameters on the stack",
		},
		{
			"(.param .align 4 .b8 r[64]) large", "(.param .align 4 .b8 r[128]) large",
			"x.cubin: function callslarge: a frame of 72 bytes, of 128 at least for the call of large, which x.ptx:10 gives 128 bytes for its result",
		},
		{
			"large (.param .b32 a)", "large (.param .b8 a[64])",
			"x.cubin: function callslarge: a frame of 72 bytes, of 128 at least for the call of large, which x.ptx:10 gives 64 bytes of parameters on the stack and 64 for its result",
		},
		{".maxnreg 120", ".maxnreg 60", "x.cubin: kernel heavy: 78 registers, .maxnreg of x.ptx:83 allows 60"},
		{".maxnreg 120", ".maxnreg 60 .maxntid 1024", "78 registers, .maxnreg of x.ptx:83 allows 60"},
		{".maxnreg 120", ".maxntid 32, 32", "78 registers, .maxntid of x.ptx:83 allows 64"},
		{".maxnreg 120", ".reqntid 1024", "78 registers, .reqntid of x.ptx:83 allows 64"},
		{".maxnreg 120", ".maxntid 256 .minnctapersm 4", "78 registers, .minnctapersm of x.ptx:83 allows 64"},
		{".maxnreg 120", ".maxntid 33 .minnctapersm 16", "78 registers, .minnctapersm of x.ptx:83 allows 64"},
	} {
		f, err := open(filepath.Join("testdata", "frames-sm_80-12.4.cubin"))
		require.NoError(t, err)
		src := framesModule(t, "7.0", "sm_80")
		require.Contains(t, src, tt.old)
		r := compareWith(t, f, strings.Replace(src, tt.old, tt.with, 1))
		assert.Contains(t, strings.Join(r.Findings(), "\n"), tt.want, tt.with)
	}
}

// TestLimitsIgnored has directives that the assembler ignores, or that allow
// what the kernel has.
func TestLimitsIgnored(t *testing.T) {
	f, err := open(filepath.Join("testdata", "frames-sm_80-12.4.cubin"))
	require.NoError(t, err)
	for _, with := range []string{
		".maxnreg 78", ".maxnreg 400", ".maxntid 2000", ".minnctapersm 16", ".maxntid 256 .minnctapersm 3", ".maxntid 256 .minnctapersm 16",
		".maxntid 32 .minnctapersm 64", ".maxntid 32 .minnctapersm 16",
	} {
		r := compareWith(t, f, strings.Replace(framesModule(t, "7.0", "sm_80"), ".maxnreg 120", with, 1))
		for _, finding := range r.Findings() {
			assert.Contains(t, finding, ": compiled without .maxntid, which is ", with)
		}
		assert.Equal(t, !strings.Contains(with, ".maxntid"), r.OK(), with)
	}
	// 24 registers: less is not given to any kernel.
	body := must.Read(t, filepath.Join(cubins, "..", "module.ptx"))
	src := ".version 7.0\n.target sm_80\n.address_size 64\n" + strings.Replace(string(body), ".maxntid 256, 1, 1", ".maxntid 256, 1, 1 .maxnreg 10", 1)
	r, err := compare("sm_80-12.4", "x.ptx", []byte(src))
	require.NoError(t, err)
	assert.True(t, r.OK(), r.Text())
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
