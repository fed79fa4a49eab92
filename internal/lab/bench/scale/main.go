// Scale holds time and memory against size.
//
//	go run ./internal/lab/bench/scale              all BenchmarkScale pairs
//	go run ./internal/lab/bench/scale -tasks       what users wait for, against goals
//	go run ./internal/lab/bench/scale -shapes      ptxabi lower on shapes of a million parts
//	go run ./internal/lab/bench/scale -listings    ptxabi annotate on listings of such shapes
//
// A benchmark pair is BenchmarkScale/SHAPE/size=N at two sizes: the same work,
// more of it. The time may grow as the work does, within a tolerance; work is
// the bytes of SetBytes, or N where the benchmark sets none. Of several runs
// the fastest counts: other programs can only make a run slower.
//
// The exit status is 1 if something grows faster than its work, or misses
// its goal.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

func main() {
	tasks := flag.Bool("tasks", false, "run what users wait for in place of the benchmark pairs")
	library := flag.String("library", "", "with -tasks: a library with device code to read")
	shapes := flag.Bool("shapes", false, "run lower on shapes of the largest size, and of an eighth of it")
	listings := flag.Bool("listings", false, "run annotate on listings of the largest size, and of an eighth of it")
	packages := flag.String("packages", "./...", "packages whose pairs to run, with blanks between them")
	only := flag.String("run", ".", "the shapes to run, a regular expression")
	benchtime := flag.String("benchtime", "200ms", "as of go test")
	count := flag.Int("count", 3, "runs of each, of which the fastest counts")
	tolerance := flag.Float64("tolerance", 2, "by which factor the cost of a unit of work may grow in a pair")
	update := flag.String("update", "", "with -tasks: a document whose table to replace")
	flag.Parse()
	var text []byte
	var ok bool
	var err error
	switch {
	case *tasks:
		text, ok, err = waits(*library, *count)
	case *shapes:
		text, ok, err = large("lower", bench.Shapes, *only, *count, *tolerance)
	case *listings:
		text, ok, err = large("annotate", bench.Listings, *only, *count, *tolerance)
	default:
		text, ok, err = pairs(*packages, *only, *benchtime, *count, *tolerance)
	}
	if err == nil {
		_, err = os.Stdout.Write(append(text, '\n'))
	}
	if err == nil && *tasks && *update != "" {
		err = replace(*update, "tasks", text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(2)
	}
	if !ok {
		fmt.Fprintln(os.Stderr, "scale: not all goals are met; the table says which")
		os.Exit(1)
	}
}

func replace(file, name string, text []byte) error {
	doc, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if doc, err = bench.Replace(doc, name, text); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, doc, 0o666)
}

// attempts is how often pairs are run that seem to be slow: what another
// program did to them it does not do each time.
const attempts = 3

// pairs runs the benchmark pairs and judges them.
func pairs(packages, only, benchtime string, count int, tolerance float64) (text []byte, ok bool, err error) {
	var all []byte
	var list []pair
	where := strings.Fields(packages)
	for range attempts {
		args := []string{
			"test", "-p", "1", "-run", "^$", "-bench", "^BenchmarkScale$/(" + only + ")", "-timeout", "60m",
			"-benchtime", benchtime, "-count", fmt.Sprint(count),
		}
		cmd := exec.Command("go", append(args, where...)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, false, fmt.Errorf("%v: %w\n%s", cmd.Args, err, failures(out))
		}
		all = append(all, out...)
		list = readPairs(all)
		if len(list) == 0 {
			return nil, false, fmt.Errorf("no benchmark pairs in %s", packages)
		}
		if only, where = slow(list, tolerance); len(where) == 0 {
			break
		}
	}
	text = fmt.Appendf(nil, "%d benchmark pairs, %s, the fastest of %d runs or more, tolerance %g.\n\n", len(list), runtime.Version(), count, tolerance)
	table, ok := judge(list, tolerance)
	return append(text, table.Markdown()...), ok, nil
}

// failures are the lines of go test's output that say what went wrong.
func failures(out []byte) []byte {
	var b []byte
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte("ok ")) && !bytes.HasPrefix(line, []byte("?")) {
			b = append(b, line...)
		}
	}
	return b
}
