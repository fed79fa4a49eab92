package lower

// A Pass makes code shorter. Code is right without it.
type Pass string

// The passes, in the order in which they run.
const (
	Forwarding Pass = "forwarding" // reads words where they come from, and makes none that nothing reads
	Gathering  Pass = "gathering"  // loads and stores words side by side in memory at once, through one register
	Coalescing Pass = "coalescing" // makes words in the register that they are copied to
	Pairing    Pass = "pairing"    // loads and stores words at once that are side by side in memory and in registers
)

// Passes returns all passes.
func Passes() []Pass { return []Pass{Forwarding, Gathering, Coalescing, Pairing} }
