package lower

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
)

// A Pass makes code shorter. Code is right without it.
type Pass string

// The passes.
const (
	Forwarding   Pass = "forwarding"    // takes what is stored from where it was loaded
	StorePairing Pass = "store-pairing" // stores words that lie side by side together
	LoadPairing  Pass = "load-pairing"  // loads words that lie side by side together
	SlotPairing  Pass = "slot-pairing"  // loads and stores words of slots together
	Fetching     Pass = "fetching"      // loads parts of a large result together, after its call
	NarrowReads  Pass = "narrow-reads"  // leaves bytes as they are that nothing reads
)

// passes has the passes in the order of package lir.
var passes = []Pass{Forwarding, StorePairing, LoadPairing, SlotPairing, Fetching, NarrowReads}

// Passes returns all passes.
func Passes() []Pass { return slices.Clone(passes) }

// off returns the set of the passes that are left out. The error names one that is none.
func (o *Options) off() (lir.Passes, error) {
	var off lir.Passes
	for _, p := range o.Without {
		i := slices.Index(passes, p)
		if i < 0 {
			return 0, fmt.Errorf("lower: no pass %q; the passes are %q", p, passes)
		}
		off |= 1 << i
	}
	return off, nil
}
