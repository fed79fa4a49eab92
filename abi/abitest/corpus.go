package abitest

import (
	_ "embed"
	"slices"
)

// A Case is a function of the corpus.
type Case struct {
	Why      string // what it shows, a phrase
	Function *Function
}

// CorpusText is the file corpus.txt: every function of [Corpus] with where its
// values live on every measured target.
//
//go:embed corpus.txt
var CorpusText string

// Corpus returns the functions of the corpus, in a fresh slice of fresh
// functions.
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
)

// array is n bytes at an alignment, as compilers pass records.
func array(n, align int) Formal { return Formal{Type: "b8", Len: n, Align: align} }

// tail is an array without extent.
func tail(align int) Formal { return Formal{Type: "b8", Len: -1, Align: align} }

func function(params ...Formal) *Function { return &Function{Params: params} }

func kernel(params ...Formal) *Function { return &Function{Kernel: true, Params: params} }

func returning(result Formal, params ...Formal) *Function {
	return &Function{Params: params, Result: &result}
}

// variadic passes n bytes for its last parameter.
func variadic(n int, params ...Formal) *Function {
	return &Function{Params: params, Tail: n}
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

	{"a kernel without parameters has an empty block", kernel()},
	{"a kernel's parameters lie one behind the other", kernel(long, word)},
	{"bytes are not widened in a block", kernel(byte1, half, byte1, word)},
	{"a block has holes where alignments ask for them", kernel(byte1, long, byte1)},
	{"a record at an alignment", kernel(word, array(12, 16), byte1)},
	{"an alignment counts from the bank's start or from the block's", kernel(word, array(4, 64))},
	{"an alignment above 128 in a block", kernel(word, array(4, 256))},
	{"the size of a block ends at its last byte", kernel(long, byte1)},
}
