package measured_test

import (
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/measured"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// A pair is a release of the assembler and a target, with the row that their
// recordings are held against.
type pair struct {
	release, target string
	row             *abi.Target
}

func (p *pair) String() string { return p.target + " with " + p.release }

// file returns the recordings of a probe with the pair's release.
func (p *pair) file(t require.TestingT, probe string) *measured.File {
	name := p.release + "/" + probe
	if f, ok := files.Load(name); ok {
		return f.(*measured.File)
	}
	f, err := measured.Read(recordings(), p.release, probe)
	require.NoError(t, err)
	kept, _ := files.LoadOrStore(name, f)
	return kept.(*measured.File)
}

// section returns the recording of a module with the options of the assembler.
func (p *pair) section(t require.TestingT, probe, module, options string) *measured.Section {
	s := p.file(t, probe).Find(module, options, p.target)
	require.NotNil(t, s, "%s %s %s: %s", probe, module, options, p)
	return s
}

// files are the recordings that were read, by release and probe, derived what
// was derived from sections of them, and known the pairs; nothing in them is ever
// changed.
var files, derived, known sync.Map

// derive returns what a function makes of a section, and calls it once. What names
// the function.
func derive[T any](s *measured.Section, what string, f func() (T, error)) (T, error) {
	type key struct {
		s    *measured.Section
		what string
	}
	type answer struct {
		value T
		err   error
	}
	if a, ok := derived.Load(key{s, what}); ok {
		return a.(answer).value, a.(answer).err
	}
	value, err := f()
	derived.Store(key{s, what}, answer{value, err})
	return value, err
}

// checks hold the row of a pair against the recordings of it.
var checks = []func(require.TestingT, *pair){
	checkCalls, checkAddDispute, checkKernels, checkKernelParameters, checkVersions,
	checkFrames, checkAlloca, checkEntry, checkWidths, checkSpelling, checkReach,
	checkSaves, checkLevels, checkBudget, checkBlocks, checkBlockMemory, checkResident, checkLone, checkLive, checkUnwind, checkDisputed, checkPredicates, checkBarriers,
}

// TestRows holds the row of each pair against its recordings.
func TestRows(t *testing.T) {
	for _, check := range checks {
		hold(t, check)
	}
	disputed := 0
	for _, p := range pairs(t) {
		if p.row.Kernel.Dispute != "" {
			disputed++
		}
	}
	assert.GreaterOrEqual(t, disputed, 40)
}

// hold makes a check of all pairs with their rows.
func hold(t *testing.T, check func(require.TestingT, *pair)) {
	t.Helper()
	all := pairs(t)
	assert.GreaterOrEqual(t, len(all), 157, "pairs of release and target")
	for _, p := range all {
		check(t, p)
	}
}

// pairs returns the pairs that there are recordings of.
func pairs(t require.TestingT) []*pair {
	if all, ok := known.Load(""); ok {
		return all.([]*pair)
	}
	releases, err := measured.Releases(recordings())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(releases), 7)
	var all []*pair
	for _, release := range releases {
		p := pair{release: release}
		for _, target := range p.file(t, "calls").Targets() {
			all = append(all, &pair{release, target, must.Target(t, target)})
		}
	}
	known.Store("", all)
	return all
}

// A recording is a section of the recording of a probe with a release.
type recording struct {
	release, probe string
	file           *measured.File
	*measured.Section
}

func (r *recording) String() string {
	return r.probe + " " + r.Module + " " + r.Options + " with " + r.release
}

// eachSection calls f for each section of all recordings.
func eachSection(t *testing.T, f func(r *recording)) {
	t.Helper()
	names, err := fs.Glob(recordings(), "cuda-*/*.txt")
	require.NoError(t, err)
	probes, err := fs.Glob(recordings(), "probes/*.ptx")
	require.NoError(t, err)
	require.Len(t, names, 7*len(probes))
	for _, name := range names {
		release, probe := path.Split(strings.TrimSuffix(name, ".txt"))
		p := &pair{release: path.Clean(release)}
		file := p.file(t, probe)
		for i := range file.Sections {
			f(&recording{p.release, probe, file, &file.Sections[i]})
		}
	}
}
