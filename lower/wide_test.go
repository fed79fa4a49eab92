package lower_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestStackStores passes 16 bytes on the stack in registers that are needed
// after the call, and looks at how they are stored.
func TestStackStores(t *testing.T) {
	const head = `
.version 8.3
.target sm_80
.address_size 64
.extern .func ext (.param .align 16 .b8 full[48], .param .align 16 .b8 x[16]);
.func f (.reg .b32 %a, .reg .b32 %b, .reg .b64 %w, .reg .b16 %h, .reg .b8 %c)
{
	.param .align 16 .b8 full[48];
	.param .align 16 .b8 x[16];
`
	const tail = `
	call ext, (full, x);
	st.volatile.global.b32 [%w], %a;
	st.volatile.global.b32 [%w+4], %b;
	st.volatile.global.b16 [%w+8], %h;
	st.volatile.global.b8 [%w+10], %c;
	ret;
}
`
	target, err := abi.Lookup("sm_80")
	require.NoError(t, err)
	for _, tt := range []struct{ name, stores, want string }{
		{"a copy for a store", "st.param.b32 [x], %a; st.param.b32 [x+4], 1;", "STL.64"},
		{"registers side by side", "st.param.b32 [x], %a; st.param.b32 [x+4], %b; st.param.b64 [x+8], %w;", "STL.128"},
		{"a copy beside bytes", "st.param.b32 [x], %a; st.param.b16 [x+4], %h; st.param.b16 [x+6], 1; st.param.b32 [x+8], %b; st.param.b32 [x+12], %a;", "STL.128"},
		{"one register twice", "st.param.b32 [x], %a; st.param.b32 [x+4], %a; st.param.b64 [x+8], %w;", "STL.128"},
		{"a value of two words", "st.param.b32 [x], %a; st.param.b32 [x+4], %b;", "STL.64"},
		{"two copies save two stores", "st.param.b64 [x], %w; st.param.b32 [x+8], 1; st.param.b32 [x+12], 2;", "STL.128"},
		{"two copies save three stores", "st.param.b32 [x], %a; st.param.b32 [x+4], 1; st.param.b32 [x+8], %b; st.param.b32 [x+12], 2;", "STL.128"},
		{"nothing to copy", "st.param.b32 [x], 3; st.param.b32 [x+4], 1;", "STL.64"},
		{"parts of words", "st.param.b16 [x+2], %h; st.param.b8 [x+5], %c;", "STL.64"},
		{"a part that is the beginning", "st.param.b16 [x], %h;", "STL"},
		{"a part of two registers", "st.param.b8 [x+2], %c; st.param.b8 [x+3], %h;", "STL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mod, err := ptx.Parse("stores.ptx", []byte(head+tt.stores+tail))
			require.NoError(t, err)
			prog, err := lower.Module(mod, target, lower.Options{})
			require.NoError(t, err)
			var got []string
			for i := range prog.Funcs[0].Items {
				if it := &prog.Funcs[0].Items[i]; strings.HasPrefix(it.Instr.Note, "x[") {
					if strings.HasPrefix(it.Instr.Op, "STL") {
						got = append(got, it.Instr.Op)
					}
				}
			}
			assert.Equal(t, tt.want, strings.Join(got, " "), "%s", prog)
		})
	}
}
