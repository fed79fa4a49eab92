package places

import (
	"errors"
	"slices"

	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
)

// maxSteps bounds the steps that reducing one difference takes.
const maxSteps = 40

// reduce makes the signature of a difference smaller as long as it shows a
// difference of the same kind, and fills in what ptxas says of it.
func (c *comparison) reduce(d *Difference) error {
	best := d.Signature
	for range maxSteps {
		smaller, err := c.firstAlike(d, best.Smaller())
		if err != nil {
			return err
		}
		if smaller == nil {
			break
		}
		best = smaller
	}
	p := newTrial(best, d.Index)
	if err := c.batch([]*trial{p}); err != nil {
		return err
	}
	d.Signature, d.Mismatches, d.Err, d.PTX, d.SASS = p.Function, p.mismatches, p.err, p.ptx, p.sass
	return nil
}

// firstAlike returns the first of several signatures that shows a difference of
// the kind of d; nil when none does. Where ptxas refuses, it gets one at a time,
// since one that is refused hides the others.
func (c *comparison) firstAlike(d *Difference, sigs []*abitest.Function) (*abitest.Function, error) {
	size := batchSize
	if errors.As(d.Err, new(*oracle.RefusedError)) {
		size = 1
	}
	for chunk := range slices.Chunk(sigs, size) {
		var batch []*trial
		for i, s := range chunk {
			batch = append(batch, newTrial(s, i))
		}
		if err := c.batch(batch); err != nil {
			return nil, err
		}
		for _, p := range batch {
			if (p.err != nil) == (d.Err != nil) && (p.mismatches != nil) == (d.Mismatches != nil) && !p.skipped {
				return p.Function, nil
			}
		}
	}
	return nil, nil
}

// withoutVectors is a copy of s with arrays of the same size and alignment in
// place of vectors.
func withoutVectors(s *abitest.Function) *abitest.Function {
	s = s.Clone()
	for i, f := range s.Params {
		s.Params[i] = arrayOf(f)
	}
	if s.Result != nil {
		*s.Result = arrayOf(*s.Result)
	}
	return s
}

// arrayOf is f, or an array in place of a vector.
func arrayOf(f abitest.Formal) abitest.Formal {
	if f.Vec == 0 {
		return f
	}
	v := f.Value()
	return abitest.Formal{Type: "b8", Len: v.Size, Align: v.Align}
}
