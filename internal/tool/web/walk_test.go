package web_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// walked writes the steps of a call as text.
func walked(c web.Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s calls %s, line %d: %d bytes of stack, frames of %d and %d\n", c.Caller, c.Callee, c.Line, c.Stack, c.Frame, c.CalleeFrame)
	for _, s := range c.Steps {
		fmt.Fprintf(&b, "%s %s %s %s: %s\n", s.Who, s.Kind, s.ID, strings.Join(s.Cells, ","), s.Text)
	}
	return b.String()
}

// TestWalk steps through the call of the first example, and through one with
// arguments on the stack and a result in memory.
func TestWalk(t *testing.T) {
	r := web.Answer(web.Request{Text: example0(t, "A struct and its call")})
	require.Len(t, r.Calls, 1)
	assert.Equal(t, `kernel calls mix, line 36: 0 bytes of stack, frames of 0 and 0
caller pass f0.p1 R8: pt[8:12]: c[0x0][0x210] to R8
caller pass f0.p0 R4: n[0:4]: R8 to R4
caller pass f0.p1 R6: pt[0:4]: %rd1.lo to R6
caller pass f0.p1 R7: pt[4:8]: %rd1.hi to R7
caller pass f0.p2 R10: scale[0:4]: %rd1.lo to R10
caller pass f0.p2 R11: scale[4:8]: %rd1.hi to R11
caller link  R20: R20 gets the lower half of the return address
caller link  R21: R21 gets the upper half of the return address
caller call  : kernel calls mix
callee read f0.p0 R4: n[0:4]: R4 to %r1
callee read f0.p1 R6: pt[0:4]: R6 to %r2
callee read f0.p1 R8: pt[8:12]: R8 to %r3
callee read f0.p2 R10: scale[0:4]: R10 to %rd1.lo
callee read f0.p2 R11: scale[4:8]: R11 to %rd1.hi
callee write f0.r0 R4: sum[0:4]: %r4 to R4
callee return  : mix returns
caller take f0.r0 R4: sum[0:4]: R4 to %r2
`, walked(r.Calls[0]))
	for _, s := range r.Calls[0].Steps {
		if s.ID != "" {
			assert.Contains(t, r.Listing.Lines[s.Line].Text, fmt.Sprintf("[%d:%d]", s.First, s.End))
			assert.Contains(t, r.Listing.Lines[s.Line].IDs, s.ID)
		}
	}

	r = web.Answer(web.Request{Text: example0(t, "On the stack")})
	require.Len(t, r.Calls, 1)
	assert.Equal(t, `kernel calls many, line 44: 16 bytes of stack, frames of 80 and 0
caller pass f0.p5 S0,S4: matrix[0:8]: %rd1 to the stack at 0x0
caller pass f0.p5 S8,S12: matrix[8:16]: %rd1 to the stack at 0x8
caller address f0.h R4: R4 gets the address at which the callee writes out
caller pass f0.p0 R6: a[0:4]: %rd1.lo to R6
caller pass f0.p0 R7: a[4:8]: %rd1.hi to R7
caller pass f0.p1 R8: b[0:4]: %rd1.lo to R8
caller pass f0.p1 R9: b[4:8]: %rd1.hi to R9
caller pass f0.p2 R10: c[0:4]: %rd1.lo to R10
caller pass f0.p2 R11: c[4:8]: %rd1.hi to R11
caller pass f0.p3 R12: d[0:4]: %rd1.lo to R12
caller pass f0.p3 R13: d[4:8]: %rd1.hi to R13
caller pass f0.p4 R14: e[0:4]: %rd1.lo to R14
caller pass f0.p4 R15: e[4:8]: %rd1.hi to R15
caller pass f0.p6 R5: last[0:4]: %r1 to R5
caller call  : kernel calls many
callee read f0.p0 R6: a[0:4]: R6 to %rd1.lo
callee read f0.p0 R7: a[4:8]: R7 to %rd1.hi
callee read f0.p5 S8,S12: matrix[8:16]: the stack at 0x8 to %rd2
callee read f0.p6 R5: last[0:4]: R5 to %r1
callee write f0.r0 M0,M4: out[0:8]: %rd3 to the result's memory at 0x0
callee write f0.r0 M48,M52: out[48:56]: %rd2 to the result's memory at 0x30
callee return  : many returns
caller take f0.r0 M48,M52: out[48:56]: the result's memory at 0x30 to %rd2
`, walked(r.Calls[0]))
}

//go:embed testdata/text/nestedModule.ptx
var nestedModule string

// TestFrames has the frames of caller and callee, with what is saved in them, and
// where the stack pointer is.
func TestFrames(t *testing.T) {
	r := web.Answer(web.Request{Text: nestedModule})
	require.Empty(t, r.Refused)
	var c web.Call
	for _, c = range r.Calls {
		if c.Callee == "mid" {
			break
		}
	}
	require.Equal(t, "mid", c.Callee)
	var b strings.Builder
	for _, m := range c.Memory {
		fmt.Fprintf(&b, "%s %s %q %d:%d\n", m.Who, m.Kind, m.Name, m.From, m.To)
	}
	for _, s := range c.Steps {
		fmt.Fprintf(&b, "%d %s %s %s: %s\n", s.SP, s.Who, s.Kind, strings.Join(s.Cells, ","), s.Text)
	}
	assert.Equal(t, `callee rest "" -32:-12
callee saved "R20" -12:-8
callee saved "R21" -8:-4
callee rest "" -4:0
caller arguments "" 0:64
caller result "sum" 64:116
caller rest "" 116:128
0 caller pass R5: n[0:4]: c[0x0][0x210] to R5
0 caller pass S32: big[32:36]: R5 to the stack at 0x20
0 caller address R4: R4 gets the address at which the callee writes sum
0 caller link R20: R20 gets the lower half of the return address
0 caller link R21: R21 gets the upper half of the return address
0 caller call : k calls mid
-32 callee frame : mid makes its frame of 32 bytes: R1 moves down
-32 callee save F-12: R20: saved at [R1+0x14]
-32 callee save F-8: R21: saved at [R1+0x18]
-32 callee read S32: big[32:36]: the stack at 0x20 to %r3
-32 callee write M48: sum[48:52]: %r2 to the result's memory at 0x30
-32 callee restore F-12: R20: restored from [R1+0x14]
-32 callee restore F-8: R21: restored from [R1+0x18]
0 callee frame : mid leaves its frame: R1 is what it was at the call
0 callee return : mid returns
0 caller take M48: sum[48:52]: the result's memory at 0x30 to %r2
`, b.String())
}

// TestFramesAligned has the steps of a callee that aligns its frame, which leaves it by a move, and of one whose
// stack pointer alloca moves, whose frame is not aligned.
func TestFramesAligned(t *testing.T) {
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n.func f() { .reg .b64 %p; "
	const rest = "; ret; }\n.func g() { call f; ret; }\n"
	for _, tt := range []struct {
		body    string
		aligned bool
	}{{".local .align 64 .b8 l[64]; mov.b64 %p, l", true}, {"alloca.u64 %p, 16", false}} {
		r := web.Answer(web.Request{Text: head + tt.body + rest})
		require.Len(t, r.Calls, 1, r.Notes)
		c := r.Calls[0]
		assert.Equal(t, tt.aligned, c.CalleeAligned, tt.body)
		text := walked(c)
		assert.Equal(t, 1, strings.Count(text, "f makes its frame"), text)
		assert.Equal(t, 1, strings.Count(text, "f leaves its frame: R1 is what it was at the call"), text)
		assert.Zero(t, c.Steps[len(c.Steps)-1].SP, "where the call began")
	}
}

// TestWalkHuge bounds calls and steps, and never fails on what is no call.
func TestWalkHuge(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n.func f(.param .b32 x) { ret; }\n.func big(.param .align 4 .b8 x[4000]);\n.visible .func g() {\n.reg .b32 %r<2>; mov.b32 %r1, 0;\n")
	for range 50 {
		b.WriteString("{ .param .b32 a; st.param.b32 [a], %r1; call f, (a); }\n")
	}
	b.WriteString("{ .param .align 4 .b8 a[4000];\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "st.param.b32 [a+%d], %%r1;\n", 4*i)
	}
	b.WriteString("call big, (a); } ret; }\n")
	r := web.Answer(web.Request{Text: b.String()})
	require.Empty(t, r.Refused)
	assert.Len(t, r.Calls, 40)
	assert.Contains(t, r.Notes, "the first 40 calls can be stepped through; a function can be chosen by its name")
	for _, c := range r.Calls {
		assert.LessOrEqual(t, len(c.Steps), 200)
	}
	r = web.Answer(web.Request{Text: strings.Replace(b.String(), strings.Repeat("{ .param .b32 a; st.param.b32 [a], %r1; call f, (a); }\n", 50), "", 1)})
	require.Len(t, r.Calls, 1)
	assert.Len(t, r.Calls[0].Steps, 200)
	assert.Equal(t, -1, r.Calls[0].CalleeFrame)
}
