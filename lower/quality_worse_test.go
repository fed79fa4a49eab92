package lower_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

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
	// ptxas stores registers together that its allocation has put side by side, and
	// that are needed on. Here they would be copied, two copies for one store. With
	// homes that are side by side it is done here as well (TestSideBySide).
	sideBySide = "registers lie side by side"
	// The program moves constants to registers and passes those as bytes of one word. ptxas
	// makes the word one constant. Lowering does not look for the values of registers.
	constantBytes = "the program passes constants in registers"
)

// worseCalls are the calls that take more than ptxas's: module, function, number.
var worseCalls = map[string]string{
	"cicc118-nested run 2":                  bytesToMemory, // 10 bytes
	"cicc118-nested run 3":                  sideBySide,    // 17 words
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

// neighbours are homes of registers of one function.
type neighbours struct {
	of    string
	homes map[string]sass.Reg
}

func (n neighbours) Home(f *ptx.Func, r lower.Virtual) (sass.Reg, bool) {
	reg, ok := n.homes[r.Name]
	return reg, ok && f.Name == n.of
}

// TestSideBySide gives the words that the call that is worse for sideBySide passes
// homes that lie side by side, as ptxas does: then it is not worse.
func TestSideBySide(t *testing.T) {
	const module, fn, index = "cicc118-nested", "run", 3
	require.Equal(t, sideBySide, worseCalls[fmt.Sprintf("%s %s %d", module, fn, index)])
	homes := neighbours{fn, map[string]sass.Reg{
		"%f58": 24, "%f57": 25, "%f56": 26, "%f55": 27, "%f54": 28, "%f53": 29, "%f51": 30, "%f50": 31,
		"%f49": 36, "%f48": 37, "%f46": 38, "%f45": 39, "%f44": 44, "%f43": 45, "%f42": 46, "%f41": 47,
	}}
	src, err := os.ReadFile("../testdata/real/" + module + ".ptx")
	require.NoError(t, err)
	ours, err := sitesOf(&qualityModule{name: module, src: string(src)}, lower.Options{Homes: homes})
	require.NoError(t, err)
	record, err := os.ReadFile(qualityRecord)
	require.NoError(t, err)
	_, line, ok := strings.Cut(string(record), fmt.Sprintf("\n%s %s %d ", module, fn, index))
	require.True(t, ok)
	var callee string
	var theirs costs
	_, err = fmt.Sscan(line, &callee, &theirs.bytes, &theirs.locals)
	require.NoError(t, err)
	site := ours[fn][index]
	assert.LessOrEqual(t, site.bytes+site.locals, theirs.bytes+theirs.locals, "ours %+v, ptxas's %+v", site, theirs)
}
