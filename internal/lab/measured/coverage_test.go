package measured_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/measured"
)

// elsewhere are the facts that no test of recordings compares by name, with
// what holds them instead.
var elsewhere = map[string]string{
	"generation": "documented",

	"values of functions with .abi_preserve": "TestMeasuredPreserve of internal/lab/places",
	"what functions and kernels begin with":  "TestEntrySequence",

	"the assembler crashes on calls without arguments whose result is in memory": "TestLone",

	"parameter registers":            "the signatures that internal/lab/places records and compares",
	"largest alignment in registers": "the signatures that internal/lab/places records and compares",
	"largest result in registers":    "the signatures that internal/lab/places records and compares",
	"reach of local memory offsets":  "TestReach",
	"stack pointer":                  "TestCalls, as the register of a kernel's stack pointer",

	"callee-saved registers":                                   "TestSaves, TestLive, TestUnwind",
	"caller-saved registers":                                   "TestSaves, TestLive, TestUnwind",
	"highest register":                                         "TestSaves",
	"smallest register budget of a function":                   "TestBudget",
	"registers of a block":                                     "TestBlocks",
	"registers of a multiprocessor":                            "TestResident",
	"most threads on a multiprocessor":                         "TestResident",
	"most blocks on a multiprocessor":                          "TestResident",
	"caller-saved predicates":                                  "TestUnwind, TestPredicates",
	"caller-saved uniform registers":                           "TestUnwind",
	"callee-saved uniform registers":                           "TestDisputed",
	"uniform registers that are callee-saved in some releases": "TestDisputed",
	"frame address at entry in debug frames":                   "TestUnwind",
	"return column of debug frames":                            "TestUnwind",
	"DWARF numbers of registers":                               "TestUnwind: recordings name registers by their numbers",
	"caller-saved uniform predicates":                          "TestUnwind, TestPredicates",
	"caller-saved barriers":                                    "TestBarriers",
	"callee-saved barriers":                                    "TestBarriers",

	"where the limit depends on the alignments' origin": "TestKernelParameters",
	"what code does after a handle":                     "TestKernelParameters",
	"large kernel parameters from":                      "TestVersions, TestSinceGrade",
	"other spellings of the stack adjustment":           "TestCalls",
	"local loads":            "TestWidths",
	"local stores":           "TestWidths",
	"kernel parameter loads": "TestWidths",
	"kernel parameter loads with a register in the address": "TestWidths",

	"stack alignment at a kernel's start":             "TestFrames, from the recorded size",
	"stack alignment at a function's entry":           "TestFrames, from the recorded size",
	"frame size":                                      "TestFrames",
	"old stack pointer of a realigned frame":          "TestFrames",
	"register of the frame where alloca is used":      "TestAlloca",
	"caller-saved register that carries no parameter": "follows from the sets of registers",
	"byte selection":                                  "TestSpelling",
	"addition of registers":                           "TestSpelling",
	"immediate load":                                  "TestSpelling",
	"memory of a block of threads":                    "TestBlockMemory",
}

// TestEveryFactIsHeld requires that each fact of a row is compared with the
// recordings by a test here, or stands in the list above.
func TestEveryFactIsHeld(t *testing.T) {
	calls, err := measured.Read(recordings(), "cuda-13.5", "calls")
	require.NoError(t, err)
	derived, err := measured.Calls(calls.Find("calls", "-c -O1", "sm_100"))
	require.NoError(t, err)
	kernels, err := measured.Read(recordings(), "cuda-13.5", "kernels")
	require.NoError(t, err)
	more, err := measured.Kernels(kernels, "sm_100")
	require.NoError(t, err)
	maps.Copy(derived, more)
	frames, err := measured.Read(recordings(), "cuda-13.5", "frames")
	require.NoError(t, err)
	more, err = measured.Frames(frames.Find("static", "-c -O1", "sm_100"))
	require.NoError(t, err)
	maps.Copy(derived, more)

	var names []string
	for _, f := range row(t, "sm_100").Facts() {
		names = append(names, f.Name)
		_, here := derived[f.Name]
		_, there := elsewhere[f.Name]
		assert.True(t, here || there, "nothing holds the fact %q", f.Name)
	}
	for name := range elsewhere {
		assert.True(t, slices.Contains(names, name), "no fact %q", name)
	}
}
