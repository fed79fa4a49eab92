package lower

// A passes is a set of passes: what makes code shorter and may be left out.
type passes uint8

const (
	// forwarding takes what is stored from where it was loaded: findForwards.
	forwarding passes = 1 << iota
	// storePairing stores words together, and copies them side by side for that: oneStore.
	storePairing
	// loadPairing loads words together: widen, inTurn.
	loadPairing
	// fetching loads parts of a large result together, after its call: fetch.
	fetching
	// narrowReads leaves bytes beyond a value as they are where nobody reads them: ignoredAbove.
	narrowReads
	// constants puts known values of registers into words: withConstants.
	constants

	allPasses = 1<<iota - 1
)
