package lower

import (
	"strings"

	"github.com/ptxabi/ptxabi/internal/arena"
	"github.com/ptxabi/ptxabi/internal/parmove"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
)

// A buffers is memory that a fn uses again for the next function. Lowering into it takes
// a hundredth of the allocations of lowering without, and half the time.
type buffers struct {
	printed []byte           // functions that have been printed
	known   [8]knownRegister // by the symbol's ID
	lastReg register         // what registerAt returned last, if it is not known

	group   []load         // that wait to be emitted
	regs    []load         // memory for the loads of one call
	cells   []cell         // and for the stores of one value
	direct4 [4]load        // and for the words of one argument that is a register
	four    [4]load        // and for words that are stored together
	elems   [4]ptx.Operand // and for the elements of a vector register
	dsts    []lir.Reg
	nums    []int // and for the numbers of the words of one argument
	parts   []element
	sent    sent

	words      arena.Arena[word] // of large variables
	wholeWords arena.Arena[wholeWord]
	// constants are the registers that hold known values, by number of the name.
	// They are good if constantsFound is set.
	constants      map[int32]knownConstant
	constantsFound bool
	quad           quad
	hiddenOf       *pvar   // whose address hiddenIn is, as hiddenAddr has it; nil for none
	hiddenIn       lir.Reg // its number of a name is good for this function alone
	hiddenEarly    bool    // what early says of it

	moves, order []parmove.Move

	// made is where strings are put together. What a Builder has been written
	// stays as it is, so that its parts can be handed out, an allocation for
	// many.
	made strings.Builder
	line []byte // a statement's text before it is put there
}

func (r *buffers) reset() {
	r.known = [8]knownRegister{}
	r.words.Reset()
	r.wholeWords.Reset()
	r.constantsFound = false
	r.hiddenOf = nil
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
func (r *buffers) start(n int) int {
	if r.made.Cap()-r.made.Len() < n {
		r.made = strings.Builder{}
		r.made.Grow(max(n, madeSize))
	}
	return r.made.Len()
}

// text joins two texts.
func (r *buffers) text(a, b string) string {
	at := r.start(len(a) + len(b))
	r.made.WriteString(a)
	r.made.WriteString(b)
	return r.made.String()[at:]
}

// bytes makes a string of text that will change.
func (r *buffers) bytes(b []byte) string {
	at := r.start(len(b))
	r.made.Write(b)
	return r.made.String()[at:]
}
