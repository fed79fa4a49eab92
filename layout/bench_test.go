package layout

import (
	"fmt"
	"testing"
)

// BenchmarkScale lays out records that a careless algorithm is slow on.
func BenchmarkScale(b *testing.B) {
	field := func(i int, t Type) Field { return Field{Name: fmt.Sprintf("f%d", i), Type: t} }
	kinds := []Kind{Char, Short, Int, Long, Float, Double, UChar, UInt}
	shapes := []struct {
		name string
		make func(n int) *Record
	}{
		{"members", func(n int) *Record {
			r := &Record{Name: "S"}
			for i := range n {
				r.Fields = append(r.Fields, field(i, Scalar{Kind: kinds[i%len(kinds)]}))
			}
			return r
		}},
		{"bits", func(n int) *Record {
			r := &Record{Name: "S"}
			for i := range n {
				f := field(i, Scalar{Kind: UInt})
				f.BitField, f.Bits = true, int64(1+i%31)
				r.Fields = append(r.Fields, f)
			}
			return r
		}},
		{"records", func(n int) *Record {
			r := &Record{Name: "S"}
			inner := &Record{Name: "I", Fields: []Field{field(0, Scalar{Kind: Char}), field(1, Scalar{Kind: Double})}}
			for i := range n {
				r.Fields = append(r.Fields, field(i, inner))
			}
			return r
		}},
		{"chain", func(n int) *Record { // each holds the one before it: the depth is bounded
			outer := &Record{Name: "All"}
			for i := range n / 100 {
				r := &Record{Name: "S", Fields: []Field{field(0, Scalar{Kind: Int})}}
				for range 99 {
					r = &Record{Name: "S", Fields: []Field{field(0, r), field(1, Scalar{Kind: Short})}}
				}
				outer.Fields = append(outer.Fields, field(i, &Pointer{Elem: r}), field(n+i, r))
			}
			return outer
		}},
		{"bases", func(n int) *Record {
			r := &Record{Name: "S"}
			for i := range n {
				base := &Record{Name: fmt.Sprintf("B%d", i), Fields: []Field{field(0, Scalar{Kind: kinds[i%len(kinds)]})}}
				r.Bases = append(r.Bases, Base{Type: base})
			}
			return r
		}},
		{"empty-bases", func(n int) *Record { // no two of a type may lie at one offset
			r := &Record{Name: "S"}
			for i := range n {
				r.Bases = append(r.Bases, Base{Type: &Record{Name: fmt.Sprintf("B%d", i)}})
			}
			return r
		}},
	}
	for _, s := range shapes {
		for _, n := range []int{2000, 16_000} {
			b.Run(fmt.Sprintf("%s/size=%d", s.name, n), func(b *testing.B) {
				r := s.make(n)
				b.ReportAllocs()
				for b.Loop() {
					l, err := Of(r, Rules{Lang: CXX})
					if err != nil {
						b.Fatal(err)
					}
					leaves := 0
					for range l.Fields() {
						leaves++
					}
				}
			})
		}
	}
}
