package dataflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
)

func texts(o dataflow.Operand) (all []string) {
	for n := range ptx.Names([]ptx.Operand{*o.Operand}) {
		all = append(all, n.Name())
	}
	return all
}

func TestOperands(t *testing.T) {
	for _, tt := range []struct{ op, args, written, read string }{
		{"add.s32", "%r1, %r2, 5", "%r1", "%r2"},
		{"mov.b64", "{%r1, %r2}, %rd1", "%r1 %r2", "%rd1"},
		{"mov.b32", "%v.x, %w.y", "%v", "%w"},
		{"setp.lt.and.s32", "%p1|%p2, %r1, %r2, !%p3", "%p1 %p2", "%r1 %r2 %p3"},
		{"st.global.v2.u32", "[%rd1+8], {%r1, %r2}", "", "%rd1 %r1 %r2"},
		{"ld.global.v2.u32", "{%r1, _}, [%rd1]", "%r1", "%rd1"},
		{"atom.global.add.u32", "%r1, [%rd1], %r2", "%r1", "%rd1 %r2"},
		{"red.global.add.u32", "[%rd1], %r2", "", "%rd1 %r2"},
		{"bar.sync", "%r1, %r2", "", "%r1 %r2"},
		{"bar.red.popc.u32", "%r1, 0, %p1", "%r1", "%p1"},
		{"tex.2d.v4.f32.s32", "{%f1, %f2, %f3, %f4}, [tex, {%r1, %r2}]", "%f1 %f2 %f3 %f4", "tex %r1 %r2"},
		{"mbarrier.arrive.shared.b64", "%rd1, [%r1]", "%rd1", "%r1"},
		{"mbarrier.init.shared.b64", "[%r1], %r2", "", "%r1 %r2"},
		{"wmma.store.d.sync.aligned.row.m16n16k16.f32", "[%rd1], {%f1, %f2}, %r1", "", "%rd1 %f1 %f2 %r1"},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "{%f1, %f2}, %rd1, %rd2, 1", "%f1 %f2", "%f1 %f2 %rd1 %rd2"},
		{"tcgen05.ld.red.sync", "{%r1, %r2}, %r3, [%r4]", "%r1 %r2 %r3", "%r4"},
		{"shfl.sync.bfly.b32", "%r1|%p1, %r2, 0x1f, 0f3F800000, 2e5", "%r1 %p1", "%r2"},
	} {
		list, known := dataflow.Operands(tt.op, ptx.ParseOperands(tt.args))
		assert.True(t, known, tt.op)
		var written, read []string
		for i := range list {
			if list[i].Written {
				written = append(written, texts(list[i])...)
			}
			if list[i].Read {
				read = append(read, texts(list[i])...)
			}
		}
		assert.Equal(t, tt.written, strings.Join(written, " "), tt.op)
		assert.Equal(t, tt.read, strings.Join(read, " "), tt.op)
	}
}

// TestUnknown holds that what is not known is said, and counts as all that it may be.
func TestUnknown(t *testing.T) {
	list, known := dataflow.Operands("frob.s32", ptx.ParseOperands("%r1, [%r2], %r3"))
	assert.False(t, known)
	assert.False(t, dataflow.Known("frob"))
	require.Len(t, list, 3)
	assert.Equal(t, []bool{true, false, true}, []bool{list[0].Written, list[1].Written, list[2].Written})
	for _, text := range []string{"", ",", "}}", `"`, "{,", "%", "1.", "a|b|", ",,,["} {
		dataflow.Operands(text, ptx.ParseOperands(text))
		dataflow.Operands("add.s32", ptx.ParseOperands(text))
	}
}

// TestRealModules holds that no instruction of what compilers write is unknown.
func TestRealModules(t *testing.T) {
	files := must.Glob(t, "../../testdata/real/*.ptx")
	for _, file := range files {
		src := must.Read(t, file)
		m := must.Parse(t, file, src)
		for _, s := range m.All() {
			if in, ok := s.(*ptx.Instr); ok {
				assert.True(t, dataflow.Known(in.Op), "%s: %s", file, in.Op)
			}
		}
	}
}
