package ptx_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

// argument parses an operand where a call has it.
func argument(t *testing.T, text string) ptx.Operand {
	t.Helper()
	m, err := ptx.Parse("in.ptx", fmt.Appendf(nil, ".func f() { call g, (%s); }", text))
	require.NoError(t, err, text)
	params := m.Items[0].(*ptx.Func).Body[0].(*ptx.Call).Params
	require.Len(t, params, 1)
	return params[0]
}

// TestConstants has what ptxas 11.8, 12.4 and 13.5 make of the same texts as
// initialisers of 64-bit variables.
func TestConstants(t *testing.T) {
	tests := []struct {
		text string
		want int64
	}{
		{"0", 0},
		{"0U", 0},
		{"42", 42},
		{"0x2a", 42},
		{"0X2AU", 42},
		{"052", 42},
		{"0b101010", 42},
		{"0B11U", 3},
		{"-1", -1},
		{"- - 1", 1},
		{"+7", 7},
		{"~0", -1},
		{"!0", 1},
		{"!5", 0},
		{"18446744073709551615", -1},
		{"9223372036854775808", math.MinInt64},
		{"WARP_SZ", 32},
		{"WARP_SZ*2-1", 63},
		{"1+2*3", 7},
		{"(1+2)*3", 9},
		{"7-2-1", 4},
		{"100/7 % 5", 4},
		{"-7/2", -3},
		{"-7 % 4", 1},
		{"-7 % 4 < 0", 0},
		{"-7 % -4", -7},
		{"(.u64)-7/2", math.MaxInt64 - 3},
		{"-1/2U", math.MaxInt64},
		{"1<<4|3", 19},
		{"1<<4+1", 32},
		{"-16>>2", -4},
		{"(.u64)-16>>60", 15},
		{"-256>>68", -16},
		{"(.u64)256>>68", 16},
		{"1<<64", 1},
		{"1<<65", 2},
		{"-1<<-1", math.MinInt64},
		{"1>>-1", 0},
		{"(1U<<63)<0", 0},
		{"(1<<63U)<0", 1},
		{"(-1>>1U)<0", 1},
		{"(-1&3U)-4<0", 0},
		{"(1?-1:2U)<0", 1},
		{"(1U<2)-2<0", 1},
		{"~0U<0", 0},
		{"6&3|8^12", 6},
		{"1==1", 1},
		{"1!=1", 0},
		{"2>=2", 1},
		{"-1<0", 1},
		{"-1<0U", 0},
		{"(.s64)0xFFFFFFFFFFFFFFFF<0", 1},
		{"0xFFFFFFFFFFFFFFFF<0", 0},
		{"3>2", 1},
		{"2<=1", 0},
		{"1&&2", 1},
		{"1&&0||0", 0},
		{"0||3", 1},
		{"1?2:3", 2},
		{"0?2:0?4:5", 5},
		{"1 ? 0 ? 6 : 7 : 8", 7},
		{"1<2 ? 10 : 20", 10},
		{"-9223372036854775808/-1", 0},
		{"-9223372036854775808 % -1", math.MinInt64},
		{"10 % 3", 1},
	}
	for _, test := range tests {
		o := argument(t, test.text)
		assert.Equal(t, ptx.KindInt, o.Kind, test.text)
		assert.Equal(t, test.want, int64(o.Bits), test.text)
		assert.Equal(t, test.text, o.Text)
	}
}

func TestFloats(t *testing.T) {
	f := math.Float64bits
	tests := []struct {
		text string
		size int
		want uint64
	}{
		{"0f3F800000", 4, 0x3f800000},
		{"0F3f800000", 4, 0x3f800000},
		{"-0f3F800000", 4, 0xbf800000},
		{"0d3FF0000000000000", 8, f(1)},
		{"-0D3FF0000000000000", 8, f(-1)},
		{"+0d3FF0000000000000", 8, f(1)},
		{"0d7FF8000000000000", 8, 0x7ff8000000000000},
		{"1.5", 0, f(1.5)},
		{"1.", 0, f(1)},
		{".25", 0, f(0.25)},
		{"1e3", 0, f(1000)},
		{"1.25E-2", 0, f(0.0125)},
		{"1e+2", 0, f(100)},
		{"-2.5", 0, f(-2.5)},
		{"1e999", 0, f(math.Inf(1))},
		{"1.5 + 2.0", 0, f(3.5)},
		{"2.0 * 3.0 - 1.0 / 4.0", 0, f(5.75)},
	}
	for _, test := range tests {
		o := argument(t, test.text)
		assert.Equal(t, ptx.KindFloat, o.Kind, test.text)
		assert.EqualValues(t, test.size, o.FloatSize, test.text)
		assert.Equal(t, test.want, o.Bits, test.text)
	}
}

func TestOperandName(t *testing.T) {
	for text, want := range map[string]string{
		"a": "a", "%r1": "%r1", "$x_1": "$x_1", "%v.x": "%v", "%tid.z": "%tid", "_": "", "1": "", "{a}": "",
	} {
		o := argument(t, text)
		assert.Equal(t, want, o.Name(), text)
	}
	o := argument(t, "%v .a")
	assert.Equal(t, "%v", o.Name())
	assert.Equal(t, byte('w'), o.Elem)
	assert.Empty(t, (&ptx.Operand{}).Name())
}

func TestParseInt(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "12": 12, "-12": -12, "0x10": 16, "-0b11": -3, "017U": 15,
		"9223372036854775807": math.MaxInt64, "-9223372036854775807": -math.MaxInt64, "-9223372036854775808": math.MinInt64,
	} {
		got, ok := ptx.ParseInt(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "-", "x", "1x", "08", "0b2", "0x", "1.5", "--1", "9223372036854775808", "-9223372036854775809", "99999999999999999999", "1 "} {
		_, ok := ptx.ParseInt(text)
		assert.False(t, ok, text)
	}
}

func TestParseConstant(t *testing.T) {
	for text, want := range map[string]uint64{
		"0x8000000000000000": 1 << 63, "18446744073709551615": math.MaxUint64, "-9223372036854775808": 1 << 63, "-1": math.MaxUint64,
		"0f3F800000": 0x3f800000, "-0f3F800000": 0xbf800000, "0.5": math.Float64bits(0.5),
	} {
		got, ok := ptx.ParseConstant(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got.Bits, text)
	}
	for _, text := range []string{"", "-", "x", "18446744073709551616", "%r1"} {
		_, ok := ptx.ParseConstant(text)
		assert.False(t, ok, text)
	}
}

func TestTypes(t *testing.T) {
	tests := []struct {
		typ    ptx.Type
		size   int
		class  ptx.Class
		signed bool
	}{
		{ptx.NoType, 0, ptx.NoClass, false},
		{ptx.B8, 1, ptx.Bits, false},
		{ptx.B128, 16, ptx.Bits, false},
		{ptx.U64, 8, ptx.Integer, false},
		{ptx.S8, 1, ptx.Integer, true},
		{ptx.S64, 8, ptx.Integer, true},
		{ptx.F16, 2, ptx.Float, false},
		{ptx.F16X2, 4, ptx.Float, false},
		{ptx.Pred, 1, ptx.Predicate, false},
		{ptx.BF16, 2, ptx.Alternate, false},
		{ptx.TexRef, 0, ptx.Handle, false},
		{ptx.Type(200), 0, ptx.NoClass, false},
	}
	for _, test := range tests {
		assert.Equal(t, test.size, test.typ.Size(), test.typ)
		assert.Equal(t, test.class, test.typ.Class(), test.typ)
		assert.Equal(t, test.signed, test.typ.Signed(), test.typ)
	}
	assert.Equal(t, ".type?", ptx.Type(200).String())
	assert.Equal(t, " .reg .param .local .shared .global .const .tex .sreg .space?", join(ptx.NoSpace, ptx.SregSpace+1))
	assert.Equal(t, " .extern .visible .weak .common .linkage?", join(ptx.NoLinkage, ptx.Common+1))
}

// join writes the values from first to last.
func join[T interface {
	~uint8
	fmt.Stringer
}](first, last T,
) string {
	text := first.String()
	for v := first + 1; v <= last; v++ {
		text += " " + v.String()
	}
	return text
}

func TestVersion(t *testing.T) {
	v := ptx.Version{Major: 8, Minor: 3}
	assert.True(t, v.AtLeast(8, 3))
	assert.True(t, v.AtLeast(7, 9))
	assert.False(t, v.AtLeast(8, 4))
	assert.False(t, v.AtLeast(9, 0))
}

func TestDirectiveOf(t *testing.T) {
	m, err := ptx.Parse("in.ptx", []byte(`.func f() .maxnreg 3 .noreturn .maxnreg 4
{
	P: .callprototype _ .noreturn;
}`))
	require.NoError(t, err)
	f := m.Items[0].(*ptx.Func)
	assert.Equal(t, "3", f.Directive(".maxnreg").Args)
	assert.Nil(t, f.Directive(".minnctapersm"))
	p := f.Body[0].(*ptx.Prototype)
	assert.NotNil(t, p.Directive(".noreturn"))
	assert.Nil(t, p.Directive(".maxnreg"))
}

// TestPlainAddress holds that addresses without blanks, most of which are read at
// once, are what they are with blanks, which are read token by token.
func TestPlainAddress(t *testing.T) {
	parse := func(addr string) (*ptx.Access, error) {
		m, err := ptx.Parse("x.ptx", []byte(".func f(.param .b32 x)\n{\n\tld.param.b32 %r1, "+addr+";\n}\n"))
		for _, s := range m.Items[0].(*ptx.Func).Body {
			if a, ok := s.(*ptx.Access); ok {
				return a, err
			}
		}
		return nil, err
	}
	plain := 0
	for _, base := range []string{"x", "%rd1", "$x_9", "_", "%1", "9", "WARP_SZ", "%", "x.y", "-x", ""} {
		for _, off := range []string{
			"", "+0", "+8", "+12345678", "+123456789", "+1234567890", "+99999999999", "+08", "+010", "+00", "+0x10", "+8U", "+-8", "-8", "+", "+8.0", "+1e2", "+8+8", "+x", "+%r1", "+WARP_SZ",
		} {
			tight, tightErr := parse("[" + base + off + "]")
			loose, looseErr := parse("[ " + base + off + " ]")
			if looseErr != nil || tightErr != nil {
				require.Error(t, looseErr, base+off)
				require.Error(t, tightErr, base+off)
				continue
			}
			loose.Addr.Pos.Col-- // for the blank
			require.Equal(t, loose.Addr, tight.Addr, base+off)
			plain++
		}
	}
	require.Greater(t, plain, 40)
}

// TestWrap holds which integers of 2^64 and more are taken, modulo 2^64, as measured with
// ptxas 11.8 to 13.5.
func TestWrap(t *testing.T) {
	for text, want := range map[string]struct {
		bits    uint64
		wrapped bool
	}{
		"18446744073709551615":      {1<<64 - 1, false},
		"18446744073709551621":      {5, true},
		"0x10000000000000005":       {5, true},
		"0x10000000000000005U":      {5, true},
		"02000000000000000000005":   {5, true},
		"-0x10000000000000005":      {1<<64 - 5, true},
		"0x1FFFFFFFFFFFFFFFF":       {1<<64 - 1, true},
		"0x100000000000000005":      {5, true},
		"200000000000000000000":     {15532559262904483840, true},
		"0x00000000000000000000005": {5, false},
	} {
		m, err := ptx.ParseString("x.ptx", ".func f() { call g, ("+text+"); }")
		require.NoError(t, err, text)
		o := m.Items[0].(*ptx.Func).Body[0].(*ptx.Call).Params[0]
		assert.Equal(t, want.bits, o.Bits, text)
		assert.Equal(t, want.wrapped, o.Wrapped, text)
	}
	for _, text := range []string{"0x80000000000000005", "100000000000000000000", "99999999999999999999", "010000000000000000000005", "0b1" + strings.Repeat("0", 64)} {
		_, err := ptx.ParseString("x.ptx", ".func f() { call g, ("+text+"); }")
		assert.ErrorContains(t, err, "does not fit in 64 bits", text)
	}
}

// TestParseFormal reads formals by themselves.
func TestParseFormal(t *testing.T) {
	for _, text := range []string{".param .align 8 .b8 x[16]", ".reg .v2 .f32 v", ".param .u64 .ptr .global .align 4 p", ".param .b8 tail[]"} {
		f, err := ptx.ParseFormal(text)
		assert.NoError(t, err, text)
		assert.NotEqual(t, ptx.NoType, f.Type)
		assert.NotEmpty(t, f.Name)
	}
	for text, want := range map[string]string{
		"":                  "formal:1:1: error: found the end of the file, expected a formal such as .param .b32 x [BadSyntax]",
		".param .b32 x, ":   "formal:1:14: error: found ',', expected the end of the formal [BadSyntax]",
		".global .b32 x":    "formal:1:1: error: a formal stands in .reg or .param space [BadSyntax]",
		".param .b32 x[4":   "formal:1:16: error: found the end of the file, expected ']' after the extent [BadSyntax]",
		".param .b32 x\x00": "",
	} {
		_, err := ptx.ParseFormal(text)
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, want, text)
	}
}
