package oracle

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/measured"
)

const measuredDir = "../../testdata/measured"

// signaturesHead begins the probe whose functions this package writes.
const signaturesHead = `// Signatures: what a callee and a kernel find and where a caller puts it.
// internal/oracle wrote this file from the signatures of its recorded_test.go.
// record: -c -O1
// show: code
`

// thinProbes are the recorded probes, with three parts of each formal. In place
// of vectors they have arrays: ptxas 13.4 loads into elements of a vector register
// with descriptors that differ from run to run.
func thinProbes() []*probe {
	var all []*probe
	for i, s := range recorded {
		s = s.clone()
		for j, f := range s.Params {
			s.Params[j] = f.array()
		}
		if s.Result != nil {
			*s.Result = s.Result.array()
		}
		p := newProbe(s, i)
		p.thin()
		all = append(all, p)
	}
	return all
}

// array is f, or an array in place of a vector.
func (f Formal) array() Formal {
	if f.Vec == 0 {
		return f
	}
	v := f.Value()
	return Formal{Type: "b8", Len: v.Size, Align: v.Align}
}

// TestSignaturesProbe holds the probe that is recorded everywhere against this
// package, which reads its recordings.
func TestSignaturesProbe(t *testing.T) {
	want := signaturesHead + module(thinProbes(), "sm_35", abi.Version{Major: 7, Minor: 8}, false)
	file := measuredDir + "/probes/signatures.ptx"
	if *record {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o666))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, strings.ReplaceAll(string(got), "\r\n", "\n"),
		"the probes have changed: run go test ./internal/oracle -run TestSignaturesProbe -record, then go run ./internal/cmd/record -probe signatures")
}

// TestMeasuredSignatures compares Assign with the recorded code of every target
// of every release of the assembler.
func TestMeasuredSignatures(t *testing.T) {
	releases, err := measured.Releases(os.DirFS(measuredDir))
	require.NoError(t, err)
	pairs, pieces := 0, 0
	for _, release := range releases {
		file, err := measured.Read(os.DirFS(measuredDir), release, "signatures")
		require.NoError(t, err)
		for _, s := range file.Sections {
			require.Empty(t, s.Refusal(), "%s: %v", release, s.Targets)
			for _, target := range s.Targets {
				pairs++
				probes := thinProbes()
				require.NoError(t, examineAll(probes, row(t, target), s.Code()))
				for _, p := range probes {
					require.NoError(t, p.err, "%s: %s", release, target)
					assert.Empty(t, p.mismatches, "%s: %s: %s", release, target, p.sig)
					pieces += p.pieces
				}
			}
		}
	}
	t.Logf("%d releases, %d pairs of release and target, %d pieces", len(releases), pairs, pieces)
	assert.GreaterOrEqual(t, pairs, 157)
	assert.Equal(t, 67*pairs, pieces)
}

// TestMeasuredSignaturesCanFail changes a register in a recording.
func TestMeasuredSignaturesCanFail(t *testing.T) {
	file, err := measured.Read(os.DirFS(measuredDir), "cuda-13.0", "signatures")
	require.NoError(t, err)
	s := file.Find("signatures", "-c -O1", "sm_120")
	require.NotNil(t, s)
	broken := strings.Replace(s.Code(), "c[0x0][0x380]", "c[0x0][0x384]", 1)
	require.NotEqual(t, broken, s.Code())
	probes := thinProbes()
	require.NoError(t, examineAll(probes, row(t, "sm_120"), broken))
	found := 0
	for _, p := range probes {
		found += len(p.mismatches)
	}
	assert.Positive(t, found)
}
