package abi

// maxBytes is the largest size and alignment. No sum of a position, an
// alignment and a size then overflows an int of 32 bits.
const maxBytes = 1 << 29

// validate returns the errors of sig that leave it without an assignment on every target, and
// the error of a target that is not consistent; nil if there are none.
func validate(sig Signature, t *Target) ErrorList {
	var errs ErrorList
	if sig.Kind == Entry && sig.Preserve.Given {
		errs.add(-1, false, BadPreserve, "a kernel has no .abi_preserve")
	}
	if sig.Kind > Entry {
		errs.add(-1, false, BadKind, "no such kind of function: %d", sig.Kind)
	}
	for i, v := range sig.Results {
		errs.value(i, true, v)
		if sig.Kind == Entry {
			errs.add(i, true, KernelResult, "a kernel has no results")
		} else if v.Kind == Unsized {
			errs.add(i, true, UnsizedPlace, "a result cannot be an unsized array")
		}
	}
	for i, v := range sig.Params {
		errs.value(i, false, v)
		if v.Kind != Unsized {
			continue
		}
		if sig.Kind == Entry {
			errs.add(i, false, UnsizedPlace, "a kernel has no unsized parameters")
		} else if i != len(sig.Params)-1 {
			errs.add(i, false, UnsizedPlace, "an unsized array must be the last parameter")
		}
	}
	if msg := t.flaw(); msg != "" {
		errs.add(-1, false, BadTarget, "%s", msg)
	}
	return errs
}

// value adds the errors of a value by itself.
func (l *ErrorList) value(i int, result bool, v Value) {
	switch v.Kind {
	case Data, Unsized:
	case Opaque:
		return
	default:
		l.add(i, result, BadKind, "no such kind of value: %d", v.Kind)
	}
	if v.Size < 0 || v.Size > maxBytes {
		l.add(i, result, BadSize, "a size of %d bytes is not in 0 … %d", v.Size, maxBytes)
	}
	if v.Align != 0 && !validAlign(v.Align) {
		l.add(i, result, BadAlign, "an alignment of %d bytes is not a power of two in 1 … %d", v.Align, maxBytes)
	}
}

// validAlign reports whether n is a power of two in 1 … maxBytes.
func validAlign(n int) bool { return 0 < n && n <= maxBytes && n&(n-1) == 0 }

// flaw returns the error of a target whose facts are missing or out of range, "" for a good one.
func (t *Target) flaw() string {
	if t == nil || t.Passing == (Passing{}) {
		return "no target"
	}
	p, k := &t.Passing, &t.Kernel
	switch {
	case p.Count < 1 || p.Count > 32 || int(p.First)+p.Count > 255:
		return "the target's parameter registers are out of range"
	case p.MaxAlign < wordSize || p.MaxAlign > 32*wordSize || !validAlign(p.MaxAlign):
		return "the target's largest register alignment is out of range"
	case p.MaxResult < 0 || p.MaxResult > p.Count*wordSize:
		return "the target's largest register result exceeds its parameter registers"
	case p.MaxLocal < 0 || p.MaxLocal > maxBytes:
		return "the target's reach in local memory is out of range"
	case !inBank(k.ParamBase) || !inBank(k.LargeBase) || !inBank(k.MaxParams) || !inBank(k.LargeParams):
		return "the target's parameter block is out of range"
	case !validAlign(k.HandleAlign):
		return "the target's handle alignment is not a power of two"
	}
	return ""
}

// inBank reports whether n is a size or an offset within a constant bank,
// which has 64 KiB.
func inBank(n int) bool { return 0 <= n && n <= 64<<10 }
