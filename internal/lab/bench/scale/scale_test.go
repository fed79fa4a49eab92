package main

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

const output = `goos: linux
pkg: example.org/ptxabi/ptx
BenchmarkScale/nest/size=100-2         	     20	  2000 ns/op	 50.00 MB/s	 7 B/op	 1 allocs/op
BenchmarkScale/nest/size=800-2         	      3	 18000 ns/op	 44.44 MB/s
BenchmarkScale/nest/size=100-2         	     20	  3000 ns/op	 33.33 MB/s
BenchmarkOther/size=800-2              	      3	 18000 ns/op
PASS
pkg: example.org/ptxabi/check
BenchmarkScale/a/b/size=8              	      1	 64000 ns/op
BenchmarkScale/a/b/size=1              	      1	  1000 ns/op
BenchmarkScale/alone/size=1            	      1	  1000 ns/op
PASS
`

func TestPairs(t *testing.T) {
	list := readPairs([]byte(output))
	require.Len(t, list, 3)
	assert.InDelta(t, 2e-6, list[0].runs[0].time, 1e-12, "the fastest run counts")
	assert.InDelta(t, 100, list[0].runs[0].work, 1e-6, "work is bytes")
	table, ok := judge(list, 2)
	assert.False(t, ok)
	assert.Equal(t, strings.TrimLeft(`
| shape | package | sizes | work | time | slope | verdict |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| nest | ptx | 100, 800 | ×8.0 | ×9.0 | 1.06 | linear |
| a/b | check | 1, 8 | ×8.0 | ×64.0 | 2.00 | TOO SLOW |
| alone | check | 1 |  |  |  | ONE SIZE |
`, "\n"), string(table.Markdown()))
	shapes, packages := slow(list, 2)
	assert.Equal(t, "^a$", shapes)
	assert.Equal(t, []string{"example.org/ptxabi/check"}, packages)
	shapes, packages = slow(list[:1], 2)
	assert.Empty(t, shapes+strings.Join(packages, ""))
	_, ok = judge(list[:1], 2)
	assert.True(t, ok)
	_, ok = judge(list[:1], 1)
	assert.False(t, ok)
}

func TestSlope(t *testing.T) {
	for _, power := range []float64{0.5, 1, 1.05, 2} {
		var x, y []float64
		for _, n := range []float64{1, 4, 16, 100} {
			x, y = append(x, n), append(y, 3*math.Pow(n, power))
		}
		assert.InDelta(t, power, slope(x, y), 1e-9)
	}
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
	table, ok, err := held(list)
	require.NoError(t, err)
	assert.False(t, ok)
	assert.Equal(t, strings.TrimLeft(`
| what | clock | peak memory | goal |
| --- | ---: | ---: | ---: |
| quick | 9 ms |  | 10 ms |
| large | 2 ms | 7 MB | 1 s, 3 times the input, **missed** |
| free | 1.5 s | 1 KB |  |
`, "\n"), string(table.Markdown()))
	list[0].clock = time.Millisecond
	_, ok, _ = held(list[:1])
	assert.False(t, ok)
	list[0].run = func() (cost, error) { return cost{}, errors.New("broken") }
	_, _, err = held(list)
	assert.EqualError(t, err, "quick: broken")
}

// TestMeasure runs a command that is there wherever Go is.
func TestMeasure(t *testing.T) {
	c, err := fastest(2, "go", []string{"version"})
	require.NoError(t, err)
	assert.Positive(t, c.wall)
	assert.Positive(t, c.cpu)
	_, err = measure("go", []string{"no-such-command"}, nil)
	assert.ErrorContains(t, err, "no-such-command")
}

// TestLargeRow holds that a shape is too slow when its time grows by more than its
// input and the tolerance say.
func TestLargeRow(t *testing.T) {
	s := &bench.Shape{Name: "x", Large: 800}
	sizes := [2]float64{1e6, 8e6}
	costs := [2]cost{{cpu: time.Second}, {cpu: 16 * time.Second, peak: 3e6}}
	row, linear := largeRow(s, sizes, costs, 2)
	assert.True(t, linear)
	assert.Equal(t, []string{"x", "800", "8.0 MB", "16.00 s", "0.5", "3 MB", "×8.0", "×16.0", "linear"}, row)
	costs[1].cpu++
	row, linear = largeRow(s, sizes, costs, 2)
	assert.False(t, linear)
	assert.Equal(t, "TOO SLOW", row[8])
}

// TestLargeShapes holds that the sizes that the goals name are among the shapes.
func TestLargeShapes(t *testing.T) {
	at := make(map[string]int)
	for _, s := range bench.Shapes {
		at[s.Name] = s.Large
	}
	assert.GreaterOrEqual(t, at["nest"], 1_000_000)
	assert.GreaterOrEqual(t, at["lines"], 1_000_000)
	assert.GreaterOrEqual(t, at["args"], 10_000)
	assert.GreaterOrEqual(t, at["calls"], 1_000_000)
	for _, s := range bench.Shapes {
		if s.Name == "line" {
			text := s.Text(s.Large)
			assert.Equal(t, 1, bytes.Count(text, []byte("\n")))
			assert.Greater(t, len(text), 50_000_000)
		}
	}
	_, _, err := large("lower", bench.Shapes, "no such shape", 1, 2)
	assert.ErrorContains(t, err, "no such shape")
}
