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
