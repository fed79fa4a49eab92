package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/lab/places"
)

// A pair is a toolkit and one of its targets.
type pair struct {
	toolkit *oracle.Toolkit
	name    string
	row     *abi.Target // nil where missing says why it is not compared
	missing string
}

// known returns the row of an architecture that exists, measured or not.
func known(name string) (*abi.Target, error) {
	if _, err := abi.Lookup(name); errors.As(err, new(*abi.UnknownTargetError)) {
		return nil, err
	}
	return abi.Assume(name)
}

// pairsOf returns the pairs to be compared, those of one target or, for "", all.
func pairsOf(tools *oracle.Tools, target string) ([]pair, error) {
	if len(tools.Toolkits) == 0 {
		return nil, errors.New(oracle.NotFound)
	}
	wanted := ""
	if target != "" {
		row, err := known(target)
		if err != nil {
			return nil, err
		}
		wanted = row.Name
	}
	var all []pair
	for _, tk := range tools.Toolkits {
		for _, name := range tk.Targets {
			if wanted != "" && name != wanted {
				continue
			}
			p := pair{toolkit: tk, name: name}
			row, err := known(name)
			switch {
			case err != nil:
				p.missing = "ptxabi does not know this target"
			case !tk.Measures(name):
				p.missing = "no nvdisasm for it"
			default:
				p.row = row
			}
			all = append(all, p)
		}
	}
	if all == nil {
		return nil, fmt.Errorf("no ptxas found assembles for %s", wanted)
	}
	return all, nil
}

// A measurement is one run of the command.
type measurement struct {
	out   io.Writer
	pairs []pair
	seed  uint64
	n     int
	level string // "-O0"; "" for -O1
}

func (m *measurement) run(ctx context.Context) error {
	head, tail := "ptxas     target   bits  seed  signatures  pieces   disputed  differences", ""
	if m.level != "" {
		head, tail = head+"  level", "            "+m.level
	}
	fmt.Fprintln(m.out, head)
	differ, compared := false, false
	var unread []string // pairs whose code the disassembler for them does not read
	for _, p := range m.pairs {
		if p.row == nil {
			fmt.Fprintf(m.out, "%-9s %-8s %-4d  not compared: %s\n", p.toolkit.Version, p.name, 64, p.missing)
			continue
		}
		narrow, err := p.toolkit.Narrow(ctx, p.name)
		if err != nil {
			return err
		}
		for _, bits := range []int{64, 32} {
			if bits == 32 && !narrow {
				continue
			}
			r, err := places.Compare(ctx, places.Task{
				Assembler: p.toolkit, Target: p.row, Narrow: bits == 32, Level: m.level, Seed: m.seed, N: m.n, Workers: runtime.GOMAXPROCS(0),
			})
			if fails := (*oracle.DisassembleError)(nil); errors.As(err, &fails) {
				fmt.Fprintf(m.out, "%-9s %-8s %-4d  not compared: %v\n", p.toolkit.Version, p.name, bits, fails)
				if bits == 64 {
					unread = append(unread, fmt.Sprintf("%s of %s", p.name, p.toolkit.Version))
				}
				continue
			}
			if err != nil {
				return err
			}
			compared = true
			differ = differ || len(r.Differences) > 0
			fmt.Fprintf(m.out, "%-9s %-8s %-4d  %-4d  %-10d  %-7d  %-8d  %d%s\n",
				r.Release, r.Target, bits, r.Seed, r.Signatures, r.Pieces, r.Skipped, len(r.Differences), tail)
			m.differences(r)
		}
	}
	switch {
	case differ:
		return errDifferences
	case unread != nil:
		return fmt.Errorf("nvdisasm fails on code for %s", strings.Join(unread, ", "))
	case !compared:
		return errors.New("nothing was compared: the lines say why")
	}
	return nil
}

// maxShown bounds how many differences of a pair are printed.
const maxShown = 3

func (m *measurement) differences(r *places.Report) {
	for i, d := range r.Differences {
		if i == maxShown {
			fmt.Fprintf(m.out, "\nand %d more\n\n", len(r.Differences)-i)
			return
		}
		fmt.Fprintf(m.out, "\n%s\n", strings.TrimRight(d.String(), "\n"))
	}
	if r.Differences != nil {
		fmt.Fprintln(m.out)
	}
}
