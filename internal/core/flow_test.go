package core_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/flow"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

func stmtsOf(t testing.TB, src string) []ptx.Stmt {
	t.Helper()
	m := must.Parse(t, "x", []byte(".func f() {\n"+src+"\n}"))
	return m.Items[0].(*ptx.Func).Body
}

// names resolves the names of a body.
func names(stmts []ptx.Stmt) *body.Body {
	return body.New(&ptx.Func{Name: "f"}, stmts, false)
}

// text writes a graph a block a line: number, statements, successors, immediate
// dominator, cycle.
func text(g *flow.Graph) string {
	var b strings.Builder
	for i, blk := range g.Blocks {
		fmt.Fprintf(&b, "%d [%d:%d] -> %v", i, blk.First, blk.End, blk.Succs)
		if !g.Reachable(i) {
			b.WriteString(" unreachable")
		} else if d := g.Idom(i); d >= 0 {
			fmt.Fprintf(&b, " idom %d", d)
		}
		if g.Loop(i) >= 0 {
			b.WriteString(" loop")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestGraph(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", "0 [0:0] -> []\n"},
		{"straight", "mov.b32 %a, 1; ret;", "0 [0:2] -> []\n"},
		{"label without jump", "L: ret;", "0 [0:2] -> []\n"},
		{
			"if", "@%p bra T; mov.b32 %a, 1; bra J; T: mov.b32 %a, 2; J: ret;",
			"0 [0:1] -> [1 2]\n1 [1:3] -> [3] idom 0\n2 [3:5] -> [3] idom 0\n3 [5:7] -> [] idom 0\n",
		},
		{
			"loop", "L: mov.b32 %a, 1; @%p bra.uni L; ret;",
			"0 [0:3] -> [1 0] loop\n1 [3:4] -> [] idom 0\n",
		},
		{
			"after ret", "ret; mov.b32 %a, 1; exit;",
			"0 [0:1] -> []\n1 [1:3] -> [] unreachable\n",
		},
		{
			"guarded ret, exit and trap", "@%p ret; @!%p exit; @%p trap; mov.b32 %a, 1;",
			"0 [0:1] -> [1]\n1 [1:2] -> [2] idom 0\n2 [2:3] -> [3] idom 1\n3 [3:4] -> [] idom 2\n",
		},
		{
			"table", "t: .branchtargets A, B, A; brx.idx %r, t; A: ret; B: bra A;",
			"0 [0:2] -> [1 2]\n1 [2:4] -> [] idom 0\n2 [4:6] -> [1] idom 0\n",
		},
		{
			"table after the jump", "brx.idx.uni %r, t; A: ret; t: .branchtargets A;",
			"0 [0:1] -> [1]\n1 [1:3] -> [] idom 0\n2 [3:4] -> [] unreachable\n",
		},
		{
			"two jumps through one table",
			"t: .branchtargets A, B; @%p brx.idx %r, t; brx.idx %q, t; A: ret; B: ret;",
			"0 [0:2] -> [1 4]\n1 [2:3] -> [4] idom 0\n2 [3:5] -> [] idom 4\n3 [5:7] -> [] idom 4\n4 [7:7] -> [2 3] idom 0\n",
		},
		{
			"label of an inner block", "{ bra L; L: } { bra L; L: ret; }",
			"0 [0:2] -> [1]\n1 [2:6] -> [2] idom 0\n2 [6:8] -> [] idom 1\n3 [8:9] -> [] unreachable\n",
		},
		{
			"inner label hides the outer one", "L: { @%p bra L; L: } @%q bra L; ret;",
			"0 [0:3] -> [1] loop\n1 [3:6] -> [2 0] idom 0 loop\n2 [6:7] -> [] idom 1\n",
		},
		{"jump to nowhere", "bra Nowhere; ret;", "0 [0:1] -> []\n1 [1:2] -> [] unreachable\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, text(flow.New(names(stmtsOf(t, test.src)), flow.Options{})))
		})
	}
}

func TestNoReturn(t *testing.T) {
	stmts := stmtsOf(t, "call die; @%p call die; ret;")
	assert.Equal(t, "0 [0:3] -> []\n", text(flow.New(names(stmts), flow.Options{})))
	g := flow.New(names(stmts), flow.Options{NoReturn: func(c *ptx.Call) bool { return c.Callee.Text == "die" }})
	assert.Equal(t, "0 [0:1] -> []\n1 [1:2] -> [2] unreachable\n2 [2:3] -> [] unreachable\n", text(g))
}

// random returns a body of n blocks with jumps at random.
func random(rng *rand.Rand, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "all: .branchtargets L%d, L%d, L%d;\n", rng.Intn(n), rng.Intn(n), rng.Intn(n))
	for i := range n {
		fmt.Fprintf(&b, "L%d: mov.b32 %%a, 1;\n", i)
		switch rng.Intn(7) {
		case 0:
			fmt.Fprintf(&b, "bra L%d;\n", rng.Intn(n))
		case 1, 2, 3:
			fmt.Fprintf(&b, "@%%p bra L%d;\n", rng.Intn(n))
		case 4:
			b.WriteString("@%p ret;\n")
		case 5:
			fmt.Fprintf(&b, "brx.idx %%r, t%d;\nt%d: .branchtargets L%d, L%d;\n", i, i, rng.Intn(n), rng.Intn(n))
		case 6:
			fmt.Fprintf(&b, "@%%p brx.idx %%r, all;\n")
		}
	}
	return b.String()
}

// reach returns the blocks that can be reached from one, without another.
func reach(g *flow.Graph, from, without int) []bool {
	seen := make([]bool, len(g.Blocks))
	if from == without {
		return seen
	}
	todo := []int{from}
	seen[from] = true
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range g.Blocks[b].Succs {
			if s != without && !seen[s] {
				seen[s] = true
				todo = append(todo, s)
			}
		}
	}
	return seen
}

// TestDominance holds dominance, reachability and cycles against their
// definitions: a dominates b if b cannot be reached without a.
func TestDominance(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		src := random(rng, 1+rng.Intn(12))
		g := flow.New(names(stmtsOf(t, src)), flow.Options{})
		all := reach(g, 0, -1)
		for a := range g.Blocks {
			require.Equal(t, all[a], g.Reachable(a), src)
			without := reach(g, 0, a)
			from := reach(g, a, -1)
			for b := range g.Blocks {
				want := a == b || all[a] && all[b] && !without[b]
				require.Equal(t, want, g.Dominates(a, b), "block %d, block %d of\n%s%s", a, b, src, text(g))
				cycle := a != b && all[a] && from[b] && reach(g, b, -1)[a]
				if a != b {
					require.Equal(t, cycle, g.Loop(a) >= 0 && g.Loop(a) == g.Loop(b), "block %d, block %d of\n%s%s", a, b, src, text(g))
				}
			}
			if d := g.Idom(a); d >= 0 {
				require.True(t, g.Dominates(d, a))
			}
		}
		for i := 1; i < len(g.Order()); i++ {
			require.False(t, g.Dominates(int(g.Order()[i]), int(g.Order()[i-1])))
		}
	}
}

// TestDeep shows that nesting and long chains take neither stack nor more than
// linear time.
func TestDeep(t *testing.T) {
	const n = 100000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{ L%d: @%%p bra L%d;\n", i, max(i-1, 0))
	}
	b.WriteString(strings.Repeat("}", n))
	g := flow.New(names(stmtsOf(t, b.String())), flow.Options{})
	assert.Len(t, g.Order(), len(g.Blocks))
	assert.True(t, g.Dominates(0, len(g.Blocks)-1))
}

// TestTables shows that jumps through one list share its edges, and that those of
// n jumps to n labels are of the order of n.
func TestTables(t *testing.T) {
	const n = 3000
	var b, all strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "L%d: @%%p brx.idx %%r, t;\n", i)
		fmt.Fprintf(&all, ", L%d", i)
	}
	g := flow.New(names(stmtsOf(t, b.String()+"t: .branchtargets "+all.String()[2:]+";")), flow.Options{})
	edges := 0
	for _, blk := range g.Blocks {
		edges += len(blk.Succs)
	}
	assert.LessOrEqual(t, edges, 3*n)
	assert.True(t, g.Dominates(0, n-1))
	assert.False(t, g.Dominates(1, n-1))
	assert.Equal(t, g.Loop(1), g.Loop(n-1))
}

func BenchmarkFlow(b *testing.B) {
	stmts := stmtsOf(b, random(rand.New(rand.NewSource(1)), 10000))
	b.ReportAllocs()
	for b.Loop() {
		flow.New(names(stmts), flow.Options{})
	}
}
