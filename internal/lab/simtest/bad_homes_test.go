package simtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// TestDeadHomes holds that what control does not come to reads nothing after a call.
func TestDeadHomes(t *testing.T) {
	for _, tt := range []struct {
		end string
		bad bool
	}{{"trap;", false}, {"call n, ();", false}, {"bra L;", false}, {"ret;", false}, {"@%p1 ret;", true}, {"call e, ();", true}, {"trap; L2:", false}, {"", true}} {
		m, err := ptx.Parse("dead.ptx", []byte(homesHead+`.extern .func e ();
.extern .func n () .noreturn;
.func f () {
	.reg .b32 %r<3>;
	.reg .pred %p<3>;
	mov.b32 %r1, 1;
	call e, ();
	`+tt.end+`
	st.global.b32 [%r1], %r1;
L:
	ret;
}`))
		require.NoError(t, err)
		target := must.Target(t, "sm_80")
		_, err = lower.Module(m, target, lower.Options{Homes: fixedHomes{"%r1": 4}})
		assert.Equal(t, tt.bad, err != nil, "%s: %v", tt.end, err)
	}
}

// TestBadHomes gives homes that cannot be.
func TestBadHomes(t *testing.T) {
	mod := must.Parse(t, "bad.ptx", must.Read(t, "testdata/text/badHomes.ptx"))
	for _, c := range []struct {
		target string
		homes  fixedHomes
		want   string // "" where there is nothing wrong
	}{
		{"sm_80", nil, ""},
		{"sm_80", fixedHomes{"%r1": 22, "%rd1": 4, "%rq1": 8, "%r2": 5, "%v": 9, "%p1": 0}, "%p1 is read after a call that does not preserve P0"},
		{"sm_80", fixedHomes{"%r1": 22, "%rd1": 4, "%rq1": 8, "%r2": 5, "%v": 9}, ""},
		{"sm_80", fixedHomes{"%r1": 4}, "%r1 is read after a call that does not preserve R4"},
		{"sm_80", fixedHomes{"%rd2": 12}, "%rd2 is read after a call that does not preserve R12"},
		{"sm_80", fixedHomes{"%rd3": 12}, "%rd3 is read after a call that does not preserve R12"},
		{"sm_80", fixedHomes{"%r4": 12}, "%r4 is read after a call that does not preserve R12"},
		{"sm_80", fixedHomes{"%rd2": 24, "%rd3": 26, "%r4": 22}, ""},
		{"sm_80", fixedHomes{"%r2": 20}, "%r2 lives in R20, which is reserved"},
		{"sm_80", fixedHomes{"%rd1": 5}, "%rd1 lives in R5, which is no multiple of 2"},
		{"sm_80", fixedHomes{"%rq1": 6}, "%rq1 lives in R6, which is no multiple of 4"},
		{"sm_80", fixedHomes{"%v": 13}, "%v lives in R16, which is reserved"},
		{"sm_80", fixedHomes{"%rd1": 252}, "%rd1 lives in R253, and sm_80 has registers up to R252"},
		{"sm_80", fixedHomes{"%r1": 0}, "%r1 lives in R0, which is reserved"},
		{"sm_80", fixedHomes{"%p1": 7}, "%p1 lives in P7, which does not exist"},
	} {
		target := must.Target(t, c.target)
		prog, err := lower.Module(mod, target, lower.Options{Homes: c.homes})
		if c.want == "" {
			assert.NoError(t, err, "%v", c.homes)
			continue
		}
		assert.Nil(t, prog)
		var list diag.List
		if assert.ErrorAs(t, err, &list, "%v", c.homes) {
			assert.Equal(t, lower.BadHome, list[0].Code)
			assert.Contains(t, list[0].Msg, c.want)
		}
	}
}

// crowdedCall returns what lowers a function that calls through %rd1 with .abi_preserve
// 236, which leaves the call few registers, and twelve words of arguments, which take
// the rest.
func crowdedCall(t *testing.T, version, name string, bits int) func(lower.Homes) (*sass.Program, error) {
	t.Helper()
	src := fmt.Sprintf(".version %s\n.target %s\n.address_size %[3]d\n.func f (.param .b%[3]d p)\n{\n\t.reg .b%[3]d %%rd<2>;\n\t.reg .b32 %%r<2>;\n", version, name, bits) +
		"\tproto: .callprototype _ (.reg .b32 _" + strings.Repeat(", .reg .b32 _", 11) + ") .abi_preserve 236;\n" +
		fmt.Sprintf("\tld.param.b%d %%rd1, [p];\n", bits) +
		"\tmov.b32 %r1, 1;\n\tcall %rd1, (%r1" + strings.Repeat(", %r1", 11) + "), proto;\n\tret;\n}\n"
	m := must.Parse(t, "crowded.ptx", []byte(src))
	target := must.Target(t, name)
	return func(homes lower.Homes) (*sass.Program, error) {
		return lower.Module(m, target, lower.Options{Homes: homes})
	}
}

// TestCrowdedCall gives the address of a callee a home that the call needs for an argument.
func TestCrowdedCall(t *testing.T) {
	call := crowdedCall(t, "9.0", "sm_100", 64)
	_, err := call(fixedHomes{"%rd1": 10})
	var list diag.List
	require.ErrorAs(t, err, &list)
	assert.Equal(t, lower.BadHome, list[0].Code)
	assert.Contains(t, list[0].Msg, "%rd1 lives in R10, which the call needs for an argument")
	for _, ok := range []fixedHomes{nil, {"%rd1": 30}} {
		_, err = call(ok)
		assert.NoError(t, err)
	}
}

// TestCrowdedNarrowCall has an address of 32 bits, which takes a second register at the
// call: without homes there is always one.
func TestCrowdedNarrowCall(t *testing.T) {
	call := crowdedCall(t, "9.4", "sm_88", 32)
	prog, err := call(nil)
	require.NoError(t, err)
	assert.Contains(t, prog.String(), "\tMOV %rd1.callee$x2.hi, RZ ;")
	assert.Contains(t, prog.String(), "\tCALL.ABS.NOINC %rd1.callee$x2 ;")
	_, err = call(fixedHomes{"%rd1": 30})
	var list diag.List
	require.ErrorAs(t, err, &list)
	assert.Contains(t, list[0].Msg, "%rd1 holds half of an address")
}
