package lower

import (
	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/arena"
)

// A placer makes plans of functions, one after the other, in memory that it uses again.
type placer struct {
	cursor
	*reporter
	own plan  // the memory of the plan at hand
	ebb int32 // the straight stretch of code that the statement stands in
	// takenHere is what this and the functions before it take the address of, where bodies
	// are read one by one.
	takenHere map[string]bool

	declared declared
	defs     defs
	writers  writers
	partial  partial
	callees  callees
	memory   placerMemory
}

// placerMemory is memory for lists and variables.
type placerMemory struct {
	values1, values2 []abi.Value // of the signature that is assigned
	pvars            arena.Arena[pvar]
	locals           []*pvar
}

// use makes a placer place functions of another module.
func (pl *placer) use(u *unit, r *reporter) {
	pl.plan, pl.reporter = &pl.own, r
	pl.unit = u
}

// forget drops what a placer holds of the module that it has placed functions of.
func (pl *placer) forget() {
	pl.unit, pl.in, pl.f, pl.params, pl.reporter = nil, nil, nil, nil, nil
	pl.callees.forget()
	pl.takenHere = nil
}
