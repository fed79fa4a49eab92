package layout

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawType makes a random type that lays out.
func drawType(t *rapid.T, depth int) Type {
	switch k := rapid.IntRange(0, 9).Draw(t, "shape"); {
	case k < 5 || depth == 0:
		kind := rapid.SampledFrom([]Kind{
			Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, LongLong, Int128, Float16, Float, Double, LongDouble, WChar,
		}).Draw(t, "kind")
		return Scalar{Kind: kind, Complex: kind == Float && rapid.Bool().Draw(t, "complex")}
	case k == 5:
		return &Pointer{Elem: Scalar{Kind: Void}}
	case k == 6:
		n := rapid.Int64Range(1, 8).Draw(t, "len")
		return &Vector{Elem: Scalar{Kind: rapid.SampledFrom([]Kind{Char, Short, Int, Float, Double}).Draw(t, "elem")}, Len: n}
	case k == 7:
		return &Array{Elem: drawType(t, depth-1), Len: rapid.Int64Range(0, 4).Draw(t, "len")}
	}
	return drawRecord(t, depth-1)
}

func drawRecord(t *rapid.T, depth int) *Record {
	r := &Record{Name: "R", Kind: rapid.SampledFrom([]RecordKind{Struct, Struct, Struct, Union}).Draw(t, "kind")}
	r.Packed = rapid.IntRange(0, 4).Draw(t, "packed") == 0
	if rapid.IntRange(0, 4).Draw(t, "aligned") == 0 {
		r.Align = 1 << rapid.IntRange(0, 6).Draw(t, "align")
	}
	if rapid.IntRange(0, 4).Draw(t, "pragma") == 0 {
		r.Pack = 1 << rapid.IntRange(0, 4).Draw(t, "pack")
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "fields") {
		f := Field{Name: fmt.Sprintf("f%d", i)}
		if rapid.IntRange(0, 3).Draw(t, "bits") == 0 {
			f.BitField = true
			f.Type = Scalar{Kind: rapid.SampledFrom([]Kind{UChar, Short, UInt, Long}).Draw(t, "bitType")}
			size, _ := f.Type.(Scalar).size(LP64)
			f.Bits = rapid.Int64Range(0, size*8).Draw(t, "width")
			if f.Bits == 0 || rapid.IntRange(0, 4).Draw(t, "unnamed") == 0 {
				f.Name = ""
			}
		} else {
			f.Type = drawType(t, depth)
		}
		r.Fields = append(r.Fields, f)
	}
	return r
}

// TestProperties holds what is true of every layout: fields lie inside the
// record and in order, those of structs do not overlap, offsets are aligned
// where nothing packs them, and the size is a multiple of the alignment.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := drawRecord(t, 3)
		rules := LP64
		rules.Lang = rapid.SampledFrom([]Lang{C, CXX}).Draw(t, "lang")
		l, err := Of(rec, rules)
		if err != nil {
			// An array of records can have elements that are no
			// multiple of their alignment, no other mistake is drawn.
			require.ErrorContains(t, err, "not a multiple of its alignment")
			return
		}
		require.Zero(t, l.Size%l.Align, "size is a multiple of the alignment")
		require.LessOrEqual(t, l.DataSize, l.Size)
		end := int64(0)
		for i := range l.Members {
			m := &l.Members[i]
			bits := m.Layout.Size * 8
			if m.Field.BitField {
				bits = m.Field.Bits
			} else if !rec.Packed && rec.Pack == 0 {
				require.Zero(t, m.Offset%m.Layout.Align, "%s is aligned", m.Field.Name)
			}
			if rec.Kind != Union {
				require.GreaterOrEqual(t, m.bitOffset(), end, "%s overlaps", m.Field.Name)
				end = m.bitOffset() + bits
			}
			require.LessOrEqual(t, m.bitOffset()+bits, l.Size*8, "%s sticks out", m.Field.Name)
		}
		last, used := int64(0), int64(0)
		for f := range l.Fields() {
			require.GreaterOrEqual(t, f.Start(), last, "leaves are in order")
			last = f.Start()
			used = max(used, f.Offset)
		}
		require.LessOrEqual(t, used, l.Size)
		checkGroups(t, &l)
	})
}

// checkGroups holds that every access is aligned and within the record, and
// that together they load every byte that a field has.
func checkGroups(t *rapid.T, l *Layout) {
	loaded := map[int64]bool{}
	for a := range l.Groups(0) {
		size := a.Size * a.Count
		require.LessOrEqual(t, a.Off+size, l.Size, "%v sticks out", a)
		require.Zero(t, a.Off%min(a.Size, l.Align), "%v is aligned", a)
		if a.Off > 0 {
			require.Zero(t, a.Off%a.Size, "%v is aligned", a)
		}
		for b := a.Off; b < a.Off+size; b++ {
			loaded[b] = true
		}
	}
	for f := range l.Fields() {
		first, last := f.Start()/8, f.Offset+f.Size
		if f.BitWidth > 0 {
			last = (f.Start() + f.BitWidth + 7) / 8
		} else if v, ok := Unalias(f.Type).(*Vector); ok {
			last = f.Offset + v.Len*1
		}
		if _, ok := Unalias(f.Type).(*Array); ok {
			continue // elements may have padding
		}
		for b := first; b < last; b++ {
			require.True(t, loaded[b], "byte %d of %s is not loaded", b, f.Path)
		}
	}
}

// TestPrefix: leaving the last field out leaves the others where they are.
func TestPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := drawRecord(t, 2)
		if len(rec.Fields) == 0 {
			return
		}
		l, err := Of(rec, LP64)
		if err != nil {
			return
		}
		prefix := *rec
		prefix.Fields = rec.Fields[:len(rec.Fields)-1]
		p, err := Of(&prefix, LP64)
		require.NoError(t, err)
		for i := range p.Members {
			require.Equal(t, l.Members[i].Offset, p.Members[i].Offset)
			require.Equal(t, l.Members[i].Bit, p.Members[i].Bit)
		}
		require.LessOrEqual(t, p.Size, l.Size)
	})
}

// goType is a C type together with the Go type of the same layout.
func goType(t *rapid.T, depth int) (Type, reflect.Type) {
	scalars := []struct {
		kind Kind
		typ  reflect.Type
	}{
		{Bool, reflect.TypeFor[bool]()},
		{SChar, reflect.TypeFor[int8]()},
		{UChar, reflect.TypeFor[uint8]()},
		{Short, reflect.TypeFor[int16]()},
		{UInt, reflect.TypeFor[uint32]()},
		{Long, reflect.TypeFor[int64]()},
		{Float, reflect.TypeFor[float32]()},
		{Double, reflect.TypeFor[float64]()},
		{ULongLong, reflect.TypeFor[uint64]()},
	}
	switch k := rapid.IntRange(0, 9).Draw(t, "shape"); {
	case k < 7 || depth == 0:
		s := rapid.SampledFrom(scalars).Draw(t, "scalar")
		return Scalar{Kind: s.kind}, s.typ
	case k == 7:
		e, ge := goType(t, depth-1)
		n := rapid.IntRange(1, 5).Draw(t, "len")
		return &Array{Elem: e, Len: int64(n)}, reflect.ArrayOf(n, ge)
	}
	return goStruct(t, depth-1)
}

func goStruct(t *rapid.T, depth int) (Type, reflect.Type) {
	rec := &Record{Name: "R"}
	var fields []reflect.StructField
	for i := range rapid.IntRange(1, 8).Draw(t, "fields") {
		name := fmt.Sprintf("F%d", i)
		ct, gt := goType(t, depth)
		rec.Fields = append(rec.Fields, Field{Name: name, Type: ct})
		fields = append(fields, reflect.StructField{Name: name, Type: gt})
	}
	return rec, reflect.StructOf(fields)
}

// TestReflect compares with a second implementation that is always there: on
// a 64-bit machine Go lays structs out as C does.
func TestReflect(t *testing.T) {
	if reflect.TypeFor[uint64]().Align() != 8 {
		t.Skip("Go aligns 64-bit fields to 4 here")
	}
	rapid.Check(t, func(t *rapid.T) {
		ct, gt := goStruct(t, 3)
		l, err := Of(ct, LP64)
		require.NoError(t, err)
		require.EqualValues(t, gt.Size(), l.Size)
		require.EqualValues(t, gt.Align(), l.Align)
		for i := range l.Members {
			assert.EqualValues(t, gt.Field(i).Offset, l.Members[i].Offset)
		}
	})
}

// BenchmarkThousand lays out a thousand structs of mixed members, some of
// which contain earlier ones.
func BenchmarkThousand(b *testing.B) {
	kinds := []Kind{Char, Short, Int, Long, Float, Double, UChar, UInt}
	var recs []*Record
	for i := range 1000 {
		r := &Record{Name: fmt.Sprintf("S%d", i), Packed: i%11 == 0}
		for j := range 8 {
			f := Field{Name: fmt.Sprintf("f%d", j), Type: Scalar{Kind: kinds[(i*7+j*3)%len(kinds)]}}
			switch {
			case j == 3 && i > 0:
				f.Type = recs[i/2]
			case j == 5:
				f.Type = &Array{Elem: f.Type, Len: int64(i % 9)}
			case j == 6:
				f.BitField, f.Bits, f.Type = true, int64(1+i%20), Scalar{Kind: UInt}
			}
			r.Fields = append(r.Fields, f)
		}
		recs = append(recs, r)
	}
	b.ReportAllocs()
	for b.Loop() {
		m := Memo{}
		for _, r := range recs {
			if _, err := m.Of(r); err != nil {
				b.Fatal(err)
			}
		}
	}
}
