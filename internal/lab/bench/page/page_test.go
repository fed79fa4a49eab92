package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
)

// TestMain is the process in which a work is timed, where the environment names one.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == aloneFlag {
		main()
		return
	}
	os.Exit(m.Run())
}

// fake returns a session of contenders whose times are given, in milliseconds,
// for inputs of 1 and 3 MB; a time of 0 fails.
func fake(times map[string][]int) *session {
	s := new(session)
	inputs := []input{{"a", make([]byte, 1e6)}, {"b", make([]byte, 3e6)}}
	against := map[string]string{checkName: lowerName, goName: parseName, "`ptxas -c -O0`": lowerName}
	for _, name := range []string{parseName, inProcessName, lowerName, checkName, goName, "`ptxas -c -O0`"} {
		ms := times[name]
		if ms == nil {
			continue
		}
		s.add(&contender{name: name, version: "1", what: "real", inputs: inputs[:len(ms)], against: against[name], run: func(i int) (time.Duration, error) {
			if ms[i] == 0 {
				return 0, errors.New("no\nmore lines")
			}
			return time.Duration(ms[i]) * time.Millisecond, nil
		}})
	}
	return s
}

func TestTable(t *testing.T) {
	s := fake(map[string][]int{
		parseName: {10, 30}, inProcessName: {50, 40}, lowerName: {100, 100}, checkName: {50, 50}, goName: {20},
		"`ptxas -c -O0`": {3000, 0},
	})
	for range 3 {
		s.round()
	}
	text := string(s.markdown())
	for _, want := range []string{
		"| `ptx.ParseString` | 1 | real | 100 |  |\n",
		"| `ptxabi check -c` | 1 | real | 40 | ×0.5 |\n",
		"| `go/scanner`, scanning alone | 1 | real | 50 | ×2 |\n",
		"| `ptxabi lower` | 1 | real | 20 |  |\n",
		"| `ptxas -c -O0` | 1 | real, 1 of 2 | 0.333 | ×30 |\n", // of the module that both take
	} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, []string{"`ptxas -c -O0` 1 (real, 1 of 2): no"}, s.notes)
}

func TestNothingTaken(t *testing.T) {
	s := fake(map[string][]int{lowerName: {5}, "`ptxas -c -O0`": {0}})
	s.round()
	text := string(s.markdown())
	assert.Contains(t, text, "| `ptxas -c -O0` | 1 | real, takes none |  |  |\n")
}

func TestTimed(t *testing.T) {
	n := 0
	d, err := timed(func() error {
		for i := range 1_000_000 {
			n += i
		}
		return nil
	})
	require.NoError(t, err)
	assert.Positive(t, d)

	runs := 0
	d, err = timed(func() error {
		runs++
		for start := processor(); runs == 1 && processor()-start < 4*least; {
		}
		return nil
	})
	require.NoError(t, err)
	assert.Less(t, d, least, "the first run does not count")
	_, err = timed(func() error { return errors.New("x") })
	assert.EqualError(t, err, "x")
}

// TestAlone holds that a work of its own process says how long it took, and what is
// wrong.
func TestAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.ptx")
	require.NoError(t, os.WriteFile(file, []byte(".version 7.0\n.target sm_80\n.visible .func f()\n{\n\tret;\n}\n"), 0o666))
	d, err := alone(parseName, file)
	require.NoError(t, err)
	assert.Positive(t, d)
	for _, bad := range [][]string{{parseName, "no-such-file"}, {"nothing", file}} {
		_, err := alone(bad[0], bad[1])
		assert.ErrorContains(t, err, slices.DeleteFunc(bad, func(s string) bool { return s == parseName || s == file })[0])
	}
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o666))
	_, err = alone(parseName, file)
	assert.ErrorContains(t, err, file+":1:1: ")
}

// TestOwn runs what needs no other program on one module.
func TestOwn(t *testing.T) {
	effort.NeedLong(t, "it builds and runs the command")
	s, err := newSession(t.TempDir(), "../../../../testdata/real/cicc124-address.ptx")
	require.NoError(t, err)
	s.round()
	for _, c := range s.contenders {
		assert.Empty(t, c.failed, c.name)
		bytes, seconds := c.total(nil)
		assert.Positive(t, bytes, c.name)
		assert.Positive(t, seconds, c.name)
	}
	assert.Contains(t, string(s.markdown()), "| "+lowerName)
	_, err = newSession(t.TempDir(), "no/such.ptx")
	assert.ErrorContains(t, err, "no modules at no/such.ptx")
}

// TestHeld holds tasks against their goals.
func TestHeld(t *testing.T) {
	took := func(wall time.Duration, peak int64) func() (cost, error) {
		return func() (cost, error) { return cost{wall: wall, cpu: wall / 2, peak: peak}, nil }
	}
	list := []task{
		{name: "quick", clock: 10 * time.Millisecond, run: took(9*time.Millisecond, 0)},
		{name: "large", size: 2e6, clock: time.Second, memory: 3, run: took(2*time.Millisecond, 7e6)},
		{name: "free", run: took(1500*time.Millisecond, 1e3)},
	}
	table, err := held(list)
	require.NoError(t, err)
	assert.Equal(t, strings.TrimLeft(`
| what | clock | peak memory | goal |
| --- | ---: | ---: | ---: |
| quick | 9 ms |  | 10 ms |
| large | 2 ms | 7 MB | 1 s, 3 times the input, **missed** |
| free | 1.5 s | 1 KB |  |
`, "\n"), string(table.Markdown()))
	list[0].run = func() (cost, error) { return cost{}, errors.New("broken") }
	_, err = held(list)
	assert.EqualError(t, err, "quick: broken")
}

// TestMeasure runs a command that is there wherever Go is.
func TestMeasure(t *testing.T) {
	c, err := fastest(2, "", "go", "version")
	require.NoError(t, err)
	assert.Positive(t, c.wall)
	assert.Positive(t, c.cpu)
	_, err = fastest(1, "", "go", "no-such-command")
	assert.ErrorContains(t, err, "no-such-command")
}
