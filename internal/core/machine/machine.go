// Package machine has the facts that code for an architecture needs beside its convention: the spelling
// of instructions, and the resources that the blocks on a multiprocessor share.
package machine

// A Machine is the spelling of an architecture's instructions, and its multiprocessor.
type Machine struct {
	Spelling Spelling
	Multi    Multiprocessor
}

// Of returns the machine of the architecture with a number, such as 90. Architectures with a suffix
// have the same machine. For a number that is not in the table, it is the machine of the nearest
// lower one, or of the oldest, as for targets that package abi assumes. For a number that is not
// positive, it is the zero Machine. All callers share the result; only tests change it.
func Of(sm int) *Machine {
	if sm <= 0 {
		return new(Machine)
	}
	near := &table[0].Machine
	for i := range table {
		if table[i].sm <= sm {
			near = &table[i].Machine
		}
	}
	return near
}

// table holds the machines of the measured targets by their numbers, in ascending order.
var table = [...]struct {
	sm int
	Machine
}{
	{35, Machine{spellKepler, multiKepler}},
	{37, Machine{spellKepler, multiTesla}},
	{50, Machine{spellMaxwell, multiMaxwell}},
	{52, Machine{spellMaxwell, multiMaxwell}},
	{53, Machine{spellMaxwell, multiTegra}},
	{60, Machine{spellMaxwell, multiMaxwell}},
	{61, Machine{spellMaxwell, multiMaxwell}},
	{62, Machine{spellMaxwell, multiTegra}},
	{70, Machine{spellVolta, multiMaxwell}},
	{72, Machine{spellVolta, multiMaxwell}},
	{75, Machine{spellVolta, multiTuring}},
	{80, Machine{spellVolta, multiMaxwell}},
	{86, Machine{spellVolta, multiAmpere}},
	{87, Machine{spellOrin, multiAmpere}},
	{88, Machine{spellVolta, multiAmpere}},
	{89, Machine{spellVolta, multiAda}},
	{90, Machine{spellHopper, multiMaxwell}},
	{100, Machine{spellBlackwell, multiMaxwell}},
	{101, Machine{spellBlackwell, multiAda}},
	{103, Machine{spellBlackwell, multiMaxwell}},
	{107, Machine{spellIADD, multiTuring}},
	{110, Machine{spellBlackwell, multiAda}},
	{120, Machine{spellBlackwell120, multiAda}},
	{121, Machine{spellBlackwell120, multiAda}},
}
