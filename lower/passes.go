package lower

// A Pass makes code shorter. Code is right without it.
type Pass string

// The passes, in the order in which they run.
const (
	Forwarding Pass = "forwarding" // reads words where they come from, and removes those that nothing reads
	Gathering  Pass = "gathering"  // accesses words side by side in memory at once, through one wide register
	Coalescing Pass = "coalescing" // computes words in the register that they are copied to
	Pairing    Pass = "pairing"    // accesses words at once that are side by side in memory and in registers
)

// Passes returns all passes, in the order in which they run.
func Passes() []Pass { return []Pass{Forwarding, Gathering, Coalescing, Pairing} }
