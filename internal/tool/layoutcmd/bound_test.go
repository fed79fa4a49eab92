package layoutcmd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/layout"
)

// nested declares records of which each holds two of the one before.
func nested(kind, first string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s s0{%s};", kind, first)
	for i := range n {
		fmt.Fprintf(&b, "%s s%d{%s s%d a,b;};", kind, i+1, kind, i)
	}
	return b.String()
}

// TestBound has short texts that say more than can be listed. Each format ends,
// with an error or what there is room for.
func TestBound(t *testing.T) {
	const many = "has more than 262144 fields"
	sm90 := must.Target(t, "sm_90")
	for _, tt := range []struct {
		name, text string
		format     string
		err        string // or what is said in the output
		out        string
	}{
		{"shared", nested("struct", "char a,b;", 29), "text", "too many to list", ""},
		{"shared", nested("struct", "char a,b;", 29), "clang", "too many to list", ""},
		{"shared", nested("struct", "char a,b;", 29), "svg", "", "fields beyond the first"},
		{"unions", nested("union", "char a,b;", 29), "ptx", "too many to list", ""},
		{"unions", nested("union", "char a,b;", 29), "svg", "", "fields beyond the first"},
		{"empty", nested("struct", "", 29), "text", "", "struct s29: "},
		{"elements", "struct s{int a[1000];};struct t{struct s x[1000];};struct u{struct t y[1000];};", "text", many, ""},
		{"elements", "struct s{int a[1000];};struct t{struct s x[1000];};struct u{struct t y[1000];};", "ptx", many, ""},
		{"elements", "struct s{int a[1000];};struct t{struct s x[1000];};struct u{struct t y[1000];};", "svg", "", "fields beyond the first 65,536"},
		{"image", "struct img { float px[4096][4096]; };", "ptx", "", "// more loads, from byte 262144 of 67108864 on, are left out\n"},
		{"image", "struct img { float px[4096][4096]; };", "text", "", "16777216 × ld.param.f32"},
		{"nothing", "struct e{int :5;}; struct s{ struct e a[100000000000]; int x; };", "text", "", "struct s: 100000000004 bytes"},
		{"names", "struct s{int " + strings.Repeat("n", 400000) + ",", "text", "", ""},
		{"wide", "struct s{int " + strings.Repeat("n", 400000) + fields(20000) + ";};", "text", "names too long for a table", ""},
		{"many arms", "union s{char " + arms(20000) + ";};", "ptx", "", "are left out"},
	} {
		t.Run(tt.name+"/"+tt.format, func(t *testing.T) {
			if tt.format != "svg" && (tt.name == "shared" || tt.name == "unions") {
				effort.NeedLong(t, "hundreds of megabytes of text are made before it is too much")
			}
			t.Parallel()
			r, err := layoutcmd.Load("a.h", []byte(tt.text), layoutcmd.Options{Target: sm90, Producer: layout.NVCC})
			require.NoError(t, err)
			out, err := r.Format(tt.format)
			assert.LessOrEqual(t, len(out), 1<<28)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.True(t, strings.Contains(string(out), tt.out), "%.1000s", out)
		})
	}
}

func fields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",f%d", i)
	}
	return b.String()
}

func arms(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "f%d[1000],", i)
	}
	return b.String() + "last"
}
