package simtest

// Why a call may take more instructions than ptxas's. Instructions that have
// nothing to do with parameters are none of lowering's business: registers are
// read and written by them as the PTX says.
const (
	// The program loads single bytes from global or generic memory into a register
	// each, with ld.v4.u8, and passes them on. ptxas loads the word that they are.
	// To put four registers together takes three instructions, however it is done.
	bytesFromMemory = "the program loads bytes that are a word"
	// The program takes the bytes of a result, each in a register, to generic memory,
	// with st.v4.u8. ptxas stores the word that they are.
	bytesToMemory = "the program stores bytes that are a word"
	// The program takes the bytes of a result, each in a register, and puts them
	// together again with cvt and bfi. ptxas sees that this is the word. What is
	// passed, from ld.u8, ptxas puts together as it is done here.
	wordsOfBytes = "the program puts bytes together"
	// ptxas rounds misaligned stores of words down (STL.64 at 0x15 and STL at 0x1d),
	// which is not what PTX says. Each word takes a store, or has to be put together, where they do it.
	roundedDown = "misaligned stores are rounded down"
	// The program copies a record on the stack a byte at a time. ptxas copies the words. A word that is
	// stored in bytes is not put together, except in registers.
	bytesCopied = "the program copies memory by bytes"
	// The program moves constants to registers and passes those as bytes of one word. ptxas
	// makes the word one constant. Lowering does not look for the values of registers.
	constantBytes = "the program passes constants in registers"
)

// worseCalls are the calls that take more than ptxas's: module, function, number.
var worseCalls = map[string]string{
	"cicc118-nested move 0":                 bytesCopied,
	"cicc118-nested run 2":                  bytesToMemory, // 10 bytes
	"cicc118-records-mixed bothDoubleInt 0": bytesFromMemory,
	"cicc118-records-mixed bothIntChar 0":   bytesFromMemory,
	"cicc118-records-mixed bothSlice 0":     bytesFromMemory,
	"cicc118-records-mixed bothSpread 0":    bytesFromMemory,
	"cicc124-bitfields bothTwoWords 0":      bytesFromMemory, // two words
	"cicc124-bitfields bothWord 0":          bytesFromMemory,
	"clang16-variadic-calls run 3":          roundedDown,
	"clang19-unions run 4":                  wordsOfBytes, // two words
	"llc16-types callers 1":                 constantBytes,
	"llc16-types callers 9":                 constantBytes,
}
