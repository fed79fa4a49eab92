package oracle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
)

// A Difference is one signature on which ptxas and Assign differ, or which
// could not be compared.
type Difference struct {
	Toolkit Version
	Target  string
	// Seed and Index say which signature of [Random] showed it; Signature is
	// the smallest one found that still does.
	Seed      uint64
	Index     int
	Signature *Signature
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
	fmt.Fprintf(&b, "ptxas %s, %s, seed %d, signature %d: %s\n", d.Toolkit, d.Target, d.Seed, d.Index, d.Signature)
	if d.Err != nil {
		fmt.Fprintf(&b, "not compared: %v\n", d.Err)
	}
	for _, m := range d.Mismatches {
		fmt.Fprintf(&b, "%s\n", m)
	}
	fmt.Fprintf(&b, "\n%s\n%s", d.PTX, d.SASS)
	return b.String()
}

// A Report is what a comparison gave.
type Report struct {
	Toolkit Version
	Target  string
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
	s := fmt.Sprintf("compared %d signatures (%d pieces) with ptxas %s on %s: %d differences",
		r.Signatures, r.Pieces, r.Toolkit, r.Target, len(r.Differences))
	if r.Skipped > 0 {
		s += fmt.Sprintf(", %d disputed ones skipped", r.Skipped)
	}
	return s
}

const (
	batchSize  = 100 // signatures in a module
	maxReduced = 3   // differences of a report that are reduced
)

// Compare assembles the first n signatures of a seed for a target and compares
// where ptxas keeps every part of every formal with what abi.Assign says of the
// row target. The error says that the tools do not run; what they answer is in
// the report.
func Compare(ctx context.Context, tk *Toolkit, target *abi.Target, seed uint64, n int) (*Report, error) {
	sigs := make([]*Signature, n)
	d := dialect(tk, target)
	for i := range sigs {
		sigs[i] = Random(seed, i, d)
	}
	return CompareAll(ctx, tk, target, seed, sigs)
}

// CompareAll is Compare for given signatures; seed is what differences name.
func CompareAll(ctx context.Context, tk *Toolkit, target *abi.Target, seed uint64, sigs []*Signature) (*Report, error) {
	c := &comparison{ctx: ctx, tk: tk, target: target}
	r := &Report{Toolkit: tk.Version, Target: target.Name}
	for first := 0; first < len(sigs); first += batchSize {
		var batch []*probe
		for i := first; i < min(first+batchSize, len(sigs)); i++ {
			batch = append(batch, newProbe(sigs[i], i))
		}
		if err := c.batch(batch); err != nil {
			return nil, err
		}
		for _, p := range batch {
			switch {
			case p.skipped:
				r.Skipped++
				continue
			case p.err == nil:
				r.Signatures++
				r.Pieces += p.pieces
			}
			if p.err != nil || p.mismatches != nil {
				r.Differences = append(r.Differences, &Difference{
					Toolkit: tk.Version, Target: target.Name, Seed: seed, Index: p.n,
					Signature: p.sig, Mismatches: p.mismatches, Err: p.err,
				})
			}
		}
	}
	for i, diff := range r.Differences {
		if i == maxReduced {
			break
		}
		if err := c.reduce(diff); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// A comparison is a toolkit and the row that it is held against.
type comparison struct {
	ctx    context.Context
	tk     *Toolkit
	target *abi.Target
}

// batch compares probes, which have distinct numbers, and leaves in each what
// came out. It splits a batch that ptxas refuses.
func (c *comparison) batch(batch []*probe) error {
	var asked []*probe
	for _, p := range batch {
		p.outcome = outcome{}
		var as abi.Assignment
		if as, p.err = abi.Assign(p.sig.ABI(), c.target); p.err == nil {
			p.assignment = as
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

func (c *comparison) compile(batch []*probe) error {
	if len(batch) == 0 {
		return nil
	}
	ptx := module(batch, c.target.Name, c.tk.PTX)
	cubin, err := c.tk.Assemble(c.ctx, ptx, c.target.Name)
	var refused *AssembleError
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
	sass, err := c.tk.Disassemble(c.ctx, cubin, c.target.Name)
	if err != nil {
		return err
	}
	if len(batch) == 1 {
		batch[0].ptx, batch[0].sass = ptx, sass
	}
	return examine(batch, c.target, sass)
}

// examine compares the disassembly of probes with their assignments. The error
// says that it is no disassembly.
func examine(batch []*probe, target *abi.Target, sass string) error {
	listings, err := parseListing(sass)
	if err != nil {
		return fmt.Errorf("disassembly: %w", err)
	}
	byName := make(map[string]*listing, len(listings))
	for _, l := range listings {
		byName[l.name] = l
	}
	for _, p := range batch {
		p.examine(byName, target)
	}
	return nil
}

// examine compares the functions of one probe.
func (p *probe) examine(listings map[string]*listing, target *abi.Target) {
	names := []string{p.callee(), p.caller()}
	if p.sig.Kernel {
		names = []string{p.kernel()}
	}
	for i, name := range names {
		l := listings[name]
		if l == nil {
			p.err = fmt.Errorf("%s: not in the disassembly", name)
			return
		}
		tr, err := run(l, target)
		if err != nil {
			p.err = err
			return
		}
		var v *verdict
		if i == 0 {
			v = p.compareCallee(tr, &p.assignment)
		} else if v, err = p.compareCaller(tr, &p.assignment); err != nil {
			p.err = err
			return
		}
		p.pieces += v.pieces
		p.mismatches = append(p.mismatches, v.mismatches...)
	}
}
