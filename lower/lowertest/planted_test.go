package lowertest_test

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// plantedModule has something in it for each of the defects that are planted below.
//
//go:embed testdata/text/plantedModule.ptx
var plantedModule string

// plantedHomes are where the registers of plantedModule live.
var plantedHomes = fixedHomes{"%r1": 25, "%r2": 26, "%r3": 27, "%r4": 28, "%r5": 29, "%r6": 30, "%r7": 31, "%rd1": 36}

// fixedHomes are homes by the names of registers.
type fixedHomes map[string]sass.Reg

func (h fixedHomes) Home(_ *ptx.Func, r lower.Virtual) (sass.Reg, bool) {
	reg, ok := h[r.Name]
	return reg, ok
}

// A planted defect is an edit of a listing: in the function fn, what a regular expression
// matches first becomes something else.
type planted struct {
	name, fn, find, put string
	// want are regular expressions that match the report: of the place, of what was
	// right last, and of the rule.
	want []string
	only string // "new" and "old": the families that have it; "" for both
}

const (
	keptRule  = `\(docs/abi.md, Registers across a call\)`
	frameRule = `\(docs/abi.md, Frames\)`
	callRule  = `\(docs/abi.md, Calls and returns\)`
	f3Rule    = `\(docs/abi.md, F3\)`
	f5Rule    = `\(docs/abi.md, F5\)`
	f6Rule    = `\(docs/abi.md, F6\)`
	valueRule = `\(docs/abi.md, Values and sizes\)`
)

var plantedDefects = []planted{
	{
		"a preserved register clobbered and not saved", "f", `(?m)^(\tMOV R26, R6 ;.*\n)`, "\tMOV R16, R6 ;\n$1",
		[]string{`line \d+, return: R16 should hold what it held at entry; it holds parameter x`, `R16 held it from the entry until line \d+, .MOV R16, R6.`, keptRule},
		"",
	},
	{
		"another one", "h", `(?m)^(\tMOV R25, R5 ;.*\n)`, "$1\tMOV R60, R5 ;\n",
		[]string{`R60 should hold what it held at entry`, `R60 held it from the entry until line \d+`, keptRule},
		"",
	},
	{
		"a save lost", "f", `(?m)^\tSTL .*, R27 ;.*saved\n`, "",
		[]string{`R27 should hold what it held at entry; it holds what lay at`, `R27 held it from the entry until`, keptRule},
		"",
	},
	{
		"a restore lost", "f", `(?m)^\tLDL R28, .*restored\n`, "",
		[]string{`R28 should hold what it held at entry; it holds result r of call 1 of g`, `R28 held it from the entry until line \d+, .MOV R28, R4.`, keptRule},
		"",
	},
	{
		"two restores swapped", "f", `(?m)^\tLDL R25, (\S+) ;.*\n\tLDL R26, (\S+) ;.*\n`, "\tLDL R25, $2 ;\n\tLDL R26, $1 ;\n",
		[]string{`R25 should hold what it held at entry; it holds what R26 held at entry`, `R25 held it from the entry`, keptRule},
		"",
	},
	{
		"a register overwritten before its last use", "f", `(?m)^(\tMOV R6, R26 ;.*\n)`, "\tMOV R26, R25 ;\n$1",
		[]string{`return: R6 should hold bytes 8 to 12 of result res \(parameter x`, `it was last in R26, until line`, f3Rule},
		"",
	},
	{
		"the return address not restored", "f", `(?m)^\tLDL R20, .*restored\n\tLDL R21, .*restored\n`, "",
		[]string{`return: R20 should hold the return address, as at entry`, `R20 held it from the entry until`, callRule},
		"new",
	},
	{
		"half of the return address not restored", "f", `(?m)^\tLDL R21, .*restored\n`, "",
		[]string{`return: R21 should hold the return address`, `R21 held it from the entry until`, callRule},
		"new",
	},
	{
		"a return through another register", "h", `RET.ABS.NODEC R20 `, "RET.ABS.NODEC R22 ",
		[]string{`return: R22 should be R20, where the caller puts the return address`, callRule},
		"new",
	},
	{
		"the frame not given back", "f", `(?m)^\tIADD\S* R1, .*\n(\tRET)`, "$1",
		[]string{`return: R1 should hold what it held at entry; it holds what R1 held at entry-0x[0-9a-f]+`, `R1 was changed last in line \d+, .IADD`, frameRule},
		"",
	},
	{
		"too much given back", "h", `(?m)^(\tIADD\S* R1, .*)0x([0-9a-f]+)(.*\n\tRET)`, "${1}0x4${2}$3",
		[]string{`return: R1 should hold what it held at entry; it holds what R1 held at entry\+0x`, frameRule},
		"",
	},
	{
		"the stack pointer misaligned by 4", "f", `(?m)^(\tIADD\S* R1, .*)-0xa0`, "${1}-0xa4",
		[]string{`call 1 of g: R1 should be a multiple of 8; it is what R1 held at entry-0xa4, which is aligned to 4`, `R1 was changed last in`, frameRule},
		"new",
	},
	{
		"the stack pointer misaligned by 4 in the old family", "f", `(?m)^(\tIADD\S* R1, .*)-0x98`, "${1}-0x9c",
		[]string{`call 1 of g: R1 should be a multiple of 8; it is what R1 held at entry-0x9c, which is aligned to 4`, `R1 was changed last in`, frameRule},
		"old",
	},
	{
		"no frame at all for what is passed", "k", `(?m)^\tIADD\S* R1, .*\n`, "",
		[]string{`call 1 of g: R1 should leave room for the 52 bytes of the callee's stack parameters`, frameRule},
		"",
	},
	{
		"a kernel that does not load the stack pointer", "k", `(?m)^\t(MOV|LDC) R1, .*\n`, "",
		[]string{`R1 should be what the kernel loads from c\[0x0\]`, frameRule},
		"",
	},
	{
		"a store into the caller's frame", "h", `(?m)^(\tSTL \[R1\], R17.*\n)`, "\tSTL [R1+0x80], R5 ;\n$1",
		[]string{`the store: \[R1\+0x[0-9a-f]+\] of the entry should be left alone; it is written: it is in the caller's frame`, frameRule},
		"",
	},
	{
		"a store above a kernel's frame", "k", `(?m)^(\tSTL \[R1\], R26.*\n)`, "\tSTL [R1+0x80], R26 ;\n$1",
		[]string{`the store: \[R1\+0x[0-9a-f]+\] of the entry should be left alone; it is written: local memory ends at the R1 that the kernel loads`, frameRule},
		"",
	},
	{
		"a store after the result", "h", `\[R17\+0x30\], R26`, "[R17+0x34], R26",
		[]string{`byte 52 of the memory for the result should be left alone`, f3Rule},
		"",
	},
	{
		"a word of the result in the wrong place", "h", `\[R17\+0x30\], R26`, "[R17+0x2c], R26",
		[]string{`return: the memory for the result at offset 48 should hold bytes 4 to 8 of parameter z`, `it was last in R26, until line`, f3Rule},
		"",
	},
	{
		"an argument not moved", "f", `(?m)^\tMOV R5, R30 ;.*// a.*\n`, "",
		[]string{`call 2 of big: R5 should hold argument a`, `it is in R30 since line \d+`, f5Rule},
		"",
	},
	{
		"two words swapped", "f", `(?m)^\tMOV R6, R36 ;.*\n\tMOV R7, R37 ;.*\n`, "\tMOV R7, R36 ;\n\tMOV R6, R37 ;\n",
		[]string{`call 1 of g: R6 should hold bytes 0 to 4 of argument b \(bytes 0 to 4 of parameter y, which R8 held at entry\); it holds bytes 4 to 8 of parameter y`, `it is in R7 since line \d+`, f5Rule},
		"",
	},
	{
		"64 bits at an odd register", "f", `(?m)^\tMOV R6, R36 ;.*\n\tMOV R7, R37 ;.*\n`, "\tMOV R5, R36 ;\n\tMOV R6, R37 ;\n",
		[]string{`R6 should hold bytes 0 to 4 of argument b`, f5Rule},
		"",
	},
	{
		"a stack word elsewhere", "f", `(?m)^\tSTL \[R1\+0x30\], R26 ;.*\n`, "\tSTL [R1+0x2c], R26 ;\n",
		[]string{`call 1 of g: \[R1\+0x30\] should hold bytes 48 to 52 of argument s \(parameter x, which R6 held at entry\); it holds nothing that was put there`, `it is in R26 since line \d+`, f6Rule},
		"",
	},
	{
		"a stack word not stored", "k", `(?m)^\tSTL \[R1\], R26 ;.*\n`, "",
		[]string{`call 1 of g: \[R1\] should hold bytes 0 to 4 of argument s \(bytes 4 to 8 of parameter s`, `it is in R26 since line \d+`, f6Rule},
		"",
	},
	{
		"a stack parameter read from the wrong place", "h", `(?m)^(\tLDL R26, \[R1\+0x1)[48](\] ;.*z.*\n)`, "${1}c$2",
		[]string{`return: the memory for the result at offset 48 should hold bytes 4 to 8 of parameter z`, f3Rule},
		"",
	},
	{
		"a value kept in a scratch register", "f", `(?m)^\tMOV R5, R30 ;(.*// res.*\n)`, "\tMOV R5, R12 ;$1",
		[]string{
			`return: R5 should hold bytes 4 to 8 of result res \(what line 28 of the source, .add.s32 %r6, %r2, %r4., computes\); it holds what call 2 of big left in R12`,
			`R5 held it from line \d+ until the call in line \d+; it was last in R30, until line \d+, .LDL R30`, f3Rule,
		},
		"",
	},
	{
		"a result from the wrong register", "f", `(?m)^\tMOV R28, R4 ;`, "\tMOV R28, R5 ;",
		[]string{`call 2 of big: R5 should hold argument a`, `what line \d+, .add.s32 R30, R26, R28., computes`, f5Rule},
		"",
	},
	{
		"a result read from the wrong place", "f", `(?m)^\tLDL R29, \[R1\+0x([0-9a-f]+)\] ;(.*// r\[)`, "\tLDL R29, [R1+0x40] ;$2",
		[]string{`return: R4 should hold bytes 0 to 4 of result res \(bytes 56 to 60 of result r of call 2 of big\); it holds`, f3Rule},
		"",
	},
	{
		"the address of the result off by 8", "f", `(?m)^(\tIADD\S* R4, .*)0x38`, "${1}0x30",
		[]string{`R4 should hold bytes 0 to 4 of result res`, f3Rule},
		"",
	},
	{
		"the address of the result not set", "f", `(?m)^\tIADD\S* R4, .*\n`, "",
		[]string{`call 2 of big: R4 should hold the address of 60 bytes for the result; it holds`, f3Rule},
		"",
	},
	{
		"the address of the result misaligned", "f", `(?m)^(\tIADD\S* R4, .*)0x38`, "${1}0x3c",
		[]string{`call 2 of big: R4 should hold the address of 60 bytes for the result(, a multiple of 8| in the caller's frame)`, f3Rule},
		"",
	},
	{
		"no return address", "f", `(?m)^\tMOV R20, 32@lo.*\n\tMOV R21, 32@hi.*\n`, "",
		[]string{`call 1 of g: R20 should hold the low word of the address of the label after the call; it holds what R20 held at entry`, `nothing puts it into R20`, callRule},
		"new",
	},
	{
		"half of the return address", "f", `(?m)^\tMOV R21, 32@hi.*\n`, "",
		[]string{`call 1 of g: R21 should hold the high word of the address of the label after the call; it holds what R21 held at entry`, `nothing puts it into R21`, callRule},
		"new",
	},
	{
		"the return address of another label", "f", `32@lo\(\(f \+ .L_x_0@srel\)\)`, "32@lo((f + .L_x_1@srel))",
		[]string{`call 1 of g: R20 should hold the low word of the address of the label after the call; it holds the low word of the address of the label .L_x_1 of f`, callRule},
		"new",
	},
	{
		"the halves of the return address swapped", "f", `(?m)^\tMOV R20, (32@lo.*\)\)) ;.*\n\tMOV R21, (32@hi.*\)\)) ;.*\n`, "\tMOV R20, $2 ;\n\tMOV R21, $1 ;\n",
		[]string{`R20 should hold the low word of the address`, callRule},
		"new",
	},
	{
		"zero extension that extends the sign", "f", `PRMT R25, R4, 0x7770, RZ`, "PRMT R25, R4, 0x8880, RZ",
		[]string{`call 1 of g: R4 should hold argument a`, `in bytes 1 to 4 copies of the sign of parameter c`, valueRule},
		"",
	},
	{
		"sign extension that extends zeros", "f", `PRMT R31, R5, 0x8880, RZ`, "PRMT R31, R5, 0x7770, RZ",
		[]string{`call 2 of big: R6 should hold argument c`, `in bytes 1 to 4 the number 0x0`, valueRule},
		"",
	},
	{
		"no extension", "f", `PRMT R25, R4, 0x7770, RZ`, "MOV R25, R4",
		[]string{`call 1 of g: R4 should hold argument a`, `\(docs/abi.md, (Values and sizes|F5)\)`},
		"",
	},
	{
		"the wrong byte", "f", `PRMT R25, R4, 0x7770, RZ`, "PRMT R25, R4, 0x7771, RZ",
		[]string{`call 1 of g: R4 should hold argument a`, f5Rule},
		"",
	},
	{
		"a parameter of a kernel at the wrong offset", "k", `(?m)^(\t\S+ R26, c\[0x0\]\[0x)(\w+)4\]`, "${1}${2}0]",
		[]string{`call 1 of g: \[R1\] should hold bytes 0 to 4 of argument s \(bytes 4 to 8 of parameter s, which is at c\[0x0\]\[0x\w+\]\); it holds bytes 0 to 4 of parameter s`, f6Rule},
		"",
	},
	{
		"another function called", "f", "(CALL.ABS.NOINC|JCAL) `\\(big\\)", "$1 `(g)",
		[]string{`call 2: the call should be of big; it is of g`, callRule},
		"",
	},
	{
		"a call left out", "f", "(?m)^\t(CALL.ABS.NOINC|JCAL) `\\(big\\).*\n", "",
		[]string{`call 2: the call should be of big; the listing has 1 calls`, callRule},
		"",
	},
	{
		"a relative call", "f", "CALL.ABS.NOINC `\\(g\\)", "CALL.REL.NOINC `(g)",
		[]string{"the call should be CALL.ABS.NOINC `\\(g\\); it is CALL.REL.NOINC", callRule},
		"new",
	},
	{
		"a return left out", "h", `(?m)^\tRET.*\n`, "",
		[]string{`the end: the code should end with a return, an exit or a jump`, callRule},
		"",
	},
	{
		"a kernel that returns", "k", `(?m)^\tEXIT ;`, "\tRET.ABS.NODEC R20 0x0 ;",
		[]string{`return: the kernel should end with EXIT; it returns`, callRule},
		"new",
	},
	{
		"a register destroyed on one path", "h", `(?m)^(\tMOV R25, R5 ;.*\n)`, "\t@P0 MOV R18, R5 ;\n$1",
		[]string{`R18 should hold what it held at entry; it holds another value on each way`, keptRule},
		"",
	},
	{
		"a register destroyed in a branch", "h", `(?m)^(\tMOV R25, R5 ;.*\n)`, "\t@P0 BRA `(.L_p) ;\n\tMOV R18, R5 ;\n.L_p:\n$1",
		[]string{`R18 should hold what it held at entry; it holds another value on each way`, keptRule},
		"",
	},
	{
		"a computation of another register", "f", `add.s32 R30, R26, R28`, "add.s32 R30, R26, R27",
		[]string{`call 2 of big: R5 should hold argument a`, `add.s32 R30, R26, R27., computes`, f5Rule},
		"",
	},
	{
		"a pair of registers overwritten in part", "f", `(?m)^(\tMOV R37, R9 ;.*\n)`, "$1\tMOV R36, R9 ;\n",
		[]string{`call 1 of g: R6 should hold bytes 0 to 4 of argument b`, `it was last in R36, until line \d+, .MOV R36, R9.`, f5Rule},
		"",
	},
}

// plantedTargets are one of each kind of code.
var plantedTargets = []string{"sm_52", "sm_70", "sm_80", "sm_90", "sm_120"}

// listingOf is the listing of plantedModule of a compiler that allocates registers.
func listingOf(t *testing.T, target *abi.Target) string {
	t.Helper()
	return lowered(t, plantedModule, target, plantedHomes)
}

func mustTarget(t *testing.T, name string) *abi.Target {
	t.Helper()
	return must.Target(t, name)
}

// lowered is the listing of a module whose registers have homes.
func lowered(t *testing.T, src string, target *abi.Target, homes lower.Homes) string {
	t.Helper()
	prog, err := lower.Module(must.Parse(t, "module.ptx", []byte(src)), target, lower.Options{Homes: homes})
	require.NoError(t, err)
	return prog.String()
}

// compared compares a listing with its source.
func compared(t *testing.T, src []byte, listing string, target *abi.Target) *lowertest.Report {
	t.Helper()
	r, err := lowertest.Compare(src, listing, target)
	require.NoError(t, err)
	return r
}

// allocation checks the registers of a listing against its source.
func allocation(t *testing.T, src []byte, listing string, target *abi.Target) *lowertest.AllocationReport {
	t.Helper()
	r, err := lowertest.CheckAllocation(src, listing, target)
	require.NoError(t, err)
	return r
}

// edited is a listing with a change in one function.
func (p *planted) edited(t *testing.T, listing string) string {
	t.Helper()
	start := strings.Index(listing, "\n"+p.fn+":\n")
	require.Positive(t, start, p.fn)
	end := len(listing)
	if next := strings.Index(listing[start:], "\n//----"); next >= 0 {
		end = start + next
	}
	code := listing[start:end]
	re := regexp.MustCompile(p.find)
	at := re.FindStringSubmatchIndex(code)
	require.NotNil(t, at, "%s: there is nothing to break in\n%s", p.name, code)
	return listing[:start] + code[:at[0]] + string(re.ExpandString(nil, p.put, code, at)) + code[at[1]:] + listing[end:]
}

// TestPlantedDefects plants one defect after the other in the listing of a compiler that
// is right, for five architectures, and requires that each is found and reported with its
// place, where that was last right, and the rule.
func TestPlantedDefects(t *testing.T) {
	found := 0
	for _, name := range plantedTargets {
		target := mustTarget(t, name)
		listing := listingOf(t, target)
		right := compared(t, []byte(plantedModule), listing, target)
		assert.Empty(t, right.Differences)
		assert.Empty(t, right.NotCompared)
		assert.Empty(t, right.NotFollowed)
		for _, p := range plantedDefects {
			if p.only != "" && (p.only == "old") != (!target.Regs.HasRetAddr()) {
				continue
			}
			r, err := lowertest.Compare([]byte(plantedModule), p.edited(t, listing), target)
			if !assert.NoError(t, err, "%s on %s", p.name, name) {
				continue
			}
			var said []string
			for _, d := range r.Differences {
				said = append(said, d.String())
			}
			text := strings.Join(said, "\n")
			if !assert.NotEmpty(t, text, "%s on %s is not found; not compared: %v %v", p.name, name, r.NotCompared, r.NotFollowed) {
				continue
			}
			found++
			for _, want := range p.want {
				assert.Regexp(t, want, text, "%s on %s", p.name, name)
			}
		}
	}
	t.Logf("%d defects of %d kinds, all found", found, len(plantedDefects))
	require.GreaterOrEqual(t, len(plantedDefects), 48)
}
