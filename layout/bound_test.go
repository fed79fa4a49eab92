package layout

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nested is a record that holds two of one that holds two of another, n times,
// around the fields given.
func nested(kind RecordKind, n int, fields ...Field) *Record {
	r := &Record{Name: "s0", Kind: kind, Fields: fields}
	for i := range n {
		r = &Record{Name: fmt.Sprintf("s%d", i+1), Kind: kind, Fields: []Field{{Name: "a", Type: r}, {Name: "b", Type: r}}}
	}
	return r
}

// TestShared has types whose parts are more than can be counted: whatever walks
// them one by one does not end.
func TestShared(t *testing.T) {
	const deep = 50
	char := Field{Name: "c", Type: Scalar{Kind: Char}}
	long := Field{Name: "d", Type: Scalar{Kind: LongDouble}}
	for _, lang := range []Lang{C, CXX} {
		for name, r := range map[string]*Record{
			"struct":      nested(Struct, deep, char),
			"union":       nested(Union, deep, char),
			"empty":       nested(Struct, deep),
			"bit-field":   nested(Struct, deep, Field{Type: Scalar{Kind: Int}, BitField: true, Bits: 3}),
			"long double": nested(Struct, deep, long),
		} {
			t.Run(fmt.Sprintf("%d/%s", lang, name), func(t *testing.T) {
				rules := Rules{Lang: lang}
				if name == "long double" {
					rules = rules.NVCC()
				}
				l, err := Of(r, rules)
				require.NoError(t, err)
				why := l.Doubt(NVCC)
				assert.Equal(t, name == "long double", why != "" && l.Size > 1<<deep, why)
				for p := range Producer(len(producers)) {
					for role := Argument; role <= InternalResult; role++ {
						assert.NotEmpty(t, l.ParamOf(p, role, "x").Name+"x")
					}
				}
				n := 0
				for range l.Fields() {
					if n++; n == 1000 {
						break
					}
				}
				assert.Equal(t, map[bool]int{false: 1000, true: 0}[name == "empty" || name == "bit-field"], n)
			})
		}
	}
}

// TestShortened counts long doubles in more records than can be walked.
func TestShortened(t *testing.T) {
	r := nested(Struct, 40, Field{Name: "d", Type: Scalar{Kind: LongDouble}})
	l, err := Of(r, Rules{}.NVCC())
	require.NoError(t, err)
	assert.Equal(t, int64(16)<<40, l.Size)
	assert.Equal(t, int64(8)<<40, l.ParamOf(NVCC, Argument, "x").Bytes)
}

// TestNoLeaves has arrays of elements without leaves: to look for one in each
// does not end.
func TestNoLeaves(t *testing.T) {
	none := &Record{Name: "E", Fields: []Field{{Type: Scalar{Kind: Int}, BitField: true, Bits: 5}}}
	r := &Record{Name: "S", Fields: []Field{
		{Name: "a", Type: &Array{Elem: &Array{Elem: none, Len: 1 << 40}, Len: 1 << 10}},
		{Name: "x", Type: Scalar{Kind: Int}},
	}}
	for _, kind := range []RecordKind{Struct, Union} {
		r.Kind = kind
		l, err := Of(r, Rules{})
		require.NoError(t, err)
		var paths []string
		for f := range l.Fields() {
			paths = append(paths, f.Path)
		}
		assert.Equal(t, []string{"x"}, paths)
	}
}

// TestLead compares where a type's first leaf is said to be with where it is.
func TestLead(t *testing.T) {
	char, double := Field{Name: "c", Type: Scalar{Kind: Char}}, Field{Name: "d", Type: Scalar{Kind: Double}}
	bits := Field{Name: "b", Type: Scalar{Kind: Int}, BitField: true, Bits: 3}
	gap := Field{Type: Scalar{Kind: Int}, BitField: true, Bits: 5}
	empty := Field{Name: "e", Type: &Record{Name: "E"}}
	for _, fields := range [][]Field{
		{char, double},
		{gap, bits},
		{empty, double},
		{gap, empty},
		{empty, {Name: "u", Type: &Record{Kind: Union, Name: "U", Fields: []Field{empty, double, char}}}},
		{gap, {Name: "a", Type: &Array{Elem: &Record{Name: "A", Fields: []Field{gap, bits}}, Len: 3}}},
		{{Name: "z", Type: &Array{Elem: &Record{Name: "A", Fields: []Field{char}}, Len: 0}}, bits},
	} {
		for _, kind := range []RecordKind{Struct, Union} {
			for _, lang := range []Lang{C, CXX} {
				l, err := Of(&Record{Kind: kind, Name: "S", Fields: fields}, Rules{Lang: lang})
				require.NoError(t, err)
				lead := int64(noLeaf)
				for f := range l.Fields() {
					lead = f.Start()
					break
				}
				assert.Equal(t, lead, l.lead, "%v %v", kind, fields)
			}
		}
	}
}

// TestEmptyInEmpty has classes of which each has the one before as its base and as its first member: there are 2^n empty
// classes in the n-th. The first of them are laid out, and the others refused.
func TestEmptyInEmpty(t *testing.T) {
	m := Memo{Rules: Rules{Lang: CXX}}
	r := &Record{Name: "s0"}
	for i := range 60 {
		l, err := m.Of(r)
		if err != nil {
			assert.Greater(t, i, 15)
			assert.ErrorContains(t, err, "empty classes are too often in each other")
			return
		}
		assert.Equal(t, int64(1)<<i, l.Size)
		r = &Record{Name: fmt.Sprintf("s%d", i+1), Bases: []Base{{Type: r}}, Fields: []Field{{Name: "e", Type: r}}}
	}
	t.Error("not refused")
}

// TestLongPath has records in each other, of which the path is longer than all else: it is put together once, at the leaf.
func TestLongPath(t *testing.T) {
	name := strings.Repeat("n", 1000)
	var typ Type = Scalar{Kind: Int}
	for range 100 {
		typ = &Record{Fields: []Field{{Name: name, Type: typ}}}
	}
	l, err := Of(typ, Rules{})
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for f := range l.Fields() {
		require.Len(t, f.Path, 100*1001-1)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
