// Ptxmeasure holds what ptxabi says against NVIDIA's assembler, where it is installed:
//
//	go run ./internal/lab/ptxmeasure -h
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const help = `usage: ptxmeasure [flags]

Ptxmeasure holds what ptxabi says against NVIDIA's assembler, on a machine that has
one: it draws random signatures, compiles a callee and a caller or a kernel for
each, follows every byte of every parameter and result through the disassembly,
and compares the places with those that "ptxabi assign" names. It needs ptxas and
nvdisasm, and no GPU. Nothing is opened of them but their output.

Each line that it prints is one toolkit and one target: the seed, how many
signatures and pieces of them were compared, how many were left out because the
assembler's releases contradict each other, and how many differ or could not be
followed through the disassembly. A difference is made as small as possible and printed with both answers, its PTX and its SASS.
A target that was not measured before is compared with what "ptxabi assign -assume" takes over.

  -oracle DIR    look for toolkits in this folder, or list of folders, alone;
                 otherwise in those of PTXABI_ORACLE, on PATH and in the usual
                 places
  -target SM     only this target; otherwise all of all toolkits. Where a toolkit
                 has 32-bit addresses too, those are compared as well
  -seed N        another seed is other signatures; 1 without the flag
  -n N           signatures for each target; 100 without the flag
  -level N       level of optimisation of the assembler, 0 to 3; 1 without the
                 flag. Lines of another level end with it: -O0

Progress is shown on standard error where that is a terminal. Exit status: 0 no
difference; 1 differences; 2 usage, no toolkit, or tools that do not run: also
where nothing was compared, or a disassembler failed on code for 64-bit addresses.

Examples:

  ptxmeasure
  ptxmeasure -oracle /usr/local/cuda-13.0 -n 5000
  ptxmeasure -target sm_120 -seed 7 -n 1000
  ptxmeasure -target sm_35 -level 0
`

// A console is where a run prints.
type console struct {
	stdout, stderr io.Writer
	terminal       bool // stderr is one
}

// errDifferences says that there are differences and that they have been printed.
var errDifferences = errors.New("there are differences")

func main() {
	c := console{stdout: os.Stdout, stderr: os.Stderr}
	if info, err := os.Stderr.Stat(); err == nil {
		c.terminal = info.Mode()&os.ModeCharDevice != 0
	}
	os.Exit(run(os.Args[1:], c))
}

// run runs the program and returns its exit status.
func run(args []string, c console) int {
	err := measure(args, c)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errDifferences):
		return 1
	case errors.Is(err, flag.ErrHelp):
		if _, err = io.WriteString(c.stdout, help); err == nil {
			return 0
		}
	}
	fmt.Fprintf(c.stderr, "ptxmeasure: %v\n", err)
	return 2
}

// usage says what is wrong with the command line.
func usage(format string, args ...any) error {
	return fmt.Errorf(format+`; see "ptxmeasure -h"`, args...)
}

func measure(args []string, c console) error {
	set := flag.NewFlagSet("ptxmeasure", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	target := set.String("target", "", "")
	dirs := set.String("oracle", "", "")
	seed := set.Uint64("seed", 1, "")
	n := set.Int("n", 100, "")
	level := set.Int("level", 1, "")
	if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usage("%w", err)
	}
	given := make(map[string]bool)
	set.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case set.NArg() > 0:
		return usage("%s is not a flag; it reads no file", set.Arg(0))
	case given["oracle"] && *dirs == "":
		return usage("-oracle is empty")
	case given["target"] && *target == "":
		return usage("-target is empty")
	case *n < 1:
		return usage("-n is %d, expected 1 or more", *n)
	case *level < 0 || *level > 3:
		return usage("-level is %d, expected 0, 1, 2 or 3", *level)
	}
	tools, err := findTools(*dirs)
	if err != nil {
		return err
	}
	pairs, err := pairsOf(tools, *target)
	if err != nil {
		return err
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m := &measurement{console: c, pairs: pairs, seed: *seed, n: *n}
	if *level != 1 {
		m.level = fmt.Sprintf("-O%d", *level)
	}
	err = m.run(ctx)
	if ctx.Err() != nil {
		return errors.New("interrupted; the lines that are there hold")
	}
	return err
}
