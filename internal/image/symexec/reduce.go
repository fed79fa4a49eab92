package symexec

import (
	"errors"
	"slices"
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
	p := newProbe(best, d.Index)
	if err := c.batch([]*probe{p}); err != nil {
		return err
	}
	d.Signature, d.Mismatches, d.Err, d.PTX, d.SASS = p.sig, p.mismatches, p.err, p.ptx, p.sass
	return nil
}

// firstAlike returns the first of several signatures that shows a difference of
// the kind of d; nil when none does. Where ptxas refuses it asks one by one,
// since one that is refused hides the others.
func (c *comparison) firstAlike(d *Difference, sigs []*Signature) (*Signature, error) {
	size := batchSize
	var refused refusal
	if errors.As(d.Err, &refused) {
		size = 1
	}
	for chunk := range slices.Chunk(sigs, size) {
		var batch []*probe
		for i, s := range chunk {
			batch = append(batch, newProbe(s, i))
		}
		if err := c.batch(batch); err != nil {
			return nil, err
		}
		for _, p := range batch {
			if (p.err != nil) == (d.Err != nil) && (p.mismatches != nil) == (d.Mismatches != nil) && !p.skipped {
				return p.sig, nil
			}
		}
	}
	return nil, nil
}
