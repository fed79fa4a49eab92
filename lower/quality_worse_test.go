package lower_test

// Why a call may take more instructions than ptxas's.
const (
	// ptxas loads or stores bytes in other memory as the words that they are
	// passed in, or knows that an instruction reads the low bits of a register
	// alone. Instructions that have nothing to do with parameters are none of
	// lowering's business.
	inOtherMemory = "bytes are words in other memory"
	// ptxas rounds misaligned stores of words down, which is not what PTX says.
	roundedDown = "misaligned stores are rounded down"
	// ptxas stores registers together that happen to lie side by side and are
	// needed on. Here they would be copied.
	sideBySide = "registers lie side by side"
)

// worseCalls are the calls that take more than ptxas's: module, function, number.
var worseCalls = map[string]string{
	"cicc118-nested run 2":                  inOtherMemory,
	"cicc118-nested run 3":                  inOtherMemory,
	"cicc118-records-mixed bothDoubleInt 0": inOtherMemory,
	"cicc118-records-mixed bothIntChar 0":   inOtherMemory,
	"cicc118-records-mixed bothSlice 0":     inOtherMemory,
	"cicc118-records-mixed bothSpread 0":    inOtherMemory,
	"cicc124-bitfields bothTwoWords 0":      inOtherMemory,
	"cicc124-bitfields bothWord 0":          inOtherMemory,
	"clang16-variadic-calls run 3":          roundedDown,
	"clang19-unions run 4":                  inOtherMemory,
	"kept-227 k 0":                          roundedDown,
}
