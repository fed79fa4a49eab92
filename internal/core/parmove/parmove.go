// Package parmove puts a set of simultaneous one-word moves into a sequence of
// moves that one machine can execute one after another. It knows nothing of
// registers: a location is a number.
package parmove

import "fmt"

// A Move copies the word in Src to Dst.
//
// Dst is a location: a number from 0 up, and small, since Sequence keeps a
// table of locations. Src is a location too, or, when negative, something that
// no move overwrites: a constant, a virtual register. What a negative source
// stands for is the caller's business.
type Move struct {
	Dst, Src int
}

// Sequence appends to dst moves that, executed in order, have the effect that
// the given moves have when all sources are read before any destination is
// written. Locations that are not a destination keep their words, except scratch.
//
// A location may be the source of many moves and the destination of one; two
// moves with the same destination are the caller's bug, as is a negative
// destination, and panic. Scratch is a location that no move names. It is
// written only where a cycle has to be broken; where the caller knows that
// there is none, it may be negative.
//
// No shorter sequence exists: it has one move for every given one whose source
// is not its own destination, and one more, to scratch, for every cycle of
// locations whose words go nowhere but round the cycle. Time is linear in the
// number of moves and the largest location. Nothing but dst is allocated while
// locations are below 256. The moves are not changed, and the same moves in
// the same order give the same sequence; dst must not overlap them.
//
// # Why it is right
//
// Call a move blocked while its destination still has a word that a move not
// yet made has to read. Moves that are not blocked are made as they are found.
// Making d ← s takes one reader from s, so that it can unblock one move at
// most, the one that writes s: following it at once leaves no move unblocked
// for later, and a single pass over the moves is enough.
//
// What is then left is blocked: each of the n destinations left is the source
// of at least one of the n moves left. Each move has one source, so each
// destination is the source of exactly one of them, and the moves left form
// cycles that share no location.
//
// A cycle is opened at a location c of which there is another copy: c may be
// overwritten, then each move unblocks the next, and the last one, which would
// read c, reads the copy. If the word of c was also wanted outside the cycle,
// then the pass has brought it to a destination d. That copy is good to the
// end, for no other move writes d. Only where no location of the cycle has
// such a copy, one is made in scratch. It is used up within the cycle, so one
// scratch location serves them all.
//
// # Why it is shortest
//
// Each destination that is not its own source must be written once. Take a
// cycle whose words go nowhere else, and the first move that writes one of its
// locations. The word overwritten there was no longer needed in place, so it
// had been brought to a location outside the cycle, where it is not wanted:
// that move is an additional one, or the location will be written again. It
// carries one word, so that no two cycles share it.
func Sequence(dst, moves []Move, scratch int) []Move {
	size := 0
	for _, m := range moves {
		size = max(size, m.Dst+1, m.Src+1)
	}
	var small [256]location
	table := small[:]
	if size > len(table) {
		table = make([]location, size)
	}

	for i, m := range moves {
		if m.Dst < 0 {
			panic(fmt.Sprintf("parmove: move %d has destination %d, which is not a location", i, m.Dst))
		}
		if w := table[m.Dst].writer; w != 0 {
			panic(fmt.Sprintf("parmove: moves %d and %d both write location %d", w-1, i, m.Dst))
		}
		if scratch >= 0 && (m.Dst == scratch || m.Src == scratch) {
			panic(fmt.Sprintf("parmove: move %d, %d to %d, names the scratch location", i, m.Src, m.Dst))
		}
		table[m.Dst].writer = int32(i) + 1
		if m.Src >= 0 {
			table[m.Src].readers++
		}
	}

	for i, m := range moves {
		for w := int32(i) + 1; w != 0; {
			m = moves[w-1]
			to := &table[m.Dst]
			if m.Src == m.Dst || to.writer == 0 || to.readers != 0 {
				break
			}
			dst = append(dst, m)
			to.writer = 0
			if m.Src < 0 {
				break
			}
			from := &table[m.Src]
			from.readers--
			from.copy = int32(m.Dst) + 1
			w = from.writer
		}
	}

	for _, m := range moves {
		if m.Src != m.Dst && table[m.Dst].writer != 0 {
			dst = cycle(dst, moves, table, m.Dst, scratch)
		}
	}
	return dst
}

// A location is what is known of one location while moves are made.
type location struct {
	writer  int32 // 1 + index of the move that will write it; 0 when there is none, or it is made
	readers int32 // moves not yet made that read it
	copy    int32 // 1 + a destination that has got its word for good; 0 when there is none
}

// cycle appends the moves of the cycle that the location start is on.
func cycle(dst, moves []Move, table []location, start, scratch int) []Move {
	open, spare := start, scratch
	for at := start; ; {
		if c := table[at].copy; c != 0 {
			open, spare = at, int(c)-1
			break
		}
		if at = moves[table[at].writer-1].Src; at == start {
			if scratch < 0 {
				panic(fmt.Sprintf("parmove: no scratch location for the cycle through %d", start))
			}
			dst = append(dst, Move{Dst: scratch, Src: open})
			break
		}
	}
	for at := open; ; {
		m := moves[table[at].writer-1]
		table[at].writer = 0
		if m.Src == open {
			return append(dst, Move{Dst: at, Src: spare})
		}
		dst = append(dst, m)
		at = m.Src
	}
}
