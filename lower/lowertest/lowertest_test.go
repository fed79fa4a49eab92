package lowertest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/lower/lowertest"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// ours is a backend that prints what package lower makes.
func ours(t *abi.Target, change func(in *sass.Instr)) lowertest.Compiler {
	return func(src []byte) (string, error) {
		m, err := ptx.Parse("module.ptx", src)
		if err != nil {
			return "", err
		}
		prog, err := lower.Module(m, t, lower.Options{})
		if err != nil {
			return "", err
		}
		for _, f := range prog.Funcs {
			for i := range f.Items {
				change(&f.Items[i].Instr)
			}
		}
		return prog.String(), nil
	}
}

// TestCompareCounts holds that something is compared: every call of the corpus.
func TestCompareCounts(t *testing.T) {
	target := mustTarget(t, "sm_80")
	var functions []*abitest.Function
	calls := 0
	for _, c := range abitest.Corpus() {
		if _, err := abi.Assign(c.Function.ABI(), target); err != nil || c.Function.Opaque() {
			continue
		}
		functions = append(functions, c.Function)
		if !c.Function.Kernel {
			calls++
		}
	}
	src := lowertest.Module(target, functions)
	listing, err := ours(target, func(*sass.Instr) {})(src)
	require.NoError(t, err)
	r := compared(t, src, listing, target)
	assert.Empty(t, r.Differences)
	assert.Empty(t, r.NotFollowed)
	assert.Equal(t, calls, r.Calls)
	assert.Equal(t, len(functions)+calls, r.Functions)
	assert.Greater(t, r.Words, 2*calls)
}

// TestCheckNotices breaks every kind of instruction of the convention.
func TestCheckNotices(t *testing.T) {
	target := mustTarget(t, "sm_80")
	for _, tt := range []struct {
		name   string
		change func(in *sass.Instr)
		want   string
	}{
		{"arguments swapped", func(in *sass.Instr) {
			if in.Op == "MOV" && in.Args[0].Kind == sass.KindRegister && in.Args[0].Reg == 5 {
				in.Args[0].Reg = 4
			}
		}, "R4 should hold bytes 0 to 4 of argument p0 (from global memory at 0x100000000); it holds what line 22 loads from global memory at 0x100000004"},
		{"stack word elsewhere", func(in *sass.Instr) {
			if strings.HasPrefix(in.Op, "STL") {
				in.Args[0].Off += 4
			}
		}, "in the caller's frame"},
		{"parameters of kernels elsewhere", func(in *sass.Instr) {
			for i := range in.Args {
				if in.Args[i].Kind == sass.KindConst && in.Args[i].Off >= 0x160 {
					in.Args[i].Off += 4
				}
			}
		}, "kernel_"},
		{"another call", func(in *sass.Instr) { in.Op = strings.Replace(in.Op, "CALL.ABS", "CALL.REL", 1) }, "the call should be CALL.ABS.NOINC `(extern_0); it is CALL.REL"},
		{"an instruction that is not known", func(in *sass.Instr) { in.Op = strings.Replace(in.Op, "MOV", "SECRET", 1) }, "may have left: it is not known"},
	} {
		_, err := lowertest.CheckListings(target, 1, 0, ours(target, tt.change))
		assert.ErrorContains(t, err, tt.want, tt.name)
	}
}

// TestCheckMessage holds that one small function is reported, however many are
// wrong.
func TestCheckMessage(t *testing.T) {
	target := mustTarget(t, "sm_80")
	late := func(in *sass.Instr) { // what belongs in R5 goes to R4
		if in.Op == "MOV" && in.Args[0].Kind == sass.KindRegister && in.Args[0].Reg == 5 {
			in.Args[0].Reg = 4
		}
	}
	_, err := lowertest.CheckListings(target, 1, 100, ours(target, late))
	assert.EqualError(t, err, `sm_80: .func f (.param .b64 p0)
	R4:R5
	caller_0, line 25, call 1 of extern_0: R4 should hold bytes 0 to 4 of argument p0 (from global memory at 0x100000000); it holds what line 22 loads from global memory at 0x100000004; R4 held it from line 20 until line 22, `+"`MOV R4, w`"+` (docs/abi.md, F5)
	caller_0, line 25, call 1 of extern_0: R5 should hold bytes 4 to 8 of argument p0 (from global memory at 0x100000004); it holds what R5 held at entry; nothing puts it into R5; it is in R4 since line 22 (docs/abi.md, F5)
and 16 more of 50 functions`)
	gone := func([]byte) (string, error) { return ".text.other:\n\tEXIT ;\n", nil }
	_, err = lowertest.CheckListings(target, 1, 0, gone)
	assert.EqualError(t, err, `sm_80: .func f ()
	()
	not followed: callee_0: not in the listing
	not followed: caller_0: not in the listing
and 49 more of 50 functions`)
}

// TestCheckUnsupported holds that functions that a backend does not compile are
// left out, and that it is an error if those are all.
func TestCheckUnsupported(t *testing.T) {
	target := mustTarget(t, "sm_80")
	compiled := 0
	noKernels := func(change func(*sass.Instr)) lowertest.Compiler {
		return func(src []byte) (string, error) {
			if strings.Contains(string(src), ".entry") {
				return "", fmt.Errorf("kernels: %w", abitest.ErrUnsupported)
			}
			compiled++
			return ours(target, change)(src)
		}
	}
	_, err := lowertest.CheckListings(target, 1, 0, noKernels(func(*sass.Instr) {}))
	assert.NoError(t, err)
	assert.Greater(t, compiled, 20)
	_, err = lowertest.CheckListings(target, 1, 0, noKernels(func(in *sass.Instr) { in.Op = strings.Replace(in.Op, "CALL.ABS", "CALL.REL", 1) }))
	assert.ErrorContains(t, err, "the call should be")
	_, err = lowertest.CheckListings(target, 1, 0, func([]byte) (string, error) {
		return "", fmt.Errorf("%w: .version 9.0 is too new", abitest.ErrUnsupported)
	})
	assert.ErrorIs(t, err, abitest.ErrUnsupported)
	assert.EqualError(t, err, "sm_80: nothing was compared: the backend: the backend does not compile this function: .version 9.0 is too new")

	// What little it supports is not enough.
	run, err := lowertest.CheckListings(target, 1, 20, func(src []byte) (string, error) {
		if strings.Count(string(src), ".param") > 0 {
			return "", fmt.Errorf(".param: %w", abitest.ErrUnsupported)
		}
		return ours(target, func(*sass.Instr) {})(src)
	})
	assert.ErrorIs(t, err, abitest.ErrUnsupported)
	assert.ErrorContains(t, err, fmt.Sprintf("%d functions were compared of %d that were asked for", run.Compared, run.Asked))
	assert.ErrorContains(t, err, "\nthe backend: .param: the backend does not compile this function")
	assert.Positive(t, run.Compared)
	assert.Less(t, run.Compared, run.Asked)
	assert.Contains(t, run.String(), "not supported")
}

// TestErrors holds that what cannot be compared is an error of its own.
func TestErrors(t *testing.T) {
	target := mustTarget(t, "sm_80")
	for _, none := range []*abi.Target{nil, {}} {
		_, err := lowertest.CheckListings(none, 1, 0, ours(target, nil))
		assert.EqualError(t, err, "no target")
		_, err = lowertest.Compare(nil, "", none)
		assert.EqualError(t, err, "no target")
	}
	const once = "//--------------------- .text.f --------------------------\nf:\n\tRET ;\n"
	_, err := lowertest.Compare([]byte(".version 8.0\n.target sm_80\n.address_size 64\n.func f() { ret; }"), once+once, target)
	assert.ErrorContains(t, err, "disassembly:4:1: f is in the listing twice")
	full := errors.New("the disk is full")
	_, err = lowertest.CheckListings(target, 1, 0, func([]byte) (string, error) { return "", full })
	assert.ErrorIs(t, err, full)
	_, err = lowertest.CheckListings(target, 1, 0, func([]byte) (string, error) { return "garbage", nil })
	assert.ErrorContains(t, err, "sm_80: the backend's listing: disassembly:1:1: ")
	_, err = lowertest.Compare([]byte("call"), "", target)
	assert.ErrorContains(t, err, "module.ptx:1:1: ")
	src := lowertest.Module(target, []*abitest.Function{{}})
	_, err = lowertest.Compare(src, "", target)
	assert.ErrorContains(t, err, "no code")
	r := compared(t, src, ".text.other:\n\tEXIT ;\n", target)
	assert.Equal(t, []string{"callee_0: not in the listing", "caller_0: not in the listing"}, r.NotFollowed)
}

// TestNoInstructions holds that a function that is cut off before its first instruction is a difference, also where
// its source comes to a call on one of two ways.
func TestNoInstructions(t *testing.T) {
	src := []byte(".version 7.8\n.target sm_80\n.address_size 64\n.visible .func f() { .reg .pred %p; .reg .b32 %r; setp.eq.s32 %p, %r, 0; @%p bra L; call f; L: ret; }\n")
	r := compared(t, src, "\tFunction : f\n", mustTarget(t, "sm_80"))
	var all []string
	for _, d := range r.Differences {
		all = append(all, d.String())
	}
	assert.Contains(t, strings.Join(all, "\n"), "control runs past the last instruction")
}

// A backend that does not begin 64 bits at an even register.
func ExampleCompare() {
	target, err := abi.Lookup("sm_90")
	if err != nil {
		fmt.Println(err)
		return
	}
	functions := []*abitest.Function{{Params: []abitest.Formal{{Type: "b32"}, {Type: "b64"}}}}
	src := lowertest.Module(target, functions)
	listing, err := ours(target, func(in *sass.Instr) {
		if in.Op == "MOV" && (in.Args[0].Reg == 6 || in.Args[0].Reg == 7) {
			in.Args[0].Reg--
		}
	})(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := lowertest.Compare(src, listing, target)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range r.Differences {
		fmt.Println(d)
	}
	// Output:
	// caller_0, line 30, call 1 of extern_0: R6 should hold bytes 0 to 4 of argument p1 (from global memory at 0x100000010); it holds what line 27 loads from global memory at 0x100000014; nothing puts it into R6; it is in R5 since line 25 (docs/abi.md, F5)
	// caller_0, line 30, call 1 of extern_0: R7 should hold bytes 4 to 8 of argument p1 (from global memory at 0x100000014); it holds what R7 held at entry; nothing puts it into R7; it is in R6 since line 27 (docs/abi.md, F5)
}

// TestWrongSum holds that another sum is not taken for the one that is wanted.
func TestWrongSum(t *testing.T) {
	src := `.version 7.8
.target sm_80
.address_size 64
.visible .func (.param .b32 res) f (.param .b32 x) {
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	add.s32 %r2, %r1, 1;
	st.param.b32 [res], %r2;
	ret;
}`
	r, err := lowertest.Compare([]byte(src), ".text.f:\n\tadd.s32 R8, R7, 1 ;\n\tMOV R4, R8 ;\n\tRET.ABS.NODEC R20 0x0 ;\n", mustTarget(t, "sm_80"))
	require.NoError(t, err)
	require.Len(t, r.Differences, 1)
	assert.Equal(t, "f, line 4, return: R4 should hold result res; it holds what R7 held at entry+0x1; nothing puts it into R4; no register ever holds it (docs/abi.md, F3)", r.Differences[0].String())
}

// oneHome is a register allocation that has one register.
type oneHome struct{}

func (oneHome) Home(_ *ptx.Func, v lower.Virtual) (sass.Reg, bool) {
	if v.Words == 0 {
		return 0, true // P0
	}
	return 24, true
}

// A backend that puts every register into R24.
func ExampleCheckAllocation() {
	src := []byte(`.version 7.8
.target sm_80
.address_size 64
.visible .func (.param .b32 res) f (.param .b32 x, .param .b32 y) {
	.reg .b32 %r<4>;
	ld.param.b32 %r1, [x];
	ld.param.b32 %r2, [y];
	not.b32 %r1, %r1;
	sub.s32 %r3, %r1, %r2;
	st.param.b32 [res], %r3;
	ret;
}`)
	target, err := abi.Lookup("sm_80")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := ptx.Parse("f.ptx", src)
	if err != nil {
		fmt.Println(err)
		return
	}
	prog, err := lower.Module(m, target, lower.Options{Homes: oneHome{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := lowertest.CheckAllocation(src, prog.String(), target)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Err())
	// Output:
	// f, line 12, line 8 of the source, `not.b32 %r1, %r1`: R24 should hold %r1, which is parameter x, which R4 held at entry; it holds %r2; it is in R4
	// f, line 13, line 9 of the source, `sub.s32 %r3, %r1, %r2`: R24 should hold %r2, which is parameter y, which R5 held at entry; it holds %r1, which line 8 of the source, `not.b32 %r1, %r1`, makes; it is in R5
}
