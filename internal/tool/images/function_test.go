package images

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
)

// file is a cubin with one kernel, of parameters of those sizes.
func file(name string, sizes ...int) *cubin.File {
	fn := cubin.Function{Name: name, Kernel: true, ParamBank: 0, ParamBase: 0x160}
	for i, size := range sizes {
		off := (fn.ParamSize + size - 1) / size * size
		fn.Params = append(fn.Params, cubin.Param{Ordinal: i, Offset: off, Size: size})
		fn.ParamSize = off + size
	}
	return &cubin.File{Arch: "sm_80", Functions: []cubin.Function{fn}}
}

func all(string, bool) bool { return true }

// TestKernelNames has what gives names and types, and what does not since it differs from the records.
func TestKernelNames(t *testing.T) {
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n"
	for _, tt := range []struct {
		name  string
		sizes []int
		ptx   string
		want  []Value // of which name, type, alignment, source and declaration count
	}{
		{"k", []int{8, 4}, "", []Value{{Source: Record}, {Source: Record}}},
		{"_Z1kPfi", []int{8, 4}, "", []Value{{Type: "float*", Align: 8, Source: Symbol}, {Type: "int", Align: 4, Source: Symbol}}},
		{"_Z1kIfEvPT_i", []int{8, 4}, "", []Value{{Type: "float*", Align: 8, Source: Symbol}, {Type: "int", Align: 4, Source: Symbol}}},
		{"_Z1k1Si", []int{16, 4}, "", []Value{{Type: "S", Source: Symbol}, {Type: "int", Align: 4, Source: Symbol}}},
		{"_Z1kfPfi", []int{8, 4, 4}, "", []Value{{Source: Record}, {Source: Record}, {Source: Record}}},
		{"_Z1kPf", []int{8, 4}, "", []Value{{Source: Record}, {Source: Record}}},
		{"k", []int{8, 4}, ".entry k (.param .u64 p, .param .u32 n) { ret; }", []Value{
			{Name: "p", Type: ".u64", Align: 8, Source: PTX}, {Name: "n", Type: ".u32", Align: 4, Source: PTX},
		}},
		{"_Z1kPfi", []int{8, 4}, ".entry _Z1kPfi (.param .u64 p, .param .u32 n) { ret; }", []Value{
			{Name: "p", Type: ".u64", Align: 8, Source: PTX, Declared: "float*"}, {Name: "n", Type: ".u32", Align: 4, Source: PTX, Declared: "int"},
		}},
		{"k", []int{8, 4}, ".entry k (.param .u64 p, .param .u64 n) { ret; }", []Value{{Source: Record}, {Source: Record}}},
		{"k", []int{8, 4}, ".entry k (.param .u64 p) { ret; }", []Value{{Source: Record}, {Source: Record}}},
		{"k", []int{8, 4}, ".entry k (.param .u64 p, .param", []Value{{Source: Record}, {Source: Record}}},
	} {
		list, more := NewCubin(file(tt.name, tt.sizes...), abi.Lookup, nil, func() []string { return []string{head + tt.ptx} }).Functions(all, 0)
		require.Len(t, list, 1)
		assert.Zero(t, more)
		var got []Value
		for _, v := range list[0].Params {
			got = append(got, Value{Name: v.Name, Type: v.Type, Align: v.Align, Source: v.Source, Declared: v.Declared})
		}
		assert.Equal(t, tt.want, got, "%s %s", tt.name, tt.ptx)
	}
}

// TestFunctions has a device function by its prototype, with PTX that has it and without.
func TestFunctions(t *testing.T) {
	f := &cubin.File{Arch: "sm_80", Prototypes: []cubin.Prototype{
		{Name: "f", Text: "#ib16l"}, {Name: "f", Text: "#ib16l"}, {Name: "__cuda_sm20_div_u64", Text: "#lll"}, {Name: "odd", Text: "#q"},
	}}
	list, _ := NewCubin(f, abi.Lookup, nil, nil).Functions(all, 0)
	require.Len(t, list, 1)
	assert.Nil(t, list[0].StackBytes)
	assert.Equal(t, "unknown", list[0].Params[0].Location.Kind)
	assert.Equal(t, 16, list[0].Params[0].Size)
	assert.Equal(t, ".b32", list[0].Returns[0].Type)

	const text = ".version 8.0\n.target sm_80\n.address_size 64\n.func (.param .b32 r) f (.param .align 8 .b8 s[16], .param .b64 n) { ret; }\n"
	list, _ = NewCubin(f, abi.Lookup, nil, func() []string { return []string{text} }).Functions(all, 0)
	require.Len(t, list, 1)
	assert.Equal(t, PTX, list[0].Source)
	assert.Equal(t, 4, *list[0].Params[0].Location.Register)
	assert.Equal(t, 8, *list[0].Params[1].Location.Register)

	_, more := NewCubin(&cubin.File{Arch: "sm_80", Functions: append(file("a", 4).Functions, file("b", 4).Functions...)}, abi.Lookup, nil, nil).Functions(all, 1)
	assert.Equal(t, 1, more)
}

// TestOtherPTX has PTX of several targets: the names are of that which the cubin was made of, or what they are of is said.
func TestOtherPTX(t *testing.T) {
	text := func(target, param string) string {
		return ".version 8.0\n.target " + target + "\n.address_size 64\n.entry k (.param .u32 " + param + ") { ret; }\n"
	}
	for _, tt := range []struct {
		virtual   string
		texts     []string
		name, ptx string
	}{
		{"sm_80", []string{text("sm_90a", "b"), text("sm_80", "a")}, "a", ""},
		{"sm_75", []string{text("sm_90", "b"), text("sm_75", "a")}, "a", ""},
		{"sm_75", []string{text("sm_90", "b"), text("sm_80", "a")}, "b", "sm_90"},
		{"", []string{text("sm_90", "b"), text("sm_80", "a")}, "a", ""},
	} {
		f := file("k", 4)
		f.Virtual = tt.virtual
		list, _ := NewCubin(f, abi.Lookup, nil, func() []string { return tt.texts }).Functions(all, 0)
		require.Len(t, list, 1)
		assert.Equal(t, [2]string{tt.name, tt.ptx}, [2]string{list[0].Params[0].Name, list[0].PTX}, "%v", tt)
		assert.Equal(t, tt.ptx != "", list[0].Head() != "entry k: 4 bytes of parameters from c[0x0][0x160]", list[0].Head())
	}
}
