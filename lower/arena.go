package lower

// An arena is space for values that are forgotten together.
type arena[T any] struct {
	blocks   [][]T // of 8, 16, 32 values, then of arenaSize
	at, used int   // block that is in use, and how much of it
}

const arenaSize = 64

// keptBlocks is how many blocks an arena keeps; what the largest functions alone
// need is let go.
const keptBlocks = 256

func (s *arena[T]) reset() {
	if len(s.blocks) > keptBlocks {
		s.blocks = s.blocks[:keptBlocks:keptBlocks]
	}
	s.at, s.used = 0, 0
}

// run returns n values side by side, arenaSize of them at most, that are as they were left.
func (s *arena[T]) run(n int) []T {
	for s.at < len(s.blocks) && s.used+n > len(s.blocks[s.at]) {
		s.at, s.used = s.at+1, 0
	}
	if s.at == len(s.blocks) {
		s.blocks = append(s.blocks, make([]T, max(n, min(8<<min(s.at, 3), arenaSize))))
	}
	list := s.blocks[s.at][s.used : s.used+n]
	s.used += n
	return list
}

// one returns a T that is as it was left.
func (s *arena[T]) one() *T {
	if s.at < len(s.blocks) && s.used == len(s.blocks[s.at]) {
		s.at, s.used = s.at+1, 0
	}
	if s.at == len(s.blocks) {
		s.blocks = append(s.blocks, make([]T, min(8<<min(s.at, 3), arenaSize)))
	}
	x := &s.blocks[s.at][s.used]
	s.used++
	return x
}
