package lowertest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
)

var record = flag.Bool("record", false, "assemble the programs again, with all toolkits that PTXABI_ORACLE names")

const (
	programsFile = "testdata/programs.txtar"
	programSeed  = 46
	mostListing  = 4000 // bytes of a listing that is recorded
)

// programFor returns a program of the seed for a target, as a release takes it.
func programFor(t *abi.Target, v string, index int) string {
	src := lowertest.Programs(t, programSeed, index+1)[index]
	return regexp.MustCompile(`\.version \S+`).ReplaceAllString(string(src), ".version "+v)
}

// listingOfProgram disassembles what a release makes of a program, without offsets, padding and directives; "" where it refuses it.
func listingOfProgram(t *testing.T, tk *oracle.Toolkit, src, target, level string) string {
	cubin, err := tk.Assemble(context.Background(), src, target, level)
	require.NoError(t, err, src)
	file := filepath.Join(t.TempDir(), "cubin")
	require.NoError(t, os.WriteFile(file, cubin, 0o666))
	out, err := exec.Command(tk.Nvdisasm, "-c", file).Output()
	if err != nil { // the release has no disassembler for the target
		text, err := tk.Disassemble(context.Background(), cubin, target)
		require.NoError(t, err)
		out = []byte(text)
	}
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		plain := strings.TrimSpace(regexp.MustCompile(`/\*[0-9a-f]{4,}\*/`).ReplaceAllString(line, ""))
		switch {
		case strings.HasPrefix(plain, "//-") && strings.Contains(plain, " .text."), strings.HasSuffix(plain, ":") && !strings.HasPrefix(plain, ".text."):
			b.WriteString(strings.Join(strings.Fields(plain), " ") + "\n")
		case strings.HasSuffix(plain, ";") && !strings.HasPrefix(plain, "NOP"), strings.HasSuffix(plain, "}"):
			b.WriteString("\t" + strings.Join(strings.Fields(plain), " ") + "\n")
		}
	}
	return b.String()
}

// recordPrograms assembles a program for each release, target and level, and keeps of every third the first whose listing is small.
func recordPrograms(t *testing.T) {
	tools, err := oracle.Find()
	require.NoError(t, err)
	a := &txtar.Archive{Comment: []byte("Listings of ptxas -c and nvdisasm -c for programs of seed 46; a name is the release, the version of PTX, the target, the level\n" +
		"and the number of the program: PTXABI_ORACLE=DIR:… go test ./lower/lowertest -run TestRecordedPrograms -record\n\n")}
	n := 0
	for _, tk := range tools.Toolkits {
		for _, name := range []string{"sm_35", "sm_52", "sm_60", "sm_70", "sm_75", "sm_80", "sm_90", "sm_100", "sm_120"} {
			for _, level := range []string{"-O0", "-O1", "-O3"} {
				if !tk.Measures(name) {
					continue
				}
				if n++; n%3 != 0 {
					continue
				}
				for i := n; i < n+20; i++ {
					src := programFor(mustTarget(t, name), tk.PTX.String(), i)
					if listing := listingOfProgram(t, tk, src, name, level); len(listing) <= mostListing {
						a.Files = append(a.Files, txtar.File{Name: fmt.Sprintf("%s %s %s %s %d", tk.Version, tk.PTX, name, level, i), Data: []byte(listing)})
						break
					}
				}
			}
		}
	}
	require.NoError(t, os.MkdirAll("testdata", 0o777))
	require.NoError(t, os.WriteFile(programsFile, txtar.Format(a), 0o666))
}

// TestRecordedPrograms holds that listings of programs by seven releases, for nine targets, at three levels are not accused.
func TestRecordedPrograms(t *testing.T) {
	if *record {
		recordPrograms(t)
	}
	a, err := txtar.ParseFile(programsFile)
	require.NoError(t, err)
	var sum lowertest.Coverage
	releases, targets := make(map[string]bool), make(map[string]bool)
	for _, f := range a.Files {
		var release, version, name, level string
		index := 0
		_, err := fmt.Sscan(f.Name, &release, &version, &name, &level, &index)
		require.NoError(t, err)
		target := mustTarget(t, name)
		src := programFor(target, version, index)
		m := must.Parse(t, f.Name, []byte(src))
		r := compared(t, []byte(src), string(f.Data), target)
		for _, d := range r.Differences {
			t.Errorf("%s: %s", f.Name, d)
		}
		assert.Empty(t, r.NotFollowed, f.Name)
		functions := 0
		for _, it := range m.Items {
			if fn, ok := it.(*ptx.Func); ok && fn.HasBody {
				functions++
			}
		}
		assert.Equal(t, functions, r.Functions, f.Name)
		homes := allocation(t, []byte(src), string(f.Data), target)
		assert.Empty(t, homes.Misplaced, f.Name)
		releases[release], targets[name] = true, true
		sum.Calls += r.Calls
		sum.Words += r.Words
		sum.Bytes += r.Bytes
	}
	t.Logf("%d listings, %d calls, %d words, %d bytes", len(a.Files), sum.Calls, sum.Words, sum.Bytes)
	assert.Len(t, releases, 7)
	assert.Len(t, targets, 9)
	assert.Greater(t, sum.Bytes, 1000)
}
