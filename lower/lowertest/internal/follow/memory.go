package follow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/sass"
)

// indirect compares what a function writes to memory whose address it was given.
func (c *comparison) indirect(theirs, ours *point) {
	list := slices.DeleteFunc(inOrder(ours.state.Local), func(at symexec.Addr) bool {
		return at.Base == symexec.SPBase || c.ours.m.Bases[at.Base].Kind != symexec.RegByte
	})
	for len(list) > 0 {
		at := list[0]
		var t, o symexec.Word
		mask, base := uint8(0), c.theirs.m.BaseOf(c.ours.m.Bases[at.Base])
		for len(list) > 0 && list[0].Base == at.Base && list[0].Add < at.Add&^3+4 {
			i := list[0].Add & 3
			o.B[i] = ours.state.Local[list[0]]
			t.B[i] = theirs.state.Local[symexec.Addr{Base: base, Add: list[0].Add}]
			if o.B[i].Kind != symexec.Nothing {
				mask |= 1 << i
			}
			list = list[1:]
		}
		c.stored(theirs.index, "return", fmt.Sprintf("the memory for the result at offset %d", at.Add&^3), t, o, mask, true, ruleResult)
	}
}

// stored compares bytes of memory. Where it is not certain that they have to agree, those that differ are not compared.
func (c *comparison) stored(index int, at, place string, t, o symexec.Word, mask uint8, certain bool, rule string) {
	bad := c.agree(t, o, mask, false)
	if !certain {
		bad = min(bad, unclear)
	}
	if c.judge(bad, index, at, place, sass.RZ, t, o, mask, c.wanted("", o, mask), rule) {
		c.r.Stored += knownBytes(o, mask)
	}
}

// globals compares what is written to global memory: at numbers, and at numbers beyond a parameter.
func (c *comparison) globals() {
	theirs, ours := c.theirs, c.ours
	at := make(map[symexec.Addr]symexec.Addr) // of ours, that of theirs
	for addr := range c.ours.m.Stores {
		at[addr] = addr
		if addr.Base != symexec.NoBase {
			at[addr] = symexec.Addr{Base: c.theirs.m.BaseOf(c.ours.m.Bases[addr.Base]), Add: addr.Add}
		}
	}
	expected := make(map[symexec.Addr]bool)
	for _, addr := range at {
		expected[addr] = true
	}
	sure := c.straight() && len(theirs.unplaced)+len(ours.unplaced) == 0
	for _, addr := range inOrder(c.theirs.m.Stores) {
		if expected[addr] {
			continue
		}
		index, place := theirs.stores[addr].index, c.tell.memory64(addr)
		if addr.Base == symexec.NoBase && len(ours.unplaced) == 0 {
			c.find(index, "the store", place, "be left alone", "it is written", "", "")
		} else {
			c.unfollowed(index, "the store", place, "be left alone if the source does not write it", "it is written")
		}
		break // one of them is enough
	}
	for list := inOrder(c.ours.m.Stores); len(list) > 0; {
		first, index := list[0], -1
		var t, o symexec.Word
		mask, certain := uint8(0), true
		for len(list) > 0 && list[0].Base == first.Base && list[0].Add < first.Add&^3+4 {
			i, addr := list[0].Add-first.Add, at[list[0]] // bytes count from the store's first
			t.B[i], o.B[i] = c.theirs.m.Stores[addr], c.ours.m.Stores[list[0]]
			their, ok := theirs.stores[addr]
			if ok {
				index = their.index
			}
			if our := ours.stores[list[0]]; their.over || our.over {
				t.B[i] = symexec.Byte{Kind: symexec.JoinByte, Off: int64(max(index, 0))}
			}
			_, put := c.theirs.m.Stores[addr]
			certain = certain && (put || !theirs.blind && c.executed(ours.stores[list[0]])) && (sure || first.Base == symexec.NoBase && !ours.stores[list[0]].weak)
			mask |= 1 << i
			list = list[1:]
		}
		// An assembler may write it in another way, or not at all, if that is not certain.
		c.stored(index, "the store", c.say.memory64(first), t, o, mask, certain, c.ruleOfOrigin(o.B[0]))
	}
	const place = "memory at an address that is not followed"
	for _, i := range theirs.unplaced {
		c.unfollowed(i, "the store", place, "hold what the source writes", "`"+c.tell.code(i)+"` writes there")
	}
	for _, i := range ours.unplaced {
		c.unfollowed(-1, fmt.Sprintf("the store in line %d of the source", ours.line(i)), place, "be written", "`"+c.say.code(i)+"` writes there")
	}
}

// inOrder returns the addresses of bytes that are written.
func inOrder(stores map[symexec.Addr]symexec.Byte) []symexec.Addr {
	return slices.SortedFunc(maps.Keys(stores), byAddress)
}

func byAddress(a, b symexec.Addr) int {
	return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.Add, b.Add))
}

// memory64 names an address of global memory.
func (t *teller) memory64(at symexec.Addr) string {
	if at.Base == symexec.NoBase {
		return fmt.Sprintf("global memory at %#x", at.Add)
	}
	return fmt.Sprintf("memory at %+#x from %s", at.Add, t.byte(t.p.m.Bases[at.Base], 8))
}

// ruleOfOrigin is the rule that says where a value is that is stored.
func (c *comparison) ruleOfOrigin(b symexec.Byte) string {
	switch {
	case b.Kind == symexec.LocalByte:
		return ruleStack
	case b.Kind == symexec.BankByte:
		return ruleKernel
	case b.Kind == symexec.ResultByte, b.Kind == symexec.RegByte && b.Epoch > 0:
		return ruleResult
	case b.Kind == symexec.RegByte && c.sites.own.preserve:
		return rulePreserve
	}
	return ruleRegisters
}
