package lower

// A slab is space for values that are forgotten together.
type slab[T any] struct {
	blocks [][]T
	used   int
}

const slabSize = 64

// keptBlocks is how many blocks a slab keeps; what the largest functions alone
// need is let go.
const keptBlocks = 256

func (s *slab[T]) reset() {
	if len(s.blocks) > keptBlocks {
		s.blocks = s.blocks[:keptBlocks:keptBlocks]
	}
	s.used = 0
}

// one returns a T that is as it was left.
func (s *slab[T]) one() *T {
	if s.used == len(s.blocks)*slabSize {
		s.blocks = append(s.blocks, make([]T, slabSize))
	}
	x := &s.blocks[s.used/slabSize][s.used%slabSize]
	s.used++
	return x
}
