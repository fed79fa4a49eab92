package abitest

import (
	_ "embed"
	"slices"

	"github.com/ptxabi/ptxabi/abi"
)

// A Case is a function of the corpus.
type Case struct {
	Why      string // what it shows, a phrase
	Function *Function
}

// CorpusText is the file corpus.txt: every function of [Corpus] with the places of its
// values on every measured target.
//
//go:embed corpus.txt
var CorpusText string

// CorpusJSON is the file corpus.jsonl: the corpus for programs, a JSON object in each
// line, which the package documentation describes.
//
//go:embed corpus.jsonl
var CorpusJSON string

// Corpus returns the functions of the corpus. The slice and the functions are new in each call. Some functions have no
// assignment on some targets: an error of [abi.Assign] is then the right answer.
func Corpus() []Case {
	list := slices.Clone(corpus)
	for i := range list {
		list[i].Function = list[i].Function.Clone()
	}
	return list
}

var (
	byte1 = Formal{Type: "b8"}
	half  = Formal{Type: "b16"}
	word  = Formal{Type: "b32"}
	long  = Formal{Type: "b64"}
	quad  = Formal{Reg: true, Type: "b32", Vec: 4}

	handle = Formal{Type: "texref"}
)

// array returns a formal of n bytes at an alignment, as compilers pass records.
func array(n, align int) Formal { return Formal{Type: "b8", Len: n, Align: align} }

// tail returns an array without extent.
func tail(align int) Formal { return Formal{Type: "b8", Len: -1, Align: align} }

func function(params ...Formal) *Function { return &Function{Params: params} }

func kernel(params ...Formal) *Function { return &Function{Kernel: true, Params: params} }

func returning(result Formal, params ...Formal) *Function {
	return &Function{Params: params, Result: &result}
}

// variadic returns a function for whose last parameter a caller passes n bytes.
func variadic(n int, params ...Formal) *Function {
	return &Function{Params: params, Tail: n}
}

// preserving gives a function .abi_preserve n, and returns it.
func preserving(n int, f *Function) *Function {
	f.Preserve = abi.Preserve{Given: true, N: n}
	return f
}

// repeated returns n times the same formal.
func repeated(n int, f Formal) []Formal {
	list := make([]Formal, n)
	for i := range list {
		list[i] = f
	}
	return list
}

var corpus = []Case{
	{"nothing is passed", function()},
	{"a scalar takes the first register", function(word)},
	{"a result in a register takes none from the parameters", returning(word, word)},
	{"64 bits take an even register", function(word, long)},
	{"the hole that an alignment leaves is filled", function(word, long, word)},
	{"the lowest hole is filled first", function(word, quad, long, word)},
	{"bytes and halves take a word each", function(byte1, half, byte1)},
	{"a vector is aligned as a whole", function(word, quad)},
	{"a vector of bytes is one word", function(Formal{Reg: true, Type: "b8", Vec: 4}, word)},
	{"an alignment above 16 counts as 16 in registers", function(word, array(8, 64))},
	{"an alignment below the type's own does not count", function(word, Formal{Type: "b64", Align: 4})},
	{"an array has its element's alignment", function(word, Formal{Type: "b64", Len: 1})},
	{"the last word of a record is partly used", function(array(5, 4), byte1)},
	{"a record of bytes begins at a word", function(byte1, array(3, 1), word)},
	{"48 bytes fill all registers", function(array(48, 16), word)},
	{"49 bytes are on the stack", function(array(49, 4), word)},
	{"what does not fit is on the stack whole", function(array(40, 4), array(12, 4), word)},
	{"what comes later may still fit", function(array(44, 4), long, word, word)},
	{"an alignment can keep what would fit out of registers", function(array(36, 4), array(8, 16), long)},
	{"the thirteenth word is on the stack", function(word, word, word, word, word, word, word, word, word, word, word, word, word)},
	{"stack offsets are aligned without a limit", function(array(52, 4), array(52, 128))},
	{"the stack area ends at a word", function(array(49, 1), array(50, 1))},
	{"results begin at the first register whatever their alignment", returning(array(12, 16))},
	{"a result of 48 bytes is in registers", returning(array(48, 4), word)},
	{"a result of 49 bytes is in memory, its address in the first register", returning(array(49, 4), word)},
	{"the address of a result leaves a hole before 64 bits", returning(array(64, 16), long, word)},
	{"an unsized array is on the stack", variadic(0, word, tail(8))},
	{"what a caller passes for an unsized array counts", variadic(24, word, tail(8))},
	{"an unsized array follows the stack parameters", variadic(8, array(52, 4), tail(16))},
	{"128 bits are aligned to four registers", function(word, array(16, 16))},
	{"a handle puts a function outside of the convention", function(word, handle)},
	{"an array of two bytes at the end of the stack area takes a word", function(array(52, 4), array(2, 2), byte1)},
	{"an alignment of 32 on the stack is kept", function(array(52, 4), array(4, 32))},

	{"with .abi_preserve what fits stays in the parameter registers", preserving(4, returning(word, word, long))},
	{"with .abi_preserve 2 words may fill all of them", preserving(2, function(repeated(12, word)...))},
	{"with .abi_preserve 0 ten words are the most", preserving(0, function(repeated(10, word)...))},
	{"with .abi_preserve 1 eleven words find the return address in their way", preserving(1, function(repeated(11, word)...))},
	{"with .abi_preserve a thirteenth word moves all values up", preserving(4, function(repeated(13, word)...))},
	{"with .abi_preserve parameters count as a record, holes too", preserving(4, function(word, long, long, long, long, long, word))},
	{"with .abi_preserve one more callee-saved register takes the next budget", preserving(5, function(repeated(13, word)...))},
	{"with .abi_preserve values begin at a multiple of four", preserving(8, function(repeated(15, word)...))},
	{"with .abi_preserve an alignment leaves a hole that is filled", preserving(4, function(array(41, 4), long, quad, word))},
	{"with .abi_preserve an alignment above 16 counts as 16", preserving(4, function(array(41, 4), array(8, 64), word))},
	{"with .abi_preserve a large result is in registers", preserving(4, returning(array(64, 8), word))},
	{"with .abi_preserve a result of more words than the parameters decides", preserving(4, returning(array(52, 4), word, long))},
	{"with .abi_preserve an unsized array is on the stack", preserving(4, variadic(24, word, tail(8)))},
	{"with .abi_preserve 100 and many words the largest budgets are taken", preserving(100, function(repeated(40, word)...))},
	{"with .abi_preserve 200 there is room for 32 words", preserving(200, function(repeated(32, word)...))},
	{"with .abi_preserve 237 values have to fit the parameter registers", preserving(237, function(word))},
	{"with .abi_preserve 237 a thirteenth word has no place", preserving(237, function(repeated(13, word)...))},

	{"a kernel without parameters has an empty block", kernel()},
	{"a kernel's parameters lie one after the other", kernel(long, word)},
	{"bytes are not widened in a block", kernel(byte1, half, byte1, word)},
	{"a block has holes where alignments ask for them", kernel(byte1, long, byte1)},
	{"a record at an alignment", kernel(word, array(12, 16), byte1)},
	{"an alignment counts from the bank's start or from the block's", kernel(word, array(4, 64))},
	{"an alignment above 128 in a block", kernel(word, array(4, 256))},
	{"the size of a block ends at its last byte", kernel(long, byte1)},
	{"4,352 bytes are a small block", kernel(array(4352, 4))},
	{"4,353 bytes are a large block", kernel(array(4353, 4))},
	{"32,764 bytes are the most", kernel(array(32764, 4))},
	{"32,765 bytes are refused", kernel(array(32765, 4))},
	{"an alignment in a large block", kernel(array(5000, 4), array(4, 256))},
	{"an alignment before the end of a small block", kernel(word, array(4200, 128), byte1)},
	{"a block that fits 4,352 bytes only as long as alignments count from its start", kernel(array(4330, 64))},
	{"the limit of 4,352 bytes counts from the block's start", kernel(array(4, 4), array(4288, 64))},
	{"a handle has no bytes", kernel(word, handle, word)},
	{"a handle at the end aligns the size of the block, or not", kernel(byte1, handle)},
	{"what a handle moves has no place", kernel(byte1, handle, byte1)},
}
