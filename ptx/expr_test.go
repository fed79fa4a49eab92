package ptx_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
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

// TestConstants holds the kinds and values of constants against testdata/constants.txt.
func TestConstants(t *testing.T) {
	for line := range strings.Lines(string(must.Read(t, "testdata/constants.txt"))) {
		row := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if row[0] == "#" {
			continue
		}
		require.Len(t, row, 3, line)
		kind, bits, text := row[0], row[1], row[2]
		if kind == "refused" {
			_, err := ptx.ParseString("x.ptx", ".func f() { call g, ("+text+"); }")
			assert.ErrorContains(t, err, "does not fit in 64 bits", text)
			continue
		}
		o := argument(t, text)
		assert.Equal(t, text, o.Text)
		assert.Equal(t, bits, fmt.Sprintf("%#x", o.Bits), text)
		assert.Equal(t, kind == "wrapped", o.Wrapped, text)
		if size, ok := strings.CutPrefix(kind, "float"); ok {
			assert.Equal(t, ptx.KindFloat, o.Kind, text)
			assert.Equal(t, size, fmt.Sprint(o.FloatSize), text)
		} else {
			assert.Equal(t, ptx.KindInt, o.Kind, text)
		}
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

func TestParseConstantIntegers(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "12": 12, "-12": -12, "0x10": 16, "-0b11": -3, "017U": 15,
		"9223372036854775807": math.MaxInt64, "-9223372036854775807": -math.MaxInt64, "-9223372036854775808": math.MinInt64,
	} {
		got, ok := ptx.ParseConstant(text)
		assert.True(t, ok && got.Kind == ptx.KindInt, text)
		assert.Equal(t, want, int64(got.Bits), text)
	}
	for _, text := range []string{"", "-", "x", "1x", "08", "0b2", "0x", "--1", "99999999999999999999", "1 "} {
		_, ok := ptx.ParseConstant(text)
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
