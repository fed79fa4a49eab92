// Linkmeasure holds what "ptxabi stack" and "ptxabi link" say against NVIDIA's linkers,
// where they are installed:
//
//	go run ./internal/lab/linkmeasure -h
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

const help = `usage: linkmeasure [flags]

Linkmeasure makes random programs of several files, links them with every linker
that is at hand, and holds what "ptxabi stack" and "ptxabi link" say against what
the linker does. Toolkits are those of PTXABI_ORACLE, on PATH and in the usual
places. Each line that it prints is a linker and what was compared.

  -what WHAT     stacks: the smallest stack that the linker records for each kernel,
                 over call graphs without recursion; pairs: whether it takes two
                 objects, with and without planted disagreement
  -seed N        another seed is other programs; 1 without the flag
  -n N           programs for each linker; 100 without the flag
  -target SM     for that architecture alone; otherwise all from sm_52 on in turn

The exit status is 1 if there is a difference, which is printed with its files.
`

func main() {
	if err := run(); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "linkmeasure:", err)
			os.Exit(1)
		}
	}
}

// A job is a run's options.
type job struct {
	what   string
	seed   uint64
	n      int
	target string
}

func run() error {
	var j job
	set := flag.NewFlagSet("linkmeasure", flag.ContinueOnError)
	set.Usage = func() { fmt.Print(help) }
	set.StringVar(&j.what, "what", "stacks", "")
	set.Uint64Var(&j.seed, "seed", 1, "")
	set.IntVar(&j.n, "n", 100, "")
	set.StringVar(&j.target, "target", "", "")
	if err := set.Parse(os.Args[1:]); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tools, err := oracle.Find()
	if err != nil {
		return err
	}
	if len(tools.Toolkits) == 0 {
		return errors.New(oracle.NotFound)
	}
	measures := map[string]func(context.Context, *linker, job) (string, int, error){"stacks": stacks, "pairs": pairs}
	measure := measures[j.what]
	if measure == nil {
		return fmt.Errorf("-what %q is neither stacks nor pairs", j.what)
	}
	bad := 0
	for _, kit := range tools.Toolkits {
		l, err := newLinker(kit)
		if err != nil {
			return err
		}
		if l == nil {
			continue
		}
		line, differ, err := measure(ctx, l, j)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		bad += differ
		fmt.Printf("%-9s seed %-4d %s, %d differ\n", l.name, j.seed, line, differ)
	}
	if bad > 0 {
		return fmt.Errorf("%d differences", bad)
	}
	return nil
}

// A linker is a toolkit with a linker of its release.
type linker struct {
	*oracle.Toolkit
	name string // "12.4.131"
}

var release = regexp.MustCompile(`\bV(\d+\.\d+\.\d+)\b`)

// number is the release as one: other linkers are given other pairs.
func (l *linker) number() uint64 { return uint64(l.Version.Major*100 + l.Version.Minor) }

// newLinker is nil for a toolkit without a linker of its own.
func newLinker(kit *oracle.Toolkit) (*linker, error) {
	if kit.Nvlink == "" {
		return nil, nil
	}
	out, err := tool(kit.Nvlink, "--version")
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", kit.Nvlink, err)
	}
	m := release.FindStringSubmatch(out)
	if m == nil || m[1] != kit.Version.String() {
		return nil, nil
	}
	return &linker{kit, m[1]}, nil
}

// targets are the architectures that are measured, in turn.
func (l *linker) targets(only string) []string {
	var all []string
	for _, t := range l.Targets {
		if only != "" && t != only || slices.Contains([]string{"sm_35", "sm_37", "sm_50"}, t) || strings.HasPrefix(t, "sm_107") {
			continue
		}
		all = append(all, t)
	}
	return all
}
