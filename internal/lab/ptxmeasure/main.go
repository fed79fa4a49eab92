// Ptxmeasure holds what ptxabi says against NVIDIA's assembler, on a machine that has one:
//
//	go run ./internal/lab/ptxmeasure [-oracle DIR] [-target SM] [-seed N] [-n N] [-level N]
//	go run ./internal/lab/ptxmeasure -target sm_120 -seed 7 -n 1000
//
// It draws random signatures, compiles a callee and a caller or a kernel for
// each, follows every byte of every parameter and result through the disassembly,
// and compares the places with those that "ptxabi assign" names. It needs ptxas and
// nvdisasm, and no GPU. Nothing is opened of them but their output.
//
// Each line that it prints is one toolkit and one target: the seed, how many
// signatures and pieces of them were compared, how many were left out because the
// assembler's releases contradict each other, and how many differ or could not be
// followed through the disassembly. A difference is made as small as possible and printed with both answers, its PTX and
// its SASS. A target that was not measured before is compared with what "ptxabi assign -assume" takes over. Where a toolkit
// has 32-bit addresses too, those are compared as well. Lines of another level than 1 end with it: -O0.
//
// Exit status: 0 no difference; 1 differences; 2 usage, no toolkit, or tools that do not run: also
// where nothing was compared, or a disassembler failed on code for 64-bit addresses.
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

	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// errDifferences says that there are differences and that they have been printed.
var errDifferences = errors.New("there are differences")

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the program and returns its exit status.
func run(args []string, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("ptxmeasure", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() {
		fmt.Fprintln(stderr, "Ptxmeasure holds what ptxabi says against NVIDIA's assembler: go doc ./internal/lab/ptxmeasure says how.")
		set.PrintDefaults()
	}
	dirs := set.String("oracle", "", "look for toolkits in this `folder`, or list of folders, alone; otherwise in those of PTXABI_ORACLE, on PATH and in the usual places")
	target := set.String("target", "", "only this `target`; otherwise all of all toolkits")
	seed := set.Uint64("seed", 1, "another seed is other signatures")
	n := set.Int("n", 100, "signatures for each target")
	level := set.Int("level", 1, "level of optimisation of the assembler, 0 to 3")
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil: // which is printed
		return 2
	}
	err := func() error {
		switch {
		case set.NArg() > 0:
			return fmt.Errorf("%s is not a flag; it reads no file", set.Arg(0))
		case *n < 1:
			return fmt.Errorf("-n is %d, expected 1 or more", *n)
		case *level < 0 || *level > 3:
			return fmt.Errorf("-level is %d, expected 0, 1, 2 or 3", *level)
		}
		tools, err := oracle.Find()
		if *dirs != "" {
			tools, err = oracle.FindIn("-oracle", *dirs)
		}
		if err != nil {
			return err
		}
		pairs, err := pairsOf(tools, *target)
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		m := &measurement{out: stdout, pairs: pairs, seed: *seed, n: *n}
		if *level != 1 {
			m.level = fmt.Sprintf("-O%d", *level)
		}
		err = m.run(ctx)
		if ctx.Err() != nil {
			return errors.New("interrupted; the lines that are there hold")
		}
		return err
	}()
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errDifferences):
		return 1
	}
	fmt.Fprintf(stderr, "ptxmeasure: %v\n", err)
	return 2
}
