package main

import (
	"context"
	"fmt"
	"io"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// A bench runs the experiments.
type bench struct {
	driver  *driver // nil to build alone
	toolkit *oracle.Toolkit
	target  *abi.Target
	seed    uint64
	n       int
	out     io.Writer
}

// A count is the result of an experiment.
type count struct{ cases, bytes, wrong int }

// all runs every experiment and prints a line for each. The error is errWrong
// where something did not arrive.
func (b *bench) all() error {
	fmt.Fprintf(b.out, "%-46s  %5s  %7s  %5s\n", "experiment", "cases", "bytes", "wrong")
	wrong := 0
	for _, x := range []struct {
		name string
		run  func(*count) error
	}{
		{"arguments of a call, seen by words", func(c *count) error { return b.passings(c, false) }},
		{"arguments given by words, seen by a function", func(c *count) error { return b.passings(c, true) }},
		{"records of a kernel, the driver lays out", func(c *count) error { return b.kernels(c, false) }},
		{"records of a kernel, Assign lays out", func(c *count) error { return b.kernels(c, true) }},
	} {
		var c count
		if err := x.run(&c); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		bytes, bad := fmt.Sprint(c.bytes), fmt.Sprint(c.wrong)
		if b.driver == nil {
			bytes, bad = "-", "built" // nothing was launched
		}
		fmt.Fprintf(b.out, "%-46s  %5d  %7s  %5s\n", x.name, c.cases, bytes, bad)
		wrong += c.wrong
	}
	if wrong > 0 {
		return errWrong
	}
	return nil
}

// passings runs calls of random signatures.
func (b *bench) passings(c *count, fromRaw bool) error {
	for i := 0; c.cases < b.n; i++ {
		p := newPassing(b.seed, i, b.target, b.toolkit.PTX, fromRaw)
		if p == nil {
			continue
		}
		kernel, function := p.modules(b.target.Name, b.toolkit.PTX.String())
		l := launch{kernel: kernelName, in: p.in(b.target), outBytes: p.outBytes()}
		wrong := func(out []byte) (int, []string) { return p.wrong(out, b.target) }
		if err := b.one(c, p.sig.String(), l, wrong, kernel, function); err != nil {
			return err
		}
	}
	return nil
}

// kernels runs kernels with random records. Packed says that they are given as
// one block.
func (b *bench) kernels(c *count, packed bool) error {
	for i := range b.n {
		e, err := newRecords(b.seed, i, b.target)
		if err != nil {
			return err
		}
		if err := b.one(c, e.places.String(), e.launch(nil, packed), e.wrong, e.module(b.target.Name, b.toolkit.PTX.String())); err != nil {
			return err
		}
	}
	return nil
}

// one builds a case and launches it, if there is a device, and counts what is wrong in what the kernel writes.
func (b *bench) one(c *count, what string, l launch, wrong func(out []byte) (int, []string), modules ...string) (err error) {
	if l.cubin, err = b.toolkit.Build(context.Background(), b.target.Name, nil, modules...); err != nil {
		return err
	}
	if c.cases++; b.driver == nil {
		return nil
	}
	out, err := b.driver.run(l)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	n, lines := wrong(out)
	if c.bytes += n; lines == nil {
		return nil
	}
	if c.wrong++; c.wrong <= maxShown {
		fmt.Fprintln(b.out, what)
		for _, line := range lines {
			fmt.Fprintln(b.out, "  "+line)
		}
	}
	return nil
}

// launch is how the kernel is run.
func (e *records) launch(cubin []byte, packed bool) launch {
	l := launch{cubin: cubin, kernel: kernelName, params: e.values}
	for _, v := range e.values {
		l.outBytes += len(v)
	}
	if packed {
		l.block, l.where[0] = e.block()
	}
	return l
}

// maxShown is how many wrong cases are shown of an experiment.
const maxShown = 5
