package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// A run is a benchmark at one size.
type run struct {
	size int     // of the name
	work float64 // bytes, or size where the benchmark does not say
	time float64 // seconds of the fastest run
}

// A pair is a benchmark at several sizes, in ascending order.
type pair struct {
	pkg, shape string
	runs       []run
}

// readPairs reads the output of go test -bench.
func readPairs(out []byte) (list []pair) {
	pkg := ""
	in := bufio.NewScanner(bytes.NewReader(out))
	for in.Scan() {
		if rest, ok := strings.CutPrefix(in.Text(), "pkg: "); ok {
			pkg = rest
			continue
		}
		shape, r, ok := readRun(in.Text())
		if !ok {
			continue
		}
		i := 0
		for i < len(list) && (list[i].pkg != pkg || list[i].shape != shape) {
			i++
		}
		if i == len(list) {
			list = append(list, pair{pkg: pkg, shape: shape})
		}
		list[i].add(r)
	}
	return list
}

// add adds a run, or its time if it is the fastest of its size.
func (p *pair) add(r run) {
	i := 0
	for i < len(p.runs) && p.runs[i].size < r.size {
		i++
	}
	switch {
	case i == len(p.runs) || p.runs[i].size != r.size:
		p.runs = append(p.runs[:i:i], append([]run{r}, p.runs[i:]...)...)
	case r.time < p.runs[i].time:
		p.runs[i] = r
	}
}

// readRun reads a line such as
//
//	BenchmarkScale/calls/size=2500-2   100   1000000 ns/op   80.00 MB/s
func readRun(line string) (shape string, r run, ok bool) {
	f := strings.Fields(line)
	if len(f) < 4 || !strings.HasPrefix(f[0], "BenchmarkScale/") {
		return "", run{}, false
	}
	name := strings.TrimPrefix(f[0], "BenchmarkScale/")
	at := strings.LastIndex(name, "/size=")
	if at < 0 {
		return "", run{}, false
	}
	size, _, _ := strings.Cut(name[at+len("/size="):], "-")
	n, err := strconv.Atoi(size)
	if err != nil {
		return "", run{}, false
	}
	r = run{size: n, work: float64(n)}
	for i := 2; i+1 < len(f); i += 2 {
		v, err := strconv.ParseFloat(f[i], 64)
		switch {
		case err != nil:
			return "", run{}, false
		case f[i+1] == "ns/op":
			r.time = v / 1e9
		case f[i+1] == "MB/s":
			r.work = v * 1e6 * r.time
		}
	}
	return name[:at], r, r.time > 0
}

// growth returns how many times the work and the time of the smallest size
// those of the largest are; 1 and 1 for a single size.
func (p *pair) growth() (work, time float64) {
	a, b := p.runs[0], p.runs[len(p.runs)-1]
	return b.work / a.work, b.time / a.time
}

// slow returns the shapes, as a regular expression, and the packages of the
// pairs whose cost grows by more than the tolerance.
func slow(list []pair, tolerance float64) (shapes string, packages []string) {
	var names []string
	for _, p := range list {
		if work, time := p.growth(); time > tolerance*work {
			// Only the first element: go test splits at slashes.
			first, _, _ := strings.Cut(p.shape, "/")
			names = append(names, "^"+regexp.QuoteMeta(first)+"$")
			packages = append(packages, p.pkg)
		}
	}
	slices.Sort(packages)
	return strings.Join(names, "|"), slices.Compact(packages)
}

// judge reports whether the cost of a unit of work grows by at most the
// tolerance in every pair. A pair that has one size only proves nothing, and
// fails.
func judge(list []pair, tolerance float64) (table bench.Table, ok bool) {
	table = bench.Table{{"shape", "package", "sizes", "work", "time", "slope", "verdict"}}
	ok = true
	for _, p := range list {
		pkg := p.pkg[strings.LastIndex(p.pkg, "ptxabi/")+len("ptxabi/"):]
		if len(p.runs) < 2 {
			table = append(table, []string{p.shape, pkg, fmt.Sprint(p.runs[0].size), "", "", "", "ONE SIZE"})
			ok = false
			continue
		}
		a, b := p.runs[0], p.runs[len(p.runs)-1]
		work, time := p.growth()
		verdict := "linear"
		if time > tolerance*work {
			verdict, ok = "TOO SLOW", false
		}
		table = append(table, []string{
			p.shape, pkg, fmt.Sprintf("%d, %d", a.size, b.size), fmt.Sprintf("×%.1f", work),
			fmt.Sprintf("×%.1f", time), fmt.Sprintf("%.2f", math.Log(time)/math.Log(work)), verdict,
		})
	}
	return table, ok
}

// slope returns that of the line of least squares through the logarithms of
// the points: the power of size that time grows with.
func slope(size, time []float64) float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(size))
	for i := range size {
		x, y := math.Log(size[i]), math.Log(time[i])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
