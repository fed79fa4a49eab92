package sel

// extra returns how many instructions cells take that are stored together, and
// do not take on their own: copies of registers whose values are needed later on,
// and moves of a part of a word to where it belongs. Copies of what is not needed
// any longer do not count, and what is in a slot of the frame is loaded either way.
func (fn *Selector) extra(list []cell) int {
	n := 0
	for i := range list {
		if fn.costsExtra(&list[i]) {
			n++
		}
	}
	return n
}

// costsExtra reports whether a cell is such a copy or move. It is asked up to three
// times of each cell.
func (fn *Selector) costsExtra(c *cell) bool {
	if c.cost == notAsked {
		c.cost = free
		if r, ok := c.inPlace(); ok && !fn.InSpills(r) && !fn.dies(r) {
			c.cost = costs
		} else if _, size := c.part(); size > 0 {
			c.cost = costs
		}
	}
	return c.cost == costs
}

// paired reports whether the first two cells are stored together although that
// takes as many instructions as two stores, or one more: memory is accessed once
// then. To do so wherever it makes no difference would be more copies than ptxas
// makes. It is done
//
//   - where one of the two is made for the store anyway, of a constant or out of a
//     slot, or is not needed any longer, and a copy of the other takes the place of
//     a store;
//   - where both are the same register, which cannot lie beside itself;
//   - where the two are a value of two words.
func (fn *Selector) paired(list []cell) bool {
	first, ok1 := list[0].inPlace()
	second, ok2 := list[1].inPlace()
	return ok1 && ok2 && (first == second || len(list) == 2 && list[0].off == 0) ||
		fn.extra(list[:2]) < 2 && (fn.passing(&list[0]) || fn.passing(&list[1]))
}

// passing reports whether a cell is a constant, in a slot, or in a register that is
// not needed any longer.
func (fn *Selector) passing(c *cell) bool {
	if _, ok := c.w.value(); ok && c.op == "" {
		return true
	}
	_, ok := c.inPlace()
	return ok && !fn.costsExtra(c)
}

// part returns which bytes of a whole word have a value, if that is a part of it
// after its first byte that can be stored as it is: the lowest bytes of a
// register. The size is 0 for all others.
func (c *cell) part() (at, size int) {
	if c.size != 4 || c.op != "" || c.w.n != 1 {
		return 0, 0
	}
	for i, f := range c.w.from {
		switch {
		case f.kind() == undefined:
		case f.kind() != taken:
			return 0, 0
		case size == 0 && f.val() == 0 && i > 0:
			at, size = i, 1
		case at+size == i && size > 0 && int(f.val()) == size:
			size++
		default:
			return 0, 0
		}
	}
	if at == 0 || size == 2 && at != 2 || size > 2 {
		return 0, 0
	}
	return at, size
}

// narrow leaves size bytes from byte at on of a cell.
func (c *cell) narrow(at, size int) {
	src := c.w.srcs[0]
	c.w = word{}
	c.w.whole(size, src)
	c.off, c.size = c.off+at, size
	if c.s.Name != "" {
		c.s.First += int32(at)
		c.s.End = c.s.First + int32(size)
	}
}

// narrower returns how many stores cells of whole words take that are not stored
// together.
func (fn *Selector) narrower(list []cell) int {
	if len(list) == 2 {
		return 2
	}
	stores := 0
	for ; len(list) > 0; list = list[2:] {
		if _, ok := sideInRegisters(list[:2]); ok || fn.extra(list[:2]) == 0 {
			stores++
		} else {
			stores += 2
		}
	}
	return stores
}
