package stack_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/link"
	"github.com/ptxabi/ptxabi/internal/tool/stack"
)

func list(t *testing.T, s *link.Set, name, text string) {
	t.Helper()
	require.NoError(t, s.AddListing(link.Place{Name: name, File: name}, text, ""))
}

// TestCode: the frames that the code of a listing shows are those that the assembler recorded,
// which the first line of each has.
func TestCode(t *testing.T) {
	files := must.Glob(t, "testdata/code/*.sass")
	require.GreaterOrEqual(t, len(files), 8)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			line, _, _ := bytes.Cut(data, []byte("\n"))
			_, recorded, ok := strings.Cut(string(line), "Recorded:")
			require.True(t, ok)
			fields := strings.Fields(recorded)
			want := make(map[string]int)
			for i := 0; i < len(fields); i += 2 {
				want[fields[i]], err = strconv.Atoi(fields[i+1])
				require.NoError(t, err)
			}
			s := new(link.Set)
			list(t, s, file, string(data))
			programs := s.Programs("")
			require.Len(t, programs, 1)
			got := make(map[string]int)
			for _, f := range programs[0].Funcs {
				got[f.Name] = f.Frame
				assert.Equal(t, f.Name == "k", f.Kernel, f.Name)
			}
			assert.Equal(t, want, got)
			r := stack.Of(programs, stack.Options{})
			require.Len(t, r.Programs, 1)
			assert.Equal(t, stack.Code, r.Programs[0].Source)
			k := r.Programs[0].Kernels[0]
			switch filepath.Base(file) {
			case "alloca.sass":
				assert.Equal(t, []string{"k"}, k.Dynamic)
				assert.Equal(t, stack.AtLeast, k.Bound)
			case "whole.sass":
				assert.Equal(t, stack.Recursive, k.Bound)
				assert.Equal(t, 24, k.Bytes)
			default: // two recursions, one of which takes more
				assert.Equal(t, stack.Recursive, k.Bound)
				assert.Equal(t, want["even"]+want["odd"], k.Bytes)
				assert.Len(t, k.Cycles, 2)
				assert.Contains(t, r.String(), "set the limit to "+strconv.Itoa(k.Bytes)+" and add the bytes of the levels")
			}
		})
	}
}

// TestWhole: what assemblers record of a program that they compiled as a whole is no bound
// where a function inside of the kernel recurses, or where a kernel calls alloca. The
// listings say so.
func TestWhole(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"whole", "not counted: $k$fib"},           // by 12.9, which records 0 bytes
		{"alloca", "the assembler found no bound"}, // by 13.5
	} {
		s := set(t, "testdata/code/"+tt.name+".cubin")
		data := must.Read(t, "testdata/code/"+tt.name+".sass")
		list(t, s, "x.sass", string(data))
		r := stack.Of(s.Programs(""), stack.Options{})
		require.Len(t, r.Programs, 2)
		assert.Equal(t, stack.AtLeast, r.Programs[0].Kernels[0].Bound, tt.name)
		assert.Contains(t, r.String(), tt.want)
		assert.Nil(t, r.Programs[0].Compared)
		require.NotNil(t, r.Programs[1].Compared)
		assert.Empty(t, r.Programs[1].Compared.Differ)
	}
	// 12.4 for sm_90 records 0 bytes of the kernel, and of what it calls through a pointer.
	r := stack.Of(set(t, "testdata/code/pointer.cubin").Programs(""), stack.Options{})
	assert.Equal(t, stack.AtLeast, r.Programs[0].Kernels[0].Bound)
	assert.Contains(t, r.String(), "not counted: $pick$twice")
}

// TestListings: forms of code, by hand.
func TestListings(t *testing.T) {
	const head = "\tcode for sm_80\n"
	code := func(name string, lines ...string) string {
		s := "\t\tFunction : " + name + "\n"
		for i, l := range lines {
			if strings.HasSuffix(l, ":") {
				s += l + "\n"
				continue
			}
			s += "        /*" + strconv.FormatInt(0x10000+int64(i)*16, 16)[1:] + "*/                   " + l + " ;\n"
		}
		return s + "\t\t..........\n"
	}
	kernel := code("k", "MOV R1, c[0x0][0x28]", "CALL.ABS.NOINC `(f)", "EXIT")
	for _, tt := range []struct {
		name, text string
		bytes      int
		bound      stack.Bound
		says       string
	}{
		{"two returns", kernel + code("f", "IADD3 R1, R1, -0x20, RZ", "@P0 BRA `(.L_1)", "IADD3 R1, R1, 0x20, RZ", "RET.REL.NODEC R20 0x0", ".L_1:", "IADD3 R1, R1, 0x20, RZ", "RET.REL.NODEC R20 0x0"), 32, stack.Bounded, ""},
		{"before the frame", kernel + code("f", "@P0 RET.REL.NODEC R20 0x0", "VIADD R1, R1, 0xffffffe0", "RET.REL.NODEC R20 0x0"), 32, stack.Bounded, ""},
		{"two ways", kernel + code("f", "@P0 BRA `(.L_1)", "IADD3 R1, R1, -0x20, RZ", "RET.REL.NODEC R20 0x0", ".L_1:", "IADD3 R1, R1, -0x40, RZ", "RET.REL.NODEC R20 0x0"), 64, stack.Bounded, ""},
		{"other depths meet", kernel + code("f", "@P0 BRA `(.L_1)", "IADD3 R1, R1, -0x20, RZ", ".L_1:", "RET.REL.NODEC R20 0x0"), 32, stack.AtLeast, "by a computed amount"},
		{"a loop", kernel + code("f", ".L_1:", "IADD3 R1, R1, -0x20, RZ", "@P0 BRA `(.L_1)", "RET.REL.NODEC R20 0x0"), 32, stack.AtLeast, "by a computed amount"},
		{"aligned", kernel + code("f", "MOV R3, R1", "IADD3 R1, R1, -0x20, RZ", "LOP3.LUT R1, R1, 0xffffffc0, RZ, 0xc0, !PT", "MOV R1, R3", "RET.REL.NODEC R20 0x0"), 32 + 56, stack.AtMost, "at the entry of f; what aligning it takes is counted in full"},
		{"aligned, and more", kernel + code("f", "IADD3 R1, R1, -0x20, RZ", "LOP3.LUT R1, R1, 0xffffffc0, RZ, 0xc0, !PT", "CALL.ABS.NOINC `(g)", "RET.REL.NODEC R20 0x0"), 32, stack.AtLeast, "what aligning it takes is not counted"},
		{"an aligned kernel", code("k", "MOV R1, c[0x0][0x28]", "IADD3 R1, R1, -0x20, RZ", "LOP3.LUT R1, R1, 0xffffffc0, RZ, 0xc0, !PT", "EXIT"), 32 + 48, stack.Bounded, ""},
		{"aligned, and recurses", kernel + code("f", "IADD3 R1, R1, -0x20, RZ", "LOP3.LUT R1, R1, 0xffffffc0, RZ, 0xc0, !PT", "CALL.REL.NOINC `(f)", "RET.REL.NODEC R20 0x0"), 88, stack.Recursive, "each level of f takes at most 88 bytes"},
		{"a table", kernel + code("f", "IADD3 R1, R1, -0x20, RZ", "BRX R2 -0x40", ".L_1:", "CALL.REL.NOINC `(f)", "RET.REL.NODEC R20 0x0"), 32, stack.Recursive, "each level of f takes 32 bytes"},
		{"a register is compared", kernel + code("f", "ISETP.GE.U32.AND P0, PT, R1, R0, PT", "RET.REL.NODEC R20 0x0"), 0, stack.Bounded, ""},
		{"an address", kernel + code("f", "CALL.ABS.NOINC 0x0", "RET.REL.NODEC R20 0x0"), 0, stack.AtLeast, "f has calls whose callees its listing does not name"},
		{"elsewhere", kernel, 0, stack.AtLeast, "not counted: f"},
		{"cut", kernel + code("f", "IADD3 R1, R1, -0x20, RZ"), 0, stack.AtLeast, "not counted: f"},
		{"never back", kernel + code("f", "CALL.ABS.NOINC `(__assertfail)", "f2:", "IADD3 R1, R1, -0x20, RZ", "RET.REL.NODEC R20 0x0"), 0, stack.AtLeast, "not counted: __assertfail"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := new(link.Set)
			list(t, s, "x.sass", head+tt.text)
			r := stack.Of(s.Programs("sm_80"), stack.Options{})
			require.Len(t, r.Programs, 1)
			require.Len(t, r.Programs[0].Kernels, 1)
			k := r.Programs[0].Kernels[0]
			assert.Equal(t, tt.bytes, k.Bytes)
			assert.Equal(t, tt.bound, k.Bound)
			assert.Contains(t, r.String(), tt.says)
			assert.NotEmpty(t, r.SVG())
		})
	}
}

// TestCompared: a frame in the code that is not the one that is recorded is named.
func TestCompared(t *testing.T) {
	s := set(t, "testdata/code/whole.cubin")
	data := must.Read(t, "testdata/code/whole.sass")
	list(t, s, "x.sass", strings.ReplaceAll(string(data), "R1, R1, -0x18", "R1, R1, -0x28"))
	r := stack.Of(s.Programs(""), stack.Options{})
	require.Len(t, r.Programs, 2)
	require.NotNil(t, r.Programs[1].Compared)
	assert.Equal(t, []stack.Differs{{Function: "$k$fib", Code: 40, Recorded: 24, File: "whole.cubin"}}, r.Programs[1].Compared.Differ)
	assert.Contains(t, r.String(), "2 functions have a recorded frame too; 1 differs\n  $k$fib: 40 bytes in the code, 24 recorded in whole.cubin\n")
}

// TestNotCompared: what follows an alloca, and which of two functions of one name a listing has.
func TestNotCompared(t *testing.T) {
	s := set(t, "testdata/code/alloca.cubin")
	const mask = "        /*0060*/                   LOP3.LUT R1"
	text := string(must.Read(t, "testdata/code/alloca.sass"))
	list(t, s, "x.sass", strings.Replace(text, mask, "        /*0058*/                   IADD3 R1, R1, -0x8, RZ ;\n"+mask, 1))
	assert.Contains(t, stack.Of(s.Programs(""), stack.Options{}).String(), "1 function has a recorded frame too; none differs")
	s = set(t, "testdata/same.cubin")
	list(t, s, "x.sass", "\tcode for sm_80\n\t\tFunction : f\n        /*0000*/                   IADD3 R1, R1, -0x20, RZ ;\n        /*0010*/                   RET.ABS.NODEC R20 0x0 ;\n"+
		"\t\tFunction : k\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n        /*0010*/                   EXIT ;\n")
	assert.NotContains(t, stack.Of(s.Programs(""), stack.Options{}).String(), "differ")
}

// TestAligned: what aligning the stack pointer takes is open in a listing, and recorded in its cubin.
func TestAligned(t *testing.T) {
	data := must.Read(t, "testdata/aligned.sass")
	s := new(link.Set)
	list(t, s, "aligned.sass", string(data))
	r := stack.Of(s.Programs(""), stack.Options{})
	require.Len(t, r.Programs, 1)
	k := r.Programs[0].Kernels[0]
	assert.Equal(t, stack.AtMost, k.Bound)
	assert.Equal(t, 80+88, k.Bytes)
	assert.Equal(t, []string{"f"}, k.Aligned)
	assert.Contains(t, r.String(), "kernel k: at most 168 bytes of stack\n")
	s = set(t, "testdata/aligned.cubin")
	list(t, s, "aligned.sass", string(data))
	r = stack.Of(s.Programs(""), stack.Options{})
	require.Len(t, r.Programs, 2)
	for _, p := range r.Programs {
		assert.Equal(t, stack.Bounded, p.Kernels[0].Bound)
		assert.Equal(t, 80+80, p.Kernels[0].Bytes)
		assert.Empty(t, p.Kernels[0].Aligned)
	}
	assert.Contains(t, r.String(), "2 functions have a recorded frame too; none differs")
}

// TestInside: what is recorded of a kernel, and from sm_90 on of the functions inside of it, includes what is
// called through a pointer; their unwind tables have their own frames. By 13.5.
func TestInside(t *testing.T) {
	s := set(t, "testdata/frames.cubin")
	list(t, s, "frames.sass", string(must.Read(t, "testdata/frames.sass")))
	text := stack.Of(s.Programs(""), stack.Options{}).String()
	assert.Contains(t, text, "kernel k: 88 bytes of stack\n")
	assert.Contains(t, text, "1 function has a recorded frame too; none differs")
}

// TestNoListing: what cannot be read is refused, and adds nothing.
func TestNoListing(t *testing.T) {
	s := new(link.Set)
	place := link.Place{Name: "x.sass", File: "x.sass"}
	const code = "\t\tFunction : k\n        /*0000*/                   EXIT ;\n"
	assert.ErrorIs(t, s.AddListing(place, code, ""), link.ErrNoArch)
	assert.ErrorContains(t, s.AddListing(place, code+"        /*0010*/                   MOV (R1, R2 ;\n", "sm_80"), "x.sass:3:")
	assert.Error(t, s.AddListing(place, "", "sm_80"))
	const sm80, sm90 = "\tcode for sm_80\n", "\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)\"\n"
	assert.ErrorContains(t, s.AddListing(place, sm80+code+sm90+strings.Replace(code, ": k", ": l", 1), ""), "x.sass has code for sm_80 and for sm_90")
	assert.ErrorContains(t, s.AddListing(place, sm80+code+sm80+code, ""), "x.sass has two functions k")
	assert.Empty(t, s.Programs(""))
	assert.NoError(t, s.AddListing(place, "\tcode for sm_90a\n"+sm90+code, ""))
}

// TestManyTables: many functions in one section, each with a jump through a table, take no
// longer than they would alone.
func TestManyTables(t *testing.T) {
	var b strings.Builder
	b.WriteString("\tcode for sm_80\n\t\tFunction : k\n        /*00000*/                   MOV R1, c[0x0][0x28] ;\n        /*00010*/                   EXIT ;\n")
	const n = 20_000
	for i := range n {
		fmt.Fprintf(&b, "f%d:\n        /*%05x*/                   BRX R2 -0x40 ;\n.L_%d:\n        /*%05x*/                   RET.REL.NODEC R20 0x0 ;\n", i, 32+32*i, i, 48+32*i)
	}
	s := new(link.Set)
	begin := time.Now()
	list(t, s, "x.sass", b.String())
	assert.Less(t, time.Since(begin), 10*time.Second)
	assert.Len(t, s.Programs("")[0].Funcs, n+1)
}
