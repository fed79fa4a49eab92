package abi

import "github.com/ptxabi/ptxabi/internal/core/round"

// entry assigns a valid signature of a kernel.
//
//	constant bank   0          base                        base+Size
//	                ├──────────┼───────────┬─────┬─────────┼────────
//	                │ driver's │ parameter │ gap │ param…  │
//	                ├──────────┼───────────┴─────┴─────────┼────────
//	alignments      └─ count from here, or
//	                           └─ from here
func (a *Assignment) entry(sig Signature, t *Target, why *Explanation) ErrorList {
	var errs ErrorList
	k := &t.Kernel

	// K1: the size that is compared with the limits.
	limit := max(k.MaxParams, k.LargeParams)
	fit := blockCursor{handleAlign: k.HandleAlign}
	for i, v := range sig.Params {
		if fit.place(v); fit.pos > limit {
			errs.add(i, false, TooLarge, "ends at byte %d of the parameter block, %s passes at most %d", fit.pos, t.Name, limit)
			return errs
		}
	}

	// K2: the base, and the byte from which alignments count.
	base, absolute, large := k.ParamBase, k.AbsoluteAlign, fit.pos > k.MaxParams
	if large {
		base, absolute = k.LargeBase, k.LargeAbsoluteAlign
	}
	cur := blockCursor{handleAlign: k.HandleAlign}
	if absolute {
		cur.origin = base
	}

	code := cur                    // the places that the kernel's code reads: as if there were no handles
	for i, v := range sig.Params { // K3
		pl, cursor := place(v), cur.pos
		off := cur.place(v)
		if v.Kind == Data && v.Size > 0 {
			if read := code.place(v); read != off && k.HandleDispute != "" {
				errs.add(i, false, Disputed, "stands after a handle: %s: %#x and %#x here; an alignment of %d makes them one",
					k.HandleDispute, base+off, base+read, k.HandleAlign)
			}
			pl.Loc = Loc{Kind: InConst, Bank: k.ParamBank, Off: base + off}
		}
		a.Params = append(a.Params, pl)
		why.inBlock(pl, v.Kind, cursor, cur, k, large)
	}

	if len(errs) > 0 {
		return errs
	}

	size := cur.dataEnd // K4
	if k.HandleExtends {
		size = cur.pos
	}
	if k.Dispute != "" && fit.pos <= k.MaxParams && size > k.MaxParams { // K5
		errs.add(-1, false, Disputed,
			"the parameter block takes %d bytes when alignments count from its start and %d when they count from the constant bank's, on either side of %d: %s",
			fit.pos, size, k.MaxParams, k.Dispute)
		return errs
	}
	a.Block = Block{Bank: k.ParamBank, Base: base, Size: size}
	why.block(a, fit.pos, k, large)
	return nil
}

// A blockCursor lays values out one after the other.
type blockCursor struct {
	origin      int // alignments count from so many bytes before the block's start
	handleAlign int
	pos         int // the end of the last value, handles included
	dataEnd     int // the end of the last value that has bytes
}

// place puts v after the values so far, and returns its offset.
func (c *blockCursor) place(v Value) int {
	if v.Kind == Opaque {
		c.pos = round.Up(c.origin+c.pos, c.handleAlign) - c.origin
		return c.pos
	}
	if v.Size == 0 {
		return c.pos
	}
	off := round.Up(c.origin+c.pos, max(v.Align, 1)) - c.origin
	c.pos = off + v.Size
	c.dataEnd = c.pos
	return off
}
