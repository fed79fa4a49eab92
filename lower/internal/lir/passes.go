package lir

// A Passes is a set of passes: what makes code shorter and may be left out.
type Passes uint8

const (
	// Forwarding takes what is stored from where it was loaded: findForwards.
	Forwarding Passes = 1 << iota
	// StorePairing stores words together, and copies them side by side for that: oneStore.
	StorePairing
	// LoadPairing loads words together: widen, inTurn.
	LoadPairing
	// SlotPairing loads and stores slots by several words.
	SlotPairing
	// Fetching loads parts of a large result together, after its call: fetch.
	Fetching
	// NarrowReads leaves bytes beyond a value as they are where nobody reads them: ignoredAbove.
	NarrowReads
	// Constants puts known values of registers into words: withConstants.
	Constants

	AllPasses = 1<<iota - 1
)

// Widest is the most words that one access takes.
const Widest = 4
