package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

type example struct{ Title, About, Lang, Text string }

func examples(t *testing.T) []example {
	t.Helper()
	files, err := web.Files(web.Server, "v1")
	require.NoError(t, err)
	var c struct {
		Examples []example
		Targets  []struct{ Name string }
	}
	require.NoError(t, json.Unmarshal(files["catalog.json"], &c))
	require.Len(t, c.Targets, len(abi.Targets()))
	require.NotEmpty(t, c.Examples)
	return c.Examples
}

// said is the text of a span, whose ends are in UTF-16 units.
func said(text string, from, to int) string {
	return string(utf16.Decode(utf16.Encode([]rune(text))[from:to]))
}

// TestExamples checks that the language of each example is guessed, that it has
// a picture, and that every link leads to something.
func TestExamples(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.Title, func(t *testing.T) {
			assert.NotEmpty(t, e.About)
			for _, target := range abi.Targets() {
				r := web.Answer(web.Request{Text: e.Text, Target: target.Name, Size: "column"})
				if r.Own == "sm_90" && target.Name < "sm_90" && len(target.Name) <= len("sm_90") { // half an answer: where it is on its own
					require.Equal(t, "the module is for sm_90, and "+target.Name+" is below that", r.Refused)
					require.True(t, r.Instead)
					require.Equal(t, "sm_90", r.Target)
					require.NotEmpty(t, r.Pictures)
					continue
				}
				require.Empty(t, r.Refused)
				require.False(t, r.Broken)
				require.Equal(t, e.Lang, r.Lang)
				require.Equal(t, target.Name, r.Target)
				require.NotEmpty(t, r.Pictures)
				assert.NotEmpty(t, r.Facts)
				linked(t, e.Text, r)
			}
		})
	}
}

// linked checks that what is linked is there: a name in the text, cells in a
// picture, rows of the table.
func linked(t *testing.T, text string, r *web.Response) {
	t.Helper()
	pictures := strings.Join(r.Pictures, "")
	assert.NotContains(t, pictures, "<style")
	assert.NotContains(t, pictures, " style=")
	assert.NotEmpty(t, r.Spans)
	for _, s := range r.Spans {
		name := said(text, s.From, s.To)
		assert.Regexp(t, `^[\p{L}_$%][\p{L}\d_$%]*$`, name)
		for _, id := range s.IDs {
			assert.Regexp(t, `data-value="`+id+`(\.f\d+)?"`, pictures, name)
		}
	}
	assert.NotEmpty(t, r.Values)
	for _, v := range r.Values {
		assert.Contains(t, pictures, `data-value="`+v.ID+`"`)
	}
	for _, l := range r.Listing.Lines {
		for _, id := range l.IDs {
			assert.Contains(t, pictures, `data-value="`+id+`"`, l.Text)
		}
	}
}

func example0(t *testing.T, title string) string {
	t.Helper()
	for _, e := range examples(t) {
		if e.Title == title {
			return e.Text
		}
	}
	t.Fatalf("no example %q", title)
	return ""
}

// TestLinks checks which value a name means: the variables of a call are the
// formals of its callee, in the text and in the notes of the call's code.
func TestLinks(t *testing.T) {
	text := example0(t, "A struct and its call")
	r := web.Answer(web.Request{Text: text})
	got := map[string]map[string]bool{}
	for _, s := range r.Spans {
		name := said(text, s.From, s.To)
		if got[name] == nil {
			got[name] = map[string]bool{}
		}
		for _, id := range s.IDs {
			got[name][id] = true
		}
	}
	for name, id := range map[string]string{
		"n": "f0.p0", "pt": "f0.p1", "scale": "f0.p2", "sum": "f0.r0", "count": "f1.p0", "out": "f1.p1",
		"a0": "f0.p0", "a1": "f0.p1", "a2": "f0.p2", "res": "f0.r0",
	} {
		assert.Equal(t, map[string]bool{id: true}, got[name], name)
	}
	notes := map[string]string{}
	for _, l := range r.Listing.Lines {
		if _, note, ok := strings.Cut(l.Text, " // "); ok && l.Kind == "code" {
			notes[note] = strings.Join(l.IDs, " ")
		}
	}
	assert.Equal(t, "f0.p1", notes["pt[8:12]"])
	assert.Equal(t, "f1.p1", notes["out[0:8]"])
	assert.Empty(t, notes["stack pointer"])
}

// TestLoads checks that the listing of declarations leads to what it is about.
func TestLoads(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       map[string]string // of lines that have the key: line of the source, and values
	}{
		{"CUDA", "struct S {\n\tint a;\n\tunsigned f : 3,\n\t\tg : 2;\n};\n__device__ int get(S s,\n\tint n);\n__global__ void k(int n);\n", map[string]string{
			"// a": "2 t0.f0", "// f, g": "3 t0.f1 t0.f2", ".b8 S[": "1", ".func": "6 f0.p0 f0.p1 f0.r0", ".entry": "8 k0.p0.f0",
		}},
		{"Go", "package p\n\ntype T struct {\n\tA int8\n\tB [2]float64\n}\n", map[string]string{"// A": "4 t0.f0", "// B": "5 t0.f1", ".b8 T[": "3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := web.Answer(web.Request{Text: tt.text})
			linked(t, tt.text, r)
			for key, want := range tt.want {
				found := false
				for _, l := range r.Listing.Lines {
					if strings.Contains(l.Text, key) {
						found = true
						assert.Equal(t, want, strings.TrimSpace(fmt.Sprintf("%d %s", l.Line, strings.Join(l.IDs, " "))), l.Text)
					}
				}
				assert.True(t, found, "no line with %s in %v", key, r.Listing.Lines)
			}
		})
	}
}

// TestLongNames checks that a name of any length leaves messages readable.
func TestLongNames(t *testing.T) {
	name := strings.Repeat("ü", 1000) + strings.Repeat("n", 100000)
	for _, text := range []string{
		".version 6.0\n.target sm_70\n.visible .func f(.param .b32 x) { ld.param.b32 %r1, [" + name[2000:] + "]; ret; }",
		"#error " + name + "\nstruct S { int a; };",
	} {
		question, err := json.Marshal(web.Request{Text: text})
		require.NoError(t, err)
		out, err := web.AnswerJSON(question)
		require.NoError(t, err)
		var r web.Response
		require.NoError(t, json.Unmarshal(out, &r))
		require.NotEmpty(t, r.Diagnostics)
		for _, d := range r.Diagnostics {
			assert.Less(t, len(d.Message), 600)
		}
		assert.Contains(t, r.Diagnostics[0].Message, "…")
	}
}

// TestShadow checks that a name that a block declares again is not the formal.
func TestShadow(t *testing.T) {
	text := ".version 6.0\n.target sm_35\n.visible .func f(.param .b32 x) { { .param .b32 x; st.param.b32 [x], 1; } ret; }\n"
	r := web.Answer(web.Request{Text: text})
	require.Len(t, r.Spans, 1)
	assert.Equal(t, strings.Index(text, "x)"), r.Spans[0].From)
}

// TestAnswers has what is answered in words.
func TestAnswers(t *testing.T) {
	const head = ".version 6.0\n.target sm_70\n"
	for _, tt := range []struct {
		name string
		req  web.Request
		want func(t *testing.T, r *web.Response)
	}{
		{"nothing", web.Request{}, func(t *testing.T, r *web.Response) {
			assert.Empty(t, r.Pictures)
			assert.Equal(t, "c", r.Lang)
			assert.Empty(t, r.Diagnostics)
		}},
		{"signature without semicolon", web.Request{Text: ".func (.reg .b32 r) f(.reg .b64 a, .reg .b32 b)"}, func(t *testing.T, r *web.Response) {
			assert.Empty(t, r.Diagnostics)
			require.Len(t, r.Values, 3)
			assert.Equal(t, "R4:R5", r.Values[0].Where)
			assert.Equal(t, "R6", r.Values[1].Where)
			assert.Equal(t, "sm_80", r.Target)
		}},
		{"signature of C without semicolon", web.Request{Text: "float energy(double m, char c)\n"}, func(t *testing.T, r *web.Response) {
			assert.Equal(t, "c", r.Lang)
			assert.Empty(t, r.Diagnostics)
			require.Len(t, r.Values, 3)
			assert.Equal(t, "R4:R5", r.Values[0].Where)
			assert.Equal(t, "R6", r.Values[1].Where)
		}},
		{"signature of C with another mistake", web.Request{Text: "float energy(double m, char c,)"}, func(t *testing.T, r *web.Response) {
			assert.True(t, r.Broken)
			assert.NotEmpty(t, r.Diagnostics)
		}},
		{"the module's target", web.Request{Text: head + ".visible .func f(.param .b32 x);"}, func(t *testing.T, r *web.Response) {
			assert.Equal(t, "sm_70", r.Target)
			require.NotEmpty(t, r.Groups)
			assert.Contains(t, r.Groups[0].Targets, "sm_35")
			assert.Contains(t, r.Groups[0].Refused, "sm_70")
		}},
		{"below the module", web.Request{Text: head, Target: "sm_60"}, func(t *testing.T, r *web.Response) {
			assert.Equal(t, "the module is for sm_70, and sm_60 is below that", r.Refused)
			assert.Equal(t, "sm_70", r.Own)
			assert.Equal(t, "sm_70", r.Target)
			assert.True(t, r.Instead)
			assert.NotEmpty(t, r.Facts)
		}},
		{"a target that is none", web.Request{Text: ".version 8.0\n.target sm_999\n.func f(.param .b32 x) { ret; }"}, func(t *testing.T, r *web.Response) {
			assert.Contains(t, r.Refused, "sm_999")
			assert.True(t, r.Instead)
			assert.Equal(t, "sm_80", r.Target)
			assert.Equal(t, "R4", r.Values[0].Where)
		}},
		{"a listing of another architecture", web.Request{Text: "\t.target\tsm_999\n.text.f:\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"}, func(t *testing.T, r *web.Response) {
			assert.Contains(t, r.Refused, "sm_999")
			assert.True(t, r.Instead)
			assert.Empty(t, r.Target)
			require.Len(t, r.Listing.Lines, 3)
			assert.NotContains(t, r.Listing.Lines[2].Text, "//")
		}},
		{"no target", web.Request{Text: "struct S { int a; };", Target: "sm_1"}, func(t *testing.T, r *web.Response) {
			assert.Equal(t, `unknown target "sm_1"`, r.Refused)
		}},
		{"no language", web.Request{Text: "x", Lang: "cobol"}, func(t *testing.T, r *web.Response) {
			assert.Equal(t, `no language "cobol"; ptx, c, c++, go and sass are understood`, r.Refused)
		}},
		{"too long", web.Request{Text: strings.Repeat(" ", web.MaxText+1)}, func(t *testing.T, r *web.Response) {
			assert.Contains(t, r.Refused, "1048577 bytes")
		}},
		{"syntax", web.Request{Text: head + ".func f(.param .b32 ü);"}, func(t *testing.T, r *web.Response) {
			assert.True(t, r.Broken)
			require.NotEmpty(t, r.Diagnostics)
			assert.Equal(t, "ü", said(head+".func f(.param .b32 ü);", r.Diagnostics[0].From, r.Diagnostics[0].To))
		}},
		{"after what is no ASCII", web.Request{Text: head + "// 😀ü\n.visible .func f(.param .b32 x) { ld.param.b32 %r1, [y]; }"}, func(t *testing.T, r *web.Response) {
			text := head + "// 😀ü\n.visible .func f(.param .b32 x) { ld.param.b32 %r1, [y]; }"
			require.Len(t, r.Spans, 1)
			assert.Equal(t, "x", said(text, r.Spans[0].From, r.Spans[0].To))
			var words []string
			for _, d := range r.Diagnostics {
				words = append(words, said(text, d.From, d.To))
			}
			assert.Contains(t, words, "y")
			assert.Equal(t, "no body is without errors", r.Listing.Missing)
		}},
		{"one function", web.Request{Text: head + ".visible .func f(.param .b32 x) { ret; }\n.visible .func g(.param .b64 y) { ret; }", Only: "g"}, func(t *testing.T, r *web.Response) {
			assert.Equal(t, []string{"f", "g"}, r.Names)
			require.Len(t, r.Values, 1)
			assert.Equal(t, "y", r.Values[0].Name)
			assert.Equal(t, "f0.p0", r.Values[0].ID)
			for _, l := range r.Listing.Lines {
				assert.NotContains(t, l.Text, ".text.f")
			}
		}},
		{"an include", web.Request{Text: "#include \"/etc/passwd\"\nstruct S { int a; };"}, func(t *testing.T, r *web.Response) {
			require.NotEmpty(t, r.Diagnostics)
			assert.NotContains(t, r.Diagnostics[0].Message, "root")
		}},
		{"an overload", web.Request{Text: "__device__ void f(int); __device__ void f(double);"}, func(t *testing.T, r *web.Response) {
			require.Len(t, r.Values, 2)
			assert.Equal(t, "R4:R5", r.Values[1].Where)
		}},
		{"any number of arguments", web.Request{Text: "int printf(const char *f, ...);"}, func(t *testing.T, r *web.Response) {
			assert.Empty(t, r.Diagnostics)
			require.Len(t, r.Values, 3)
			assert.Equal(t, "[R1+0x0]", r.Values[1].Where)
		}},
		{"a comparison", web.Request{Text: "__global__ void k(int n);", Target: "sm_70", Against: "sm_90"}, func(t *testing.T, r *web.Response) {
			require.NotNil(t, r.Diff)
			assert.Equal(t, 1, r.Diff.Differ)
			require.Len(t, r.Diff.Rows, 1)
			assert.Equal(t, "the parameters begin at c[0x0][0x160] and c[0x0][0x210], which a launch does not see", r.Diff.Rows[0].Why)
			assert.Equal(t, "c[0x0][0x160]", r.Diff.Rows[0].A)
			assert.Equal(t, "c[0x0][0x210]", r.Diff.Rows[0].B)
			assert.NotEmpty(t, r.Diff.Facts)
		}},
		{"a comparison that cannot be", web.Request{Text: head + ".visible .func f(.param .b32 x);", Against: "sm_50"}, func(t *testing.T, r *web.Response) {
			assert.Equal(t, "the module is for sm_70, and sm_50 is below that", r.Diff.Refused)
			assert.Equal(t, "sm_50", r.Diff.B)
			alone := web.Answer(web.Request{Text: "struct S { int a; };", Target: "sm_70", Against: "sm_50"})
			assert.NotEmpty(t, r.Diff.Facts)
			assert.Equal(t, alone.Diff.Facts, r.Diff.Facts)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.want(t, web.Answer(tt.req)) })
	}
}

// TestKernel checks that the declarations that stand for C's kernels where
// targets are compared have the places that are drawn.
func TestKernel(t *testing.T) {
	text := example0(t, "A CUDA kernel")
	var decl string
	drawn := map[string]string{}
	r := web.Answer(web.Request{Text: text})
	for _, l := range r.Listing.Lines {
		if strings.Contains(l.Text, ".entry render") {
			decl = l.Text
		}
	}
	for _, v := range r.Values {
		name, _, _ := strings.Cut(v.Name, ".")
		if v.Of == "render" && drawn[name] == "" {
			drawn[name] = v.Where
		}
	}
	require.NotEmpty(t, decl)
	places := map[string]string{}
	for _, v := range web.Answer(web.Request{Text: decl}).Values {
		places[v.Name] = v.Where
	}
	assert.Equal(t, places, drawn)
}

// TestMarkup checks that names that are markup stay text in pictures.
func TestMarkup(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	for _, text := range []string{
		"struct S { int a; }; struct " + evil + " { int b; };",
		".func f(.param .b32 " + evil + ");",
		"package p\ntype T struct { A int32 `" + evil + "` }",
		"#error " + evil + "\nstruct S { int a; };",
		"__global__ void k(struct { int " + evil + "; } x);",
	} {
		for _, lang := range []string{"", "ptx", "c", "c++", "go"} {
			r := web.Answer(web.Request{Text: text, Lang: lang})
			for _, p := range r.Pictures {
				assert.NotContains(t, p, "<script")
			}
		}
	}
}

// TestHalf asks about texts of which not all can be read: what can is shown, and how much that is.
func TestHalf(t *testing.T) {
	const module = ".version 7.8\n.target sm_80\n.visible .func good(.param .b32 x) { ret; }\n.func bad(.param .b32 x, .param .b64 )y) { ret; }\n" +
		".func caller() { .param .b32 a; call bad, (a, a); ret; }\n"
	for _, test := range []struct {
		name, text string
		half       web.Half
		drawn      []string
		listed     string
		at         string
	}{
		{
			"a template of kernels", "struct P { int a; };\ntemplate <class T> __global__ void fill(T *p, T v) {}\n__global__ void plain(struct P p) {}\n__device__ int f(struct P p);\n",
			web.Half{Shown: 3, All: 4, What: "declaration"},
			[]string{"P", "plain", "f"},
			"", "warning 2:1",
		},
		{"an unknown struct", "float f(struct S s, int n);\nint g(int a);\n", web.Half{Shown: 1, All: 2, What: "declaration"}, []string{"g"}, "", "error 1:18"},
		{
			"an unknown type", "struct A { int x; };\nstruct B { unknown_t z; };\nint f(struct A a);\nint g(unknown_t u);\n",
			web.Half{Shown: 2, All: 4, What: "declaration"},
			[]string{"A", "f"},
			"", "warning 2:12",
		},
		{"a kernel with an unknown type", "__global__ void a(int n);\n__global__ void b(unknown_t n);\n", web.Half{Shown: 1, All: 2, What: "declaration"}, []string{"a"}, "", "warning 2:19"},
		{"a field of Go", "package p\n\ntype A struct{ X int32 }\ntype B struct{ M map[int]int }\n", web.Half{Shown: 1, All: 2, What: "declaration"}, []string{"A"}, "", "warning 4:16"},
		{"types of Go alone", "type A struct{ X int32 }; type B struct{ M map[int]int }\n", web.Half{Shown: 1, All: 2, What: "declaration"}, []string{"A"}, "", "warning 1:42"},
		{"a mistake of Go", "package p\n\ntype A struct{ X int32 }\ntype B struct{ M int32; : }\n", web.Half{Shown: 1, All: 1}, []string{"A"}, "", "error 4:25"},
		{"heads", module, web.Half{Shown: 2, All: 3, What: "function"}, []string{"good", "caller"}, "good", "error 4:38"},
		{"a body", ".version 7.8\n.target sm_80\n.func a(.param .b32 x) { ret; }\n.func b(.param .b32 y) { ret }", web.Half{Shown: 2, All: 2, What: "function"}, []string{"a", "b"}, "a", "error 4:29"},
		{"a listing", "\t.target\tsm_80\n.text.k:\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n        /*0010*/                   ??? ((( ;\n", web.Half{}, nil, "c[0x0][0x28]", "error 4:36"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := web.Answer(web.Request{Text: test.text})
			require.NotNil(t, r.Half, "%v", r.Diagnostics)
			assert.False(t, r.Broken)
			d := r.Diagnostics[r.Half.At]
			assert.Equal(t, test.at, fmt.Sprintf("%s %d:%d", d.Severity, d.Line, d.Column))
			test.half.At = r.Half.At
			assert.Equal(t, test.half, *r.Half)
			assert.Equal(t, test.drawn, slices.Clip(append([]string(nil), r.Names...)))
			var listed []string
			for _, l := range r.Listing.Lines {
				listed = append(listed, l.Text)
			}
			assert.Contains(t, strings.Join(listed, "\n"), test.listed)
			assert.NotContains(t, strings.Join(listed, "\n"), "bad")
		})
	}
	refused := web.Answer(web.Request{Text: module, Target: "sm_50"})
	require.NotEmpty(t, refused.Diagnostics)
	assert.True(t, slices.ContainsFunc(refused.Diagnostics, func(d web.Diagnostic) bool { return d.Line == 2 && d.Code == "BadTarget" }))
	assert.Equal(t, []string{"good", "caller"}, refused.Names)
	whole := web.Answer(web.Request{Text: "struct P { int a; };"})
	assert.Nil(t, whole.Half)
	once := web.Answer(web.Request{Text: "__global__ void k(struct Foo f);\n__device__ float g(float x);\n"})
	assert.Len(t, once.Diagnostics, 1)
}
