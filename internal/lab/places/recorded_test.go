package places

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/ptx"
)

var record = flag.Bool("record", false, "write testdata/*.txtar again with the toolkits found")

// recordings say which toolkit testdata/<target>.txtar is from. A recording
// shows forms that others do not: dual issue and XMAD, uniform addresses,
// barriers, descriptors.
var recordings = []struct{ target, toolkit string }{
	{"sm_35", "11.8"},
	{"sm_52", "12.4"},
	{"sm_61", "12.4"},
	{"sm_70", "12.4"},
	{"sm_75", "12.4"},
	{"sm_80", "12.4"},
	{"sm_87", "12.4"},
	{"sm_90", "12.4"},
	{"sm_90a", "13.0"},
}

// recorded are the signatures of every recording. Together they have registers,
// holes filled later, stack, bytes, a result in registers and one in memory, an
// over-aligned stack parameter, a variadic tail, packed vectors, and a kernel;
// the largest result in registers and the smallest in memory; a parameter that
// would be elsewhere with another limit of alignments in registers, and all
// parameter registers in use.
var recorded = []*abitest.Function{
	{
		Result: &abitest.Formal{Type: "b8", Len: 11, Align: 8},
		Params: []abitest.Formal{{Reg: true, Type: "b32"}, {Type: "b8", Len: 13, Align: 8}, {Type: "u32"}, {Type: "b8", Len: 40}, {Type: "f16"}},
	},
	{
		Result: &abitest.Formal{Type: "b8", Len: 49},
		Params: []abitest.Formal{{Type: "b8", Len: 49, Align: 64}, {Reg: true, Type: "f64"}, {Type: "b8", Len: -1, Align: 4}},
		Tail:   6,
	},
	{
		Result: &abitest.Formal{Reg: true, Type: "f32", Vec: 4},
		Params: []abitest.Formal{{Reg: true, Type: "s16", Vec: 4}, {Reg: true, Type: "b8"}, {Reg: true, Type: "u8", Vec: 4}, {Type: "b64", Align: 32}},
	},
	{
		Kernel: true,
		Params: []abitest.Formal{{Type: "u8"}, {Type: "b64", Align: 64}, {Type: "b8", Len: 5}, {Type: "b16"}},
	},
	{
		Result: &abitest.Formal{Type: "b8", Len: 48},
		Params: []abitest.Formal{{Type: "b8", Len: 20}, {Type: "b32", Align: 64}, {Type: "b8", Len: 12}, {Type: "b8", Len: 12}, {Type: "b32"}},
	},
}

func recordedProbes() []*trial {
	var all []*trial
	for i, s := range recorded {
		all = append(all, newTrial(s, i))
	}
	return all
}

func recordingFile(target string) string { return filepath.Join("testdata", target+".txtar") }

// ptxOf is the PTX version of a recording, for which any serves.
var ptxOf = regexp.MustCompile(`(?m)^\.version (\d+)\.(\d+)$`)

// loadRecording returns the disassembly in a recording, after holding its PTX
// against the probes.
func loadRecording(t *testing.T, target string) string {
	t.Helper()
	a := golden.Archive(t, recordingFile(target))
	require.Len(t, a.Files, 2)
	require.Equal(t, "ptx", a.Files[0].Name)
	require.Equal(t, "sass", a.Files[1].Name)
	src := string(a.Files[0].Data)
	m := ptxOf.FindSubmatch(a.Files[0].Data)
	require.NotNil(t, m)
	version := ptx.Version{Major: number(t, m[1]), Minor: number(t, m[2])}
	require.Equal(t, moduleOf(recordedProbes(), target, version, false), src,
		"the probes have changed: run go test ./internal/lab/places -run TestRecorded -record where toolkits are")
	return string(a.Files[1].Data)
}

// TestRecorded compares Assign with recorded disassembly, so that the machine is
// tested where there is no toolkit.
func TestRecorded(t *testing.T) {
	if *record {
		writeRecordings(t)
	}
	files := must.Glob(t, filepath.Join("testdata", "*.txtar"))
	require.Len(t, files, len(recordings))
	for _, r := range recordings {
		t.Run(r.target, func(t *testing.T) {
			assert.Equal(t, 189, hold(t, recordedProbes(), r.target, loadRecording(t, r.target)))
		})
	}
}

// examineAll is comparison.batch with a disassembly that is there already.
func examineAll(probes []*trial, target *abi.Target, sass string) error {
	for _, p := range probes {
		var err error
		if p.assignment, err = abi.Assign(p.Function.ABI(), target); err != nil {
			return err
		}
	}
	return examine(probes, target, false, sass)
}

// TestWrongRow proves that the comparison can fail: rows with one wrong fact
// are held against recorded disassembly.
func TestWrongRow(t *testing.T) {
	for _, c := range []struct {
		name   string
		target string
		change func(*abi.Target)
		want   []string // mismatches that have to be among those found
	}{
		{
			"alignment in registers", "sm_80", func(t *abi.Target) { t.Passing.MaxAlign = 4 },
			[]string{
				"callee p1[0:4]: Assign says R5, ptxas R6",
				"caller p1[12:13]: Assign says R8, ptxas R9",
			},
		},
		{
			"first register", "sm_35", func(t *abi.Target) { t.Passing.First = 8 },
			[]string{
				"callee p0[0:4]: Assign says R8, ptxas R4",
				"callee res[0:4]: Assign says R8, ptxas R4",
				"caller res[0:4]: Assign says R8 after call 1, ptxas R4 after call 1",
			},
		},
		{
			"number of registers", "sm_52", func(t *abi.Target) { t.Passing.Count = 16 },
			[]string{
				"callee p3[0:4]: Assign says R10, ptxas [R1+0x0]",
				"caller p3[0:4]: Assign says R10, ptxas [R1+0x0]",
			},
		},
		{
			"results in registers", "sm_90", func(t *abi.Target) { t.Passing.Count, t.Passing.MaxResult = 16, 64 },
			[]string{"callee res[0:4]: Assign says R4, ptxas [R4+0x0]"},
		},
		{
			"results in memory", "sm_61", func(t *abi.Target) { t.Passing.MaxResult = 8 },
			[]string{"callee res[0:4]: Assign says [R4+0x0], ptxas R4"},
		},
		{
			"kernel base", "sm_70", func(t *abi.Target) { t.Kernel.ParamBase = 0x140 },
			[]string{"kernel p0[0:1]: Assign says c[0x0][0x140], ptxas c[0x0][0x160]"},
		},
		{
			"kernel alignment", "sm_75", func(t *abi.Target) { t.Kernel.AbsoluteAlign = false },
			[]string{"kernel p1[0:4]: Assign says c[0x0][0x1a0], ptxas c[0x0][0x180]"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := *must.Target(t, c.target)
			c.change(&target)
			probes := recordedProbes()
			require.NoError(t, examineAll(probes, &target, loadRecording(t, c.target)))
			var got []string
			for _, p := range probes {
				require.NoError(t, p.err)
				for _, m := range p.mismatches {
					got = append(got, m.String())
				}
			}
			for _, want := range c.want {
				assert.Contains(t, got, want)
			}
		})
	}
}

// TestMissingFunction has a disassembly that lacks the requested function.
func TestMissingFunction(t *testing.T) {
	probes := recordedProbes()
	require.NoError(t, examineAll(probes, must.Target(t, "sm_80"), "\t.target\tsm_80\n"))
	for _, p := range probes {
		assert.ErrorContains(t, p.err, "not in the disassembly")
	}
}

func writeRecordings(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	for _, r := range recordings {
		for _, tk := range tools.Toolkits {
			if !strings.HasPrefix(tk.Version.String(), r.toolkit+".") || !tk.Measures(r.target) {
				continue
			}
			ptx := moduleOf(recordedProbes(), r.target, tk.PTX, false)
			cubin, err := tk.Assemble(context.Background(), ptx, r.target)
			require.NoError(t, err)
			sass, err := tk.Disassemble(context.Background(), cubin, r.target)
			require.NoError(t, err)
			data := txtar.Format(&txtar.Archive{
				Comment: fmt.Appendf(nil, "PTX of ours, and what %s -c -O1 -arch %s and nvdisasm -c -ndf make of it: labels and instructions.\n", tk, r.target),
				Files:   []txtar.File{{Name: "ptx", Data: []byte(ptx)}, {Name: "sass", Data: []byte(codeOnly(sass))}},
			})
			require.NoError(t, os.WriteFile(recordingFile(r.target), data, 0o666))
		}
	}
}

// codeOnly keeps the labels and instructions of a disassembly, without padding.
func codeOnly(sass string) string {
	var b strings.Builder
	for _, line := range strings.Split(sass, "\n") {
		fields := strings.Fields(line)
		switch {
		case strings.HasSuffix(line, ":") && line[0] != ' ' && line[0] != '\t' && line[0] != '/':
			b.WriteString(line + "\n")
		case len(fields) > 1 && strings.HasPrefix(fields[0], "/*") && fields[1] != "NOP;":
			b.WriteString("\t" + strings.Join(fields, " ") + "\n")
		}
	}
	return b.String()
}

func number(t *testing.T, digits []byte) int {
	t.Helper()
	n, err := strconv.Atoi(string(digits))
	require.NoError(t, err)
	return n
}
