package isa

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// An operation has the properties of all instructions of a name without modifiers, in
// disassembly: where their result goes, what they do to memory, and of how many registers
// their operands are. What only pseudo-SASS has, form by form, is in the vocabulary.
type operation struct {
	writes file
	moves  memory
	widths widthRule
}

// A file is where the destination of an operation is.
type file uint8

const (
	noFile      file = iota // it writes no register
	generalFile             // a general register, or as many as its widthRule says
	uniformFile             // uniform ones likewise
	barrierFile             // a barrier, or a general register that takes one
)

// A memory is the access of an operation to memory.
type memory uint8

const (
	noMemory memory = iota
	loads           // what it reads there is its destination
	stores          // what it writes there is the operand after the address
	atomics         // both
)

// A widthRule says of how many registers the operands of an operation are.
type widthRule uint8

const (
	oneWord     widthRule = iota // one; with a modifier that speaks of a width it is not known
	pairs                        // pairs with a modifier .64, .U64 or .S64, else one
	twoWords                     // pairs in any case
	comparesTwo                  // pairs in any case; its result is one register or none
	funnel                       // one each: .U64 and .S64 are two operands together
	conversion                   // by the two formats in its modifiers
	data                         // what is loaded or stored, by its modifiers
	product                      // pairs where its modifiers widen the sum
	matches                      // what is compared has two registers with .64, what comes out one
	twoResults                   // the destination is a pair
	clock                        // the destination is a pair without .32
	unmeasured                   // it may be pairs without a modifier that says so
)

// What operations.md has for each file, memory and widthRule.
var (
	files    = [...]string{noFile: "nothing", generalFile: "registers", uniformFile: "uniform registers", barrierFile: "a barrier or a register"}
	memories = [...]string{noMemory: "", loads: "load", stores: "store", atomics: "both"}
	rules    = [...]string{
		oneWord: "one; not known with a modifier that names a width", pairs: "two with .64, .U64 or .S64, else one", twoWords: "two",
		comparesTwo: "two; the result has one", funnel: "one; .U64 and .S64 are two operands together", conversion: "by its two formats",
		data: "by its modifiers", product: "one; the sum two with .WIDE, and with .HI from sm_70 on", matches: "two with .64; the result has one",
		twoResults: "the result has two", clock: "the result has two without .32", unmeasured: "not known",
	}
)

//go:embed operations.md
var operationsText string

// operationNames are the names that are known, as operations.md has them, which says where they are from.
var operationNames = sync.OnceValue(func() map[string]*operation {
	m := make(map[string]*operation)
	_, rows, _ := strings.Cut(operationsText, "|---|---|---|---|\n")
	for row := range strings.Lines(rows) {
		cells := strings.Split(row, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		o := &operation{file(index(files[:], cells[2])), memory(index(memories[:], cells[3])), widthRule(index(rules[:], cells[4]))}
		for name := range strings.FieldsSeq(cells[1]) {
			m[name] = o
		}
	}
	return m
})

// index is the index of a cell among its words.
func index(words []string, cell string) int {
	i := slices.Index(words, cell)
	if i < 0 {
		panic("isa: operations.md: " + cell)
	}
	return i
}

// operationOf returns the row of a name without modifiers, nil if there is none.
func operationOf(name string) *operation { return operationNames()[name] }

// rule is the widthRule of an operation, oneWord of nil.
func (o *operation) rule() widthRule {
	if o == nil {
		return oneWord
	}
	return o.widths
}

// does reports what an operation does to memory; nil is of no use to it.
func (o *operation) does(m memory) bool { return o != nil && o.moves == m }

// A SelectedByte is the source of one byte of PRMT's result.
type SelectedByte struct {
	Third bool  // a byte of the third source, the last register; of the first otherwise
	Byte  uint8 // its number, 0 for the lowest
	Sign  bool  // the result has eight copies of the byte's highest bit instead
}

// SelectedBytes decodes the selector of PRMT, its second source: it returns the source of each byte of
// the result, the lowest first. Digit i of the selector, of four bits, is for byte i: 0 to 3 are the
// bytes of the first source, 4 to 7 those of the third, and 8 more than that selects eight copies of
// the byte's sign.
func SelectedBytes(selector uint32) [4]SelectedByte {
	var list [4]SelectedByte
	for i := range list {
		digit := selector >> (4 * i) & 0xf
		list[i] = SelectedByte{Third: digit&4 != 0, Byte: uint8(digit & 3), Sign: digit >= 8}
	}
	return list
}

// The truth tables of the three operands of a bitwise function. The fifth operand of LOP3, the
// truth table of the function, is the function of these: TableA&TableB|TableC for a&b|c.
const (
	TableA = 0xf0
	TableB = 0xcc
	TableC = 0xaa
)
