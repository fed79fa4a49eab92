package places

import (
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

const measuredDir = "../../../testdata/measured"

// signaturesHead begins the probe whose functions this package writes.
const signaturesHead = `// Signatures: what a callee and a kernel find and where a caller puts it.
// internal/lab/places wrote this file from the signatures of its recorded_test.go.
// record: -c -O1
// show: code
`

// levelsHead begins the probe that has two of the signatures, assembled in other
// ways.
const levelsHead = `// Signatures at other levels of optimisation and under a register limit.
// internal/lab/places wrote this file from the signatures of its recorded_test.go.
// record: -c -O0
// record: -c -g -O0
// record: -c -O2
// record: -c -O3
// record: -c -O3 -maxrregcount 24
// show: code
`

// levelsProbes have registers, stack, a result in registers of each kind, and
// one that fills all of them.
func levelsProbes() []*trial {
	all := thinProbes()
	return []*trial{all[0], all[4]}
}

// thinProbes are the recorded probes, with three parts of each formal. In place
// of vectors they have arrays: ptxas 13.4 loads into elements of a vector register
// with descriptors that differ from run to run.
func thinProbes() []*trial {
	var all []*trial
	for i, s := range recorded {
		p := newTrial(withoutVectors(s), i)
		p.Thin()
		all = append(all, p)
	}
	return all
}

// TestSignaturesProbe holds the probes that are recorded everywhere against this
// package, which reads their recordings.
func TestSignaturesProbe(t *testing.T) {
	of := func(head string, probes []*trial) string {
		return head + moduleOf(probes, "sm_35", ptx.Version{Major: 7, Minor: 8}, false)
	}
	for _, p := range []struct{ name, text string }{
		{"signatures", of(signaturesHead, thinProbes())}, {"levels", of(levelsHead, levelsProbes())}, {"preserved", preservedText()},
	} {
		want := p.text
		file := measuredDir + "/probes/" + p.name + ".ptx"
		if *record {
			require.NoError(t, os.WriteFile(file, []byte(want), 0o666))
		}
		got := must.Read(t, file)
		require.Equal(t, want, strings.ReplaceAll(string(got), "\r\n", "\n"),
			"the probes have changed: run go test ./internal/lab/places -run TestSignaturesProbe -record, then go run ./internal/lab/record -probe '^%s$'", p.name)
	}
}

// measuredFiles yields the recordings of a probe with each release, in order.
func measuredFiles(t *testing.T, probe string) iter.Seq2[string, *measured.File] {
	t.Helper()
	releases, err := measured.Releases(os.DirFS(measuredDir))
	require.NoError(t, err)
	return func(yield func(string, *measured.File) bool) {
		for _, release := range releases {
			file, err := measured.Read(os.DirFS(measuredDir), release, probe)
			require.NoError(t, err)
			if !yield(release, file) {
				return
			}
		}
	}
}

// TestMeasuredSignatures compares Assign with the recorded code of every target
// of every release of the assembler, at each level of optimisation.
func TestMeasuredSignatures(t *testing.T) {
	for _, test := range []struct {
		probe, options string
		probes         func() []*trial
		pieces         int
	}{
		{"signatures", "-c -O1", thinProbes, 95},
		{"levels", "-c -O0", levelsProbes, 52},
		{"levels", "-c -g -O0", levelsProbes, 52},
		{"levels", "-c -O2", levelsProbes, 52},
		{"levels", "-c -O3", levelsProbes, 52},
		{"levels", "-c -O3 -maxrregcount 24", levelsProbes, 52},
	} {
		pairs := 0
		for release, file := range measuredFiles(t, test.probe) {
			for _, target := range file.Targets() {
				pairs++
				text := release + ": " + target + " " + test.options
				s := file.Find(test.probe, test.options, target)
				require.NotNil(t, s, text)
				require.Empty(t, s.Refusal(), text)
				assert.Equal(t, test.pieces, hold(t, test.probes(), target, s.Code()), text)
			}
		}
		assert.GreaterOrEqual(t, pairs, 157)
	}
}

// hold requires that probes have the places that Assign says, and returns how many
// pieces they have.
func hold(t *testing.T, probes []*trial, target, code string) (pieces int) {
	t.Helper()
	require.NoError(t, examineAll(probes, must.Target(t, target), code))
	for _, p := range probes {
		require.NoError(t, p.err, target)
		assert.Empty(t, p.mismatches, "%s: %s", target, p.Function)
		pieces += p.pieces
	}
	return pieces
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
	require.NoError(t, examineAll(probes, must.Target(t, "sm_120"), broken))
	found := 0
	for _, p := range probes {
		found += len(p.mismatches)
	}
	assert.Positive(t, found)
}

// TestBrokenPassingIsNoticed changes each number of the rows' Passing that
// signatures show, one at a time, and requires that the recordings of the first
// and the last release contradict it, for each architecture that has code of its
// own. The test of the same kind in internal/lab/measured has the other
// fields of the rows.
func TestBrokenPassingIsNoticed(t *testing.T) {
	changes := []struct {
		name   string
		change func(*abi.Passing)
	}{
		{"as it is", func(*abi.Passing) {}},
		{"first register lower", func(p *abi.Passing) { p.First-- }},
		{"first register higher", func(p *abi.Passing) { p.First++ }},
		{"a register less", func(p *abi.Passing) { p.Count--; p.MaxResult = min(p.MaxResult, p.Count*4) }},
		{"a register more", func(p *abi.Passing) { p.Count++ }},
		{"lower alignment", func(p *abi.Passing) { p.MaxAlign /= 2 }},
		{"higher alignment", func(p *abi.Passing) { p.MaxAlign *= 2 }},
		{"results of 40 bytes", func(p *abi.Passing) { p.MaxResult = 40 }},
		{"results of 44 bytes", func(p *abi.Passing) { p.MaxResult = 44 }},
		{"results of 47 bytes", func(p *abi.Passing) { p.MaxResult = 47 }},
		// A row with larger results than parameter registers is refused.
		{"results of 49 bytes", func(p *abi.Passing) { p.Count, p.MaxResult = 13, 49 }},
	}
	releases, err := measured.Releases(os.DirFS(measuredDir))
	require.NoError(t, err)
	sections := 0
	for _, release := range []string{releases[0], releases[len(releases)-1]} {
		file, err := measured.Read(os.DirFS(measuredDir), release, "signatures")
		require.NoError(t, err)
		for _, s := range file.Sections {
			sections++
			code := s.Code()
			for i, c := range changes {
				target := *must.Target(t, s.Targets[0])
				c.change(&target.Passing)
				probes := thinProbes()
				require.NoError(t, examineAll(probes, &target, code))
				found := 0
				for _, p := range probes {
					require.NoError(t, p.err)
					found += len(p.mismatches)
				}
				assert.Equal(t, i > 0, found > 0, "%s: %s with %s", c.name, target.Name, release)
			}
		}
	}
	assert.Greater(t, sections, 10)
}
