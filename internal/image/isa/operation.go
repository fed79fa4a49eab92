package isa

import (
	"strings"
	"sync"
)

// An operation is what is known of all instructions of a name without modifiers, in
// disassembly: where their result goes, what they do to memory, and of how many registers
// their operands are. What only pseudo-SASS has, form by form, is in the vocabulary.
type operation struct {
	names  string // separated by blanks
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

// A memory says what an operation does to memory.
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

// operations are the names that are known. That an operation stands in a row is from
// NVIDIA's list of instructions in the documentation of its binary utilities, and from the
// disassembly of modules of our own; widths are from the latter alone, with every operation of PTX in 64
// bits and more, for each family. Of any other name nothing is known. The table is never
// written.
var operations = [...]operation{
	{"BRA BAR NOP EXIT FSETP PSETP PLOP3 HSETP2 CSETP UPSETP UPLOP3 MEMBAR FENCE DEPBAR SSY SYNC PBK BRK PCNT CONT PRET " +
		"BSSY BSYNC BREAK WARPSYNC KILL CCTL CCTLL CCTLT ERRBAR YIELD LDGDEPBAR CALL CAL JCAL BPT NANOSLEEP " +
		"R2P FCHK RTT PMTRIG ARRIVES JMP CGAERRBAR ENDCOLLECTIVE", noFile, noMemory, oneWord},
	{"ISETP UISETP", noFile, noMemory, pairs},
	{"DSETP", noFile, noMemory, comparesTwo},
	{"ST STG STS STL STAS RED REDG REDS REDAS", noFile, stores, data},
	{"BRX BRXU JMX JMXU RET SUST SURED STSM LDGSTS", noFile, noMemory, unmeasured},

	{"MOV32I IMAD32I IADD32I LOP LOP3 LOP32I SHL SHR LEA FSEL FADD FADD32I FMUL " +
		"FMUL32I FFMA FFMA32I FMNMX FMNMX3 VIMNMX VIMNMX3 VIADD VIADDMNX VIADDMNMX VADD PRMT BFE BFI FLO POPC BREV SGXT " +
		"F2FP I2FP I2IP MUFU RRO S2R XMAD ISCADD ISCADD32I ISAD IABS BMSK HADD2 HADD2_32I HMUL2 HMUL2_32I HFMA2 HFMA2_32I HSET2 " +
		"HMNMX2 FSET ISET SHFL VOTE FSWZADD P2R ICMP FCMP IMUL IMUL32I PSET IDP IDP4A", generalFile, noMemory, oneWord},
	{"MOV IADD IADD3 SEL IMNMX", generalFile, noMemory, pairs},
	{"DADD DMUL DFMA DMNMX FADD2 FMUL2 FFMA2 IADD64", generalFile, noMemory, twoWords},
	{"DSET", generalFile, noMemory, comparesTwo},
	{"SHF", generalFile, noMemory, funnel},
	{"F2F F2I I2F I2I FRND", generalFile, noMemory, conversion},
	{"IMAD", generalFile, noMemory, product},
	{"MATCH", generalFile, noMemory, matches},
	{"LEPC", generalFile, noMemory, twoResults},
	{"CS2R", generalFile, noMemory, clock},
	{"LD LDG LDS LDL LDC", generalFile, loads, data},
	{"ATOM ATOMG ATOMS", generalFile, atomics, data},

	{"ULOP ULOP3 ULOP32I ULEA UPRMT USHL USHR USGXT UBREV UFLO UPOPC UBMSK " +
		"UP2UR R2UR S2UR REDUX CREDUX VOTEU UVIADD UVIMNMX UIABS UIADD UF2FP UCLEA UFADD UFMUL UFFMA UFSEL", uniformFile, noMemory, oneWord},
	{"UMOV UIADD3 USEL", uniformFile, noMemory, pairs},
	{"USHF", uniformFile, noMemory, funnel},
	{"UF2I UI2F", uniformFile, noMemory, conversion},
	{"UIMAD", uniformFile, noMemory, product},
	{"ULDC LDCU", uniformFile, loads, data},

	{"BMOV", barrierFile, noMemory, oneWord},
}

var operationNames = sync.OnceValue(func() map[string]*operation {
	m := make(map[string]*operation)
	for i := range operations {
		for name := range strings.FieldsSeq(operations[i].names) {
			m[name] = &operations[i]
		}
	}
	return m
})

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
