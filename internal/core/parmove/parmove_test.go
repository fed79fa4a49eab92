package parmove

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The small worlds of the exhaustive tests have locations 0 … n-1, the scratch
// location n, and the word i in location i. A negative source is a word too.
const (
	maxLocs  = 7
	scratch  = maxLocs
	constant = -1
)

// run executes moves in order on the words of an initial state.
func run(moves []Move) [maxLocs + 1]int {
	var words [maxLocs + 1]int
	for i := range words {
		words[i] = i
	}
	for _, m := range moves {
		if m.Src < 0 {
			words[m.Dst] = m.Src
		} else {
			words[m.Dst] = words[m.Src]
		}
	}
	return words
}

// forEachSet calls f with every set of moves among n locations in which each
// location is written from any location, from a constant, or not at all. The
// slice is valid during the call.
func forEachSet(n int, f func(moves []Move)) {
	const untouched = constant - 1
	var src [maxLocs]int
	for i := range n {
		src[i] = untouched
	}
	moves := make([]Move, 0, maxLocs)
	for {
		moves = moves[:0]
		for d, s := range src[:n] {
			if s != untouched {
				moves = append(moves, Move{d, s})
			}
		}
		f(moves)
		i := 0
		for ; i < n; i++ {
			if src[i]++; src[i] < n {
				break
			}
			src[i] = untouched
		}
		if i == n {
			return
		}
	}
}

// shortest is the number of moves that the comment of Sequence promises, by
// another way than Sequence takes: it follows each location's source.
func shortest(n int, moves []Move) int {
	var src, readers [maxLocs]int
	for i := range n {
		src[i] = constant
	}
	count := 0
	for _, m := range moves {
		if m.Src == m.Dst {
			continue
		}
		count++
		src[m.Dst] = m.Src
		if m.Src >= 0 {
			readers[m.Src]++
		}
	}
	for start := range n {
		at, closed := start, true
		for range n {
			closed = closed && at >= start && readers[at] == 1
			if !closed {
				break
			}
			if at = src[at]; at == start {
				break
			}
			closed = at >= 0
		}
		if closed && at == start {
			count++
		}
	}
	return count
}

// TestEveryMoveSet executes the sequence of every set of moves among up to
// seven locations.
func TestEveryMoveSet(t *testing.T) {
	locs := maxLocs
	if testing.Short() {
		locs = 5
	}
	var buf []Move
	sets := 0
	for n := range locs + 1 {
		forEachSet(n, func(moves []Move) {
			sets++
			buf = Sequence(buf[:0], moves, scratch)
			got := run(buf)
			var want [maxLocs + 1]int
			for i := range want {
				want[i] = i
			}
			for _, m := range moves {
				want[m.Dst] = m.Src
			}
			want[scratch] = got[scratch]
			if got != want {
				t.Fatalf("%v\nsequence %v\ngives    %v\ninstead of %v", moves, buf, got, want)
			}
			if len(buf) != shortest(n, moves) {
				t.Fatalf("%v\nsequence %v\nhas %d moves, %d would do", moves, buf, len(buf), shortest(n, moves))
			}
		})
	}
	want := 0
	for n, power := 0, 1; n <= locs; n++ {
		power = 1
		for range n {
			power *= n + 2
		}
		want += power
	}
	assert.Equal(t, want, sets, "sets of moves tried")
}

// TestShortest holds the promised number of moves against the length of the
// shortest path from the initial state to one that the moves ask for, found by
// searching all states that sequences of moves can reach.
func TestShortest(t *testing.T) {
	const locs = 5
	for n := range locs + 1 {
		dist := search(n)
		forEachSet(n, func(moves []Move) {
			state := identity(n)
			for _, m := range moves {
				state[m.Dst] = byte(m.Src)
				if m.Src < 0 {
					state[m.Dst] = byte(n)
				}
			}
			best := 1 << 30
			for word := range n + 1 {
				state[n] = byte(word)
				if d, ok := dist[state]; ok {
					best = min(best, d)
				}
			}
			require.Equal(t, best, shortest(n, moves), "%v", moves)
		})
	}
}

// A state is the word of each of n locations and then scratch: the number of
// the location it was in at first, or n for the constant. What scratch held at
// first is of no use and stands as n too.
type state [maxLocs + 1]byte

func identity(n int) state {
	var s state
	for i := range n + 1 {
		s[i] = byte(i)
	}
	return s
}

// search returns the least number of moves to every state that can be reached.
func search(n int) map[state]int {
	start := identity(n)
	dist := map[state]int{start: 0}
	for queue := []state{start}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for d := range n + 1 {
			for s := range n + 2 {
				to := from
				if s == n+1 {
					to[d] = byte(n)
				} else {
					to[d] = from[s]
				}
				if _, seen := dist[to]; !seen {
					dist[to] = dist[from] + 1
					queue = append(queue, to)
				}
			}
		}
	}
	return dist
}

// TestEveryOrder checks that the order of the moves changes neither the effect
// nor the length.
func TestEveryOrder(t *testing.T) {
	const n = 4
	var buf []Move
	forEachSet(n, func(moves []Move) {
		want := run(Sequence(nil, moves, scratch))
		length := shortest(n, moves)
		permute(moves, 0, func(moves []Move) {
			buf = Sequence(buf[:0], moves, scratch)
			got := run(buf)
			got[scratch] = want[scratch]
			if got != want || len(buf) != length {
				t.Fatalf("%v\nsequence %v\ngives    %v\ninstead of %v", moves, buf, got, want)
			}
		})
	})
}

func permute(moves []Move, from int, f func([]Move)) {
	if from == len(moves) {
		f(moves)
		return
	}
	for i := from; i < len(moves); i++ {
		moves[from], moves[i] = moves[i], moves[from]
		permute(moves, from+1, f)
		moves[from], moves[i] = moves[i], moves[from]
	}
}

func TestSequence(t *testing.T) {
	tests := []struct {
		name        string
		moves, want []Move
	}{
		{"none", nil, nil},
		{"to itself", []Move{{4, 4}}, nil},
		{"constants", []Move{{4, -1}, {5, -1}}, []Move{{4, -1}, {5, -1}}},
		{"chain", []Move{{5, 4}, {6, 5}, {4, -7}}, []Move{{6, 5}, {5, 4}, {4, -7}}},
		{"swap", []Move{{4, 5}, {5, 4}}, []Move{{0, 4}, {4, 5}, {5, 0}}},
		{"swap with a copy", []Move{{4, 5}, {5, 4}, {9, 5}}, []Move{{9, 5}, {5, 4}, {4, 9}}},
		{"a word that stays", []Move{{4, 4}, {5, 4}, {6, 5}}, []Move{{6, 5}, {5, 4}}},
		{
			"two cycles share scratch",
			[]Move{{1, 2}, {2, 1}, {3, 4}, {4, 3}},
			[]Move{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {3, 4}, {4, 0}},
		},
	}
	for _, tt := range tests {
		given := slices.Clone(tt.moves)
		assert.Equal(t, tt.want, Sequence(nil, tt.moves, 0), tt.name)
		assert.Equal(t, given, tt.moves, "%s: the moves were changed", tt.name)
		assert.Equal(t, append([]Move{{8, 9}}, tt.want...), Sequence([]Move{{8, 9}}, tt.moves, 0), tt.name)
	}
}

func TestCallersBugs(t *testing.T) {
	tests := []struct {
		moves   []Move
		scratch int
		want    string
	}{
		{[]Move{{4, 5}, {4, 6}}, 0, "parmove: moves 0 and 1 both write location 4"},
		{[]Move{{4, 4}, {5, 6}, {4, 6}}, 0, "parmove: moves 0 and 2 both write location 4"},
		{[]Move{{-1, 4}}, 0, "parmove: move 0 has destination -1, which is not a location"},
		{[]Move{{4, 5}, {0, 4}}, 0, "parmove: move 1, 4 to 0, names the scratch location"},
		{[]Move{{4, 0}}, 0, "parmove: move 0, 0 to 4, names the scratch location"},
		{[]Move{{4, 5}, {5, 4}}, -1, "parmove: no scratch location for the cycle through 4"},
	}
	for _, tt := range tests {
		assert.PanicsWithValue(t, tt.want, func() { Sequence(nil, tt.moves, tt.scratch) })
	}
	assert.Equal(t, []Move{{4, -1}}, Sequence(nil, []Move{{4, -1}}, -1), "no cycle needs no scratch")
}

// TestLarge executes move sets among many locations, beyond the table that
// stands on the stack.
func TestLarge(t *testing.T) {
	sizes := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 600).Draw(t, "locations")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		dsts := r.Perm(n)[:rapid.IntRange(0, n).Draw(t, "moves")]
		srcs := slices.Clone(dsts)
		r.Shuffle(len(srcs), func(i, j int) { srcs[i], srcs[j] = srcs[j], srcs[i] })
		for range r.IntN(4) {
			if len(srcs) > 0 {
				srcs[r.IntN(len(srcs))] = r.IntN(n)
			}
		}
		moves := make([]Move, len(dsts))
		for i, d := range dsts {
			moves[i] = Move{d, srcs[i]}
		}
		words := seq(n + 1)
		for _, m := range Sequence(nil, moves, n) {
			words[m.Dst] = words[m.Src]
		}
		want := seq(n)
		for _, m := range moves {
			want[m.Dst] = m.Src
		}
		if !slices.Equal(want, words[:n]) {
			t.Fatalf("%v gives %v", moves, words)
		}
		sizes = max(sizes, n)
	})
	assert.Greater(t, sizes, 256, "largest number of locations tried")
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func TestDoesNotAllocate(t *testing.T) {
	moves := []Move{{4, 5}, {5, 6}, {6, 4}, {7, 254}, {254, -1}}
	buf := make([]Move, 0, 16)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buf = Sequence(buf[:0], moves, 0) }))
}

func BenchmarkSequence(b *testing.B) {
	for _, bb := range []struct {
		name string
		n    int
	}{{"12", 12}, {"10000", 10_000}, {"100000", 100_000}} {
		b.Run(bb.name, func(b *testing.B) {
			moves := make([]Move, bb.n)
			for i := range moves {
				moves[i] = Move{i + 1, (i+bb.n/2)%bb.n + 1}
			}
			buf := make([]Move, 0, 2*bb.n)
			b.ReportAllocs()
			for b.Loop() {
				buf = Sequence(buf[:0], moves, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bb.n), "ns/move")
		})
	}
}
