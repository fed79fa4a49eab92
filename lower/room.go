package lower

import (
	"strings"

	"github.com/ptxabi/ptxabi/lower/internal/lir"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/parmove"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A room is what a fn uses again for the next function. Lowering into it takes
// a hundredth of the allocations of lowering without, and half the time.
type room struct {
	printed          []byte           // functions that have been printed
	values1, values2 []abi.Value      // of the signature that is assigned
	syms             []symbol         // by the symbol's ID
	callVars         []*pvar          // the variables that calls pass and take, nil for other operands
	known            [8]knownRegister // by the symbol's ID
	lastReg          register         // what registerAt returned last, if it is not known

	group   []load         // that wait to be emitted
	regs    []load         // room for the loads of one call
	cells   []cell         // and for the stores of one value
	direct4 [4]load        // and for the words of one argument that is a register
	four    [4]load        // and for words that are stored together
	elems   [4]ptx.Operand // and for the elements of a vector register
	dsts    []lir.Reg
	nums    []int // and for the numbers of the words of one argument
	parts   []element

	notedNames notedTable
	pvars      slab[pvar]
	refs       []ref // room for those of variables
	locals     []*pvar
	words      slab[word]
	wholeWords slab[wholeWord]
	rel        relayTable
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

func (r *room) reset() {
	r.known = [8]knownRegister{}
	r.pvars.reset()
	r.words.reset()
	r.wholeWords.reset()
	r.constantsFound = false
	r.hiddenOf = nil
}

// values returns the formals as the convention sees them, in the space given.
func (r *room) values(space *[]abi.Value, list []ptx.Formal) []abi.Value {
	*space = resolve.AppendValues((*space)[:0], list)
	return *space
}

// pvar returns a variable that nothing touches yet, with room for what will. It is
// emptied where it stands: to copy one takes as long as all the rest of declaring it.
func (r *room) pvar(sym *resolved.Symbol, source string, size int) *pvar {
	p := r.pvars.one()
	if p.stores == nil {
		r.refsFor(p)
	}
	p.sym, p.source = sym, source
	p.size, p.align = size, resolve.Align(sym.Spec)
	// Each by itself: that writes no pointers, of which the collector would take note.
	p.stores = p.stores[:0]
	p.loads = p.loads[:0]
	p.asArg = p.asArg[:0]
	p.asResult = p.asResult[:0]
	p.addressed = p.addressed[:0]
	p.inWords = p.inWords[:0]
	p.held = p.held[:0]
	p.place, p.loc, p.frame = place(0), abi.Loc{}, 0
	p.stored.reset()
	p.loaded.reset()
	p.pending.reset()
	p.wholes.reset()
	if p.fetched != nil {
		p.fetched = nil
	}
	return p
}

// refsFor gives a new variable room for as many refs as most have. One allocation
// is for several: a variable that is stored to and passed took two.
func (r *room) refsFor(p *pvar) {
	const stores, loads, passed, addressed = 4, 4, 1, 1
	const each = stores + loads + 2*passed + addressed
	if len(r.refs) < each {
		r.refs = make([]ref, 16*each)
	}
	take := func(n int) []ref {
		list := r.refs[:0:n]
		r.refs = r.refs[n:]
		return list
	}
	p.stores, p.loads, p.asArg, p.asResult, p.addressed = take(stores), take(loads), take(passed), take(passed), take(addressed)
}

// word returns a word that is undefined as a whole.
func (r *room) word() *word {
	w := r.words.one()
	*w = word{}
	return w
}

// madeSize is how much text is put together in one allocation, in bytes.
const madeSize = 8 << 10

// start returns where the text begins that is written to made next, n bytes at
// most.
func (r *room) start(n int) int {
	if r.made.Cap()-r.made.Len() < n {
		r.made = strings.Builder{}
		r.made.Grow(max(n, madeSize))
	}
	return r.made.Len()
}

// text joins two texts.
func (r *room) text(a, b string) string {
	at := r.start(len(a) + len(b))
	r.made.WriteString(a)
	r.made.WriteString(b)
	return r.made.String()[at:]
}

// bytes makes a string of text that will change.
func (r *room) bytes(b []byte) string {
	at := r.start(len(b))
	r.made.Write(b)
	return r.made.String()[at:]
}
