package places

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/internal/lab/probe"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Difference is one signature on which ptxas and Assign differ, or which
// could not be compared.
type Difference struct {
	Setting
	// Index says which signature of the seed showed it; Signature is the smallest one
	// found that still does.
	Index     int
	Signature *abitest.Function
	// Mismatches are the parts placed differently; empty where Err is set.
	Mismatches []Mismatch
	// Err says why there was nothing to compare: ptxas or Assign refuses the
	// signature, or the machine does not follow the code.
	Err error
	// PTX and SASS are the probe of Signature and what ptxas makes of it; SASS
	// is "" where ptxas refuses.
	PTX, SASS string
}

// String returns everything in d as several lines.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ptxas %s, %s, seed %d, signature %d: %s\n", d.Release, d.target(), d.Seed, d.Index, d.Signature)
	if d.Err != nil {
		fmt.Fprintf(&b, "not compared: %v\n", d.Err)
	}
	for _, m := range d.Mismatches {
		fmt.Fprintf(&b, "%s\n", m)
	}
	fmt.Fprintf(&b, "\n%s\n%s", d.PTX, d.SASS)
	return b.String()
}

// A Setting identifies a comparison.
type Setting struct {
	Release string // of the assembler: "12.4.131"
	Target  string
	Narrow  bool   // addresses have 32 bits
	Level   string // "-O0"; "" for -O1
	Seed    uint64 // of [abitest.Random]
}

// target names the target and the options: "sm_80 with 32-bit addresses at -O0".
func (s *Setting) target() string {
	target := s.Target
	if s.Narrow {
		target += " with 32-bit addresses"
	}
	if s.Level != "" {
		target += " at " + s.Level
	}
	return target
}

// A Report is the result of a comparison.
type Report struct {
	Setting
	// Signatures were compared, with so many Pieces: accesses to formals, on
	// both sides of a call. Skipped ones are those that Assign answers with
	// abi.Disputed.
	Signatures, Pieces, Skipped int
	// Differences are in order of the signatures' indexes. Only the first few
	// are reduced to a small signature.
	Differences []*Difference
}

// String returns a line such as "compared 1000 signatures (9000 pieces) with
// ptxas 12.4.131 on sm_80: 0 differences".
func (r *Report) String() string {
	s := fmt.Sprintf("compared %d signatures (%d pieces) with ptxas %s on %s: %d differences", r.Signatures, r.Pieces, r.Release, r.target(), len(r.Differences))
	if r.Skipped > 0 {
		s += fmt.Sprintf(", %d disputed ones skipped", r.Skipped)
	}
	return s
}

const (
	batchSize  = 500 // signatures in a module, at most
	maxReduced = 3   // differences of a report that are reduced
	// wholeEvery is how many signatures there are to one of which every word is
	// accessed. Of the others it is three parts of each formal, which tells where
	// it lies and that it is in one piece, at half of the cost.
	wholeEvery = 8
)

// A Task is a comparison to make.
type Task struct {
	Assembler *oracle.Toolkit
	Target    *abi.Target // the row that is held against the assembler
	Narrow    bool        // with addresses of 32 bits, which not every release has for a target
	Level     string      // of optimisation: "-O0"; "" for -O1
	Seed      uint64      // of [abitest.Random]
	N         int         // how many signatures
	// Workers is how many modules are assembled at a time; 0 for one.
	Workers int
}

// Compare assembles the first N signatures of a seed for a target and compares
// where ptxas keeps every part of every formal with what abi.Assign says of the
// row. The error says that the tools do not run; what they answer is in the
// report.
//
// ptxas 11.8 makes instructions that no disassembler reads of loads into elements
// of vector registers, with 32-bit addresses on sm_80 and later. Where addresses
// have 32 bits and code is not read, arrays take the place of vectors.
func Compare(ctx context.Context, t Task) (*Report, error) {
	sigs := make([]*abitest.Function, t.N)
	d := abitest.DialectOf(t.Target, t.Assembler.PTX)
	for i := range sigs {
		sigs[i] = abitest.Random(t.Seed, i, d)
	}
	r, err := CompareAll(ctx, t, sigs)
	if t.Narrow && errors.As(err, new(*oracle.DisassembleError)) {
		for i := range sigs {
			sigs[i] = withoutVectors(sigs[i])
		}
		return CompareAll(ctx, t, sigs)
	}
	return r, err
}

// CompareAll is Compare for given signatures; differences name Seed.
func CompareAll(ctx context.Context, t Task, sigs []*abitest.Function) (*Report, error) {
	c := &comparison{ctx, t}
	probes := make([]*trial, len(sigs))
	for i, s := range sigs {
		probes[i] = newTrial(s, i)
		if i%wholeEvery != 0 {
			probes[i].Thin()
		}
	}
	if err := c.inBatches(probes, max(t.Workers, 1)); err != nil {
		return nil, err
	}
	r := &Report{Setting: Setting{t.Assembler.Release(), t.Target.Name, t.Narrow, t.Level, t.Seed}}
	for _, p := range probes {
		switch {
		case p.skipped:
			r.Skipped++
			continue
		case p.err == nil:
			r.Signatures++
			r.Pieces += p.pieces
		}
		if p.err != nil || p.mismatches != nil {
			r.Differences = append(r.Differences, &Difference{Setting: r.Setting, Index: p.N, Signature: p.Function, Mismatches: p.mismatches, Err: p.err})
		}
	}
	for _, diff := range r.Differences[:min(maxReduced, len(r.Differences))] {
		if err := c.reduce(diff); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// inBatches compares probes, several modules at a time. The error is that of
// the first batch that has one.
func (c *comparison) inBatches(probes []*trial, workers int) error {
	size := min(batchSize, max(1, (len(probes)+workers-1)/workers))
	batches := slices.Collect(slices.Chunk(probes, size))
	errs := make([]error, len(batches))
	slots := make(chan struct{}, workers)
	var wait sync.WaitGroup
	for i, batch := range batches {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			errs[i] = c.batch(batch)
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// A trial is a probe and what comparing it gave.
type trial struct {
	*probe.Probe
	outcome
}

func newTrial(f *abitest.Function, n int) *trial { return &trial{Probe: probe.New(f, n)} }

// moduleOf returns the PTX of several probes.
func moduleOf(trials []*trial, target string, version ptx.Version, narrow bool) string {
	probes := make([]*probe.Probe, len(trials))
	for i, t := range trials {
		probes[i] = t.Probe
	}
	return probe.Module(probes, target, version, narrow)
}

// An outcome is the result of comparing a probe. The zero outcome is that of one
// that was not compared.
type outcome struct {
	assignment abi.Assignment
	pieces     int
	mismatches []Mismatch
	skipped    bool   // Assign returns abi.Disputed: there is no one answer
	err        error  // why there is nothing to compare
	ptx, sass  string // of a probe that was compiled alone
}

// A comparison is an assembler and the row that it is held against.
type comparison struct {
	ctx context.Context
	Task
}

// batch compares probes, which have distinct numbers, and leaves in each what
// came out. It splits a batch that ptxas refuses.
func (c *comparison) batch(batch []*trial) error {
	var asked []*trial
	for _, p := range batch {
		p.outcome = outcome{}
		if p.assignment, p.err = abi.Assign(p.Function.ABI(), c.Target); p.err == nil {
			asked = append(asked, p)
			continue
		}
		var e *abi.Error
		if errors.As(p.err, &e) && e.Code == abi.Disputed {
			p.skipped, p.err = true, nil
		}
	}
	return c.compile(asked)
}

func (c *comparison) compile(batch []*trial) error {
	if len(batch) == 0 {
		return nil
	}
	ptx := moduleOf(batch, c.Target.Name, c.Assembler.PTX, c.Narrow)
	var options []string
	if c.Narrow {
		options = append(options, oracle.NarrowOption)
	}
	if c.Level != "" {
		options = append(options, c.Level)
	}
	cubin, err := c.Assembler.Assemble(c.ctx, ptx, c.Target.Name, options...)
	var refused *oracle.RefusedError
	if errors.As(err, &refused) {
		if len(batch) == 1 {
			batch[0].ptx, batch[0].err = ptx, refused
			return nil
		}
		half := len(batch) / 2
		if err := c.compile(batch[:half]); err != nil {
			return err
		}
		return c.compile(batch[half:])
	}
	if err != nil {
		return err
	}
	sass, err := c.Assembler.Disassemble(c.ctx, cubin, c.Target.Name)
	if err != nil {
		return err
	}
	if len(batch) == 1 {
		batch[0].ptx, batch[0].sass = ptx, sass
	}
	return examine(batch, c.Target, c.Narrow, sass)
}

// examine compares the disassembly of probes with their assignments. The error
// says that it is no disassembly.
func examine(batch []*trial, target *abi.Target, narrow bool, sass string) error {
	byName, err := symexec.Parse(sass)
	if err != nil {
		return err
	}
	for _, p := range batch {
		p.examine(byName, target, narrow)
	}
	return nil
}

// keptBy returns the general registers that a call of a function leaves alone.
func keptBy(s *abitest.Function, target *abi.Target) abi.RegSet {
	return target.RegsWith(s.Preserve).CalleeSaved
}

// examine compares the functions of one probe.
func (p *trial) examine(listings map[string]*symexec.Listing, target *abi.Target, narrow bool) {
	names := []string{p.Callee(), p.Caller()}
	if p.Function.Kernel {
		names = []string{p.Kernel()}
	}
	base := probe.Base(narrow)
	for i, name := range names {
		l := listings[name]
		if l == nil {
			p.err = fmt.Errorf("%s: not in the disassembly", name)
			return
		}
		tr, err := symexec.Run(l, keptBy(p.Function, target), target, narrow)
		if err != nil {
			p.err = err
			return
		}
		var v *verdict
		if i == 0 {
			v = p.compareCallee(tr, &p.assignment, base)
		} else if v, err = p.compareCaller(tr, &p.assignment, base); err != nil {
			p.err = err
			return
		}
		p.pieces += v.pieces
		p.mismatches = append(p.mismatches, v.mismatches...)
	}
}
