package lir

// A Passes is a set of passes: what makes code shorter and may be left out. Each is named
// with the package and the file that it is in.
type Passes uint8

const (
	// Forwarding takes what is stored from where it was loaded: place, forward.go.
	Forwarding Passes = 1 << iota
	// StorePairing stores words together, and copies them side by side for that: tune, stores.go.
	StorePairing
	// LoadPairing loads words together: tune, loads.go.
	LoadPairing
	// SlotPairing loads and stores slots by several words: tune, slots.go.
	SlotPairing
	// Fetching loads parts of a large result together, after its call: sel, fetch.go.
	Fetching
	// NarrowReads leaves bytes beyond a value as they are where nobody reads them: place, reads.go.
	NarrowReads

	// ForVirtual is the pass for functions whose registers all keep their names.
	ForVirtual = Fetching
)

// Widest is the most words that one access takes.
const Widest = 4
