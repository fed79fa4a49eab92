package sel

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/ptx"
)

// A buffers is memory that a Selector uses again for the next function. Lowering into it takes
// a hundredth of the allocations of lowering without, and half the time.
type buffers struct {
	registerCache
	texts
	lists
	sent       sent // of the call at hand
	quad       quad
	words      arena.Arena[word] // of large variables
	wholeWords arena.Arena[wholeWord]
}

// lists is memory for lists that live as long as one statement is lowered.
type lists struct {
	regs    []load         // for the loads of one call
	cells   []cell         // and for the stores of one value
	direct4 [4]load        // and for the words of one argument that is a register
	elems   [4]ptx.Operand // and for the elements of a vector register
	nums    []int          // and for the numbers of the words of one argument
	parts   []element
}

// texts is where strings are put together.
type texts struct {
	// What a Builder has been written stays as it is, so that its parts can be handed out,
	// an allocation for many.
	made strings.Builder
	line []byte // a statement's text before it is put there
}

func (r *buffers) reset() {
	r.known = [8]knownRegister{}
	r.words.Reset()
	r.wholeWords.Reset()
}

// word returns a word that is undefined as a whole.
func (r *buffers) word() *word {
	w := r.words.One()
	*w = word{}
	return w
}

// madeSize is how much text is put together in one allocation, in bytes.
const madeSize = 8 << 10

// start returns where the text begins that is written to made next, n bytes at
// most.
func (r *texts) start(n int) int {
	if r.made.Cap()-r.made.Len() < n {
		r.made = strings.Builder{}
		r.made.Grow(max(n, madeSize))
	}
	return r.made.Len()
}

// text joins two texts.
func (r *texts) text(a, b string) string {
	at := r.start(len(a) + len(b))
	r.made.WriteString(a)
	r.made.WriteString(b)
	return r.made.String()[at:]
}

// bytes makes a string of text that will change.
func (r *texts) bytes(b []byte) string {
	at := r.start(len(b))
	r.made.Write(b)
	return r.made.String()[at:]
}
