package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/lab/places"
)

// findTools returns the tools in a list of folders, or everywhere for "".
func findTools(dirs string) (*oracle.Tools, error) {
	find := oracle.Find
	if dirs != "" {
		find = func() (*oracle.Tools, error) { return oracle.FindIn("-oracle", dirs) }
	}
	tools, err := find()
	switch {
	case err != nil:
		return nil, err
	case len(tools.Toolkits) == 0:
		return nil, errors.New(oracle.NotFound)
	}
	return tools, nil
}

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
	console
	pairs []pair
	seed  uint64
	n     int
	level string // "-O0"; "" for -O1

	mu   sync.Mutex // of what progress shows
	done int
}

const measureHead = "ptxas     target   bits  seed  signatures  pieces   disputed  differences\n"

func (m *measurement) run(ctx context.Context) error {
	head, tail := measureHead, ""
	if m.level != "" {
		head, tail = strings.TrimSuffix(head, "\n")+"  level\n", "            "+m.level
	}
	if err := m.print("%s", head); err != nil {
		return err
	}
	differ, compared := false, false
	var unread []string // pairs whose code a disassembler that knows them does not read
	for i, p := range m.pairs {
		if p.row == nil {
			if err := m.print("%-9s %-8s %-4d  not compared: %s\n", p.toolkit.Version, p.name, 64, p.missing); err != nil {
				return err
			}
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
			r, err := m.compare(ctx, i, p, bits)
			if fails := (*oracle.DisassembleError)(nil); errors.As(err, &fails) {
				if err := m.print("%-9s %-8s %-4d  not compared: %v\n", p.toolkit.Version, p.name, bits, fails); err != nil {
					return err
				}
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
			if err := m.print("%-9s %-8s %-4d  %-4d  %-10d  %-7d  %-8d  %d%s\n",
				r.Release, r.Target, bits, r.Seed, r.Signatures, r.Pieces, r.Skipped, len(r.Differences), tail); err != nil {
				return err
			}
			if err := m.differences(r); err != nil {
				return err
			}
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

// compare compares one pair and shows how far it is.
func (m *measurement) compare(ctx context.Context, i int, p pair, bits int) (*places.Report, error) {
	m.done = 0
	title := fmt.Sprintf("%s, %s with %d-bit addresses (%d of %d)", p.toolkit, p.name, bits, i+1, len(m.pairs))
	m.progress(title, 0)
	defer m.clear()
	return places.Compare(ctx, places.Task{
		Assembler: p.toolkit, Target: p.row, Narrow: bits == 32,
		Level: m.level, Seed: m.seed, N: m.n, Workers: runtime.GOMAXPROCS(0),
		Done: func(n int) { m.progress(title, n) },
	})
}

// maxShown bounds how many differences of a pair are printed.
const maxShown = 3

func (m *measurement) differences(r *places.Report) error {
	for i, d := range r.Differences {
		if i == maxShown {
			return m.print("\nand %d more\n\n", len(r.Differences)-i)
		}
		if err := m.print("\n%s\n", strings.TrimRight(d.String(), "\n")); err != nil {
			return err
		}
	}
	if r.Differences != nil {
		return m.print("\n")
	}
	return nil
}

func (m *measurement) print(format string, args ...any) error {
	if _, err := fmt.Fprintf(m.stdout, format, args...); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// clearLine is what a terminal erases its current line for.
const clearLine = "\r\x1b[K"

// progress shows, on a terminal, that n more signatures are compared.
func (m *measurement) progress(title string, n int) {
	if !m.terminal {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += n
	_, _ = io.WriteString(m.stderr, fmt.Sprintf("%s%s: %d of %d", clearLine, title, m.done, m.n))
}

func (m *measurement) clear() {
	if m.terminal {
		_, _ = io.WriteString(m.stderr, clearLine)
	}
}
