//go:build !explorer

package layoutcmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/layout"
)

// Records reads a document of layout -format json, which any language may have written: its types with the offsets
// that are recorded, in their order. Fields that share bytes with one before them, as those of unions do, are left out.
func Records(data []byte) ([]*layout.Layout, error) {
	var doc struct {
		Format string
		Types  []recorded
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("not JSON of layout: %w", err)
	}
	if doc.Format != "ptxabi.layout/1" {
		return nil, fmt.Errorf("its format is %q, expected ptxabi.layout/1, as \"ptxabi layout -format json\" prints", doc.Format)
	}
	var all []*layout.Layout
	for i := range doc.Types {
		l, err := doc.Types[i].layout()
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", doc.Types[i].Name, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// recorded is a type of any language.
type recorded struct {
	Name        string
	Size, Align int64
	Fields      []RecordedField
}

// A RecordedField is one of a type of any language. It is a bit-field if it has a BitWidth; BitOffset counts from Offset.
type RecordedField struct {
	Path, Type, Kind    string
	Offset, Size        int64
	BitOffset, BitWidth int64
}

// UnmarshalJSON reads a field as layout -format json has it. One without a size has -1 bytes.
func (f *RecordedField) UnmarshalJSON(data []byte) error {
	type field RecordedField
	f.Size = -1
	return json.Unmarshal(data, (*field)(f))
}

// Recorded is a type of any language as a record of C. Fields are recorded as layout -format json has them.
func Recorded(name string, size, align int64, fields []RecordedField) (*layout.Layout, error) {
	return (&recorded{name, size, align, fields}).layout()
}

// mostRecorded bounds the size of a type and the number of its fields.
const mostRecorded = 1 << 20

// layout is the type as a record of C: with the alignments of its fields where these lead to the recorded offsets, and
// otherwise packed.
func (t *recorded) layout() (*layout.Layout, error) {
	switch {
	case t.Size < 0 || t.Size > mostRecorded || len(t.Fields) > mostRecorded:
		return nil, fmt.Errorf("a size of %d bytes", t.Size)
	case t.Align < 1 || t.Align&(t.Align-1) != 0 || t.Align > mostRecorded:
		return nil, fmt.Errorf("an alignment of %d, expected a power of two", t.Align)
	case t.Size%t.Align != 0:
		return nil, fmt.Errorf("its size of %d bytes is not a multiple of its alignment of %d", t.Size, t.Align)
	}
	var fields []RecordedField
	packed := false
	for _, f := range t.Fields {
		switch end := f.start() + f.bits(); {
		case f.Size < 0 && f.BitWidth == 0:
			return nil, fmt.Errorf("field %s has no size", f.Path)
		case f.BitWidth != 0 && (f.BitWidth < 0 || f.BitWidth > 64 || f.Offset < 0 || f.Offset > t.Size || f.start() < 0 || end > t.Size*8):
			return nil, fmt.Errorf("bit-field %s has the bits %d to %d, and the type has %d", f.Path, f.start(), end, t.Size*8)
		case f.BitWidth != 0:
			fields, packed = append(fields, f), true
		case f.Offset < 0 || f.Offset > t.Size || f.Size > t.Size-f.Offset:
			return nil, fmt.Errorf("field %s has the bytes %d to %d, and the type has %d", f.Path, f.Offset, f.Offset+f.Size, t.Size)
		case f.Size > 0:
			fields = append(fields, f)
		}
	}
	slices.SortStableFunc(fields, func(a, b RecordedField) int { return cmp.Compare(a.start(), b.start()) })
	if l, err := layout.Of(t.record(fields, false), layout.LP64); err == nil && !packed && t.holds(&l, fields) {
		return &l, nil
	}
	l, err := layout.Of(t.record(fields, true), layout.LP64)
	if err == nil && !t.holds(&l, fields) {
		err = errors.New("no record of C has these offsets")
	}
	return &l, err
}

// start is the first bit of a field, and bits is how many it has.
func (f *RecordedField) start() int64 { return f.Offset*8 + f.BitOffset }
func (f *RecordedField) bits() int64  { return cmp.Or(f.BitWidth, f.Size*8) }

// record is the type with padding where its fields leave room: between all of a packed one, as one with bit-fields is, and
// otherwise where alignments do not make it.
func (t *recorded) record(fields []RecordedField, packed bool) *layout.Record {
	rec := &layout.Record{Kind: layout.Struct, Name: t.Name, Packed: packed, Align: t.Align}
	end := int64(0) // in bits
	add := func(f layout.Field) { rec.Fields = append(rec.Fields, f) }
	pad := func(to, align int64) {
		if bytes := (end + 7) / 8; to/8 > (bytes+align-1)/align*align {
			add(layout.Field{Name: "_", Type: recordedBytes(to/8 - bytes)})
			end = to / 8 * 8
		}
	}
	for i := range fields {
		f := &fields[i]
		if f.start() < end {
			continue
		}
		if f.BitWidth != 0 {
			pad(f.start(), 1)
			number := layout.Scalar{Kind: layout.ULongLong}
			if gap := f.start() - end; gap > 0 {
				add(layout.Field{BitField: true, Bits: gap, Type: number})
			}
			add(layout.Field{Name: f.Path, BitField: true, Bits: f.bits(), Type: &layout.Alias{Name: f.Type, Type: number}})
			end = f.start() + f.bits()
			continue
		}
		typ, align := recordedType(f.Type, f.Kind, f.Size), int64(1)
		if l, err := layout.Of(typ, layout.LP64); err == nil && !packed {
			align = l.Align
		}
		pad(f.start(), align)
		add(layout.Field{Name: f.Path, Type: typ})
		end = f.start() + f.bits()
	}
	pad(t.Size*8, t.Align)
	return rec
}

// holds reports whether a layout has the recorded size, alignment and offsets.
func (t *recorded) holds(l *layout.Layout, fields []RecordedField) bool {
	at := make(map[string]int64)
	for i := range l.Members {
		m := &l.Members[i]
		at[m.Field.Name] = m.Offset*8 + m.Bit
	}
	return l.Size == t.Size && l.Align == t.Align && !slices.ContainsFunc(fields, func(f RecordedField) bool {
		start, ok := at[f.Path]
		return ok && start != f.start()
	})
}

func recordedBytes(n int64) layout.Type {
	return &layout.Array{Elem: layout.Scalar{Kind: layout.UChar}, Len: n}
}

var (
	arrayOf    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*)\[(\d+)\]$`) })
	floatWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)float|double|single|half|^f(16|32|64)$|^[fd]$`) })
	numbers    = map[int64]layout.Kind{1: layout.UChar, 2: layout.UShort, 4: layout.UInt, 8: layout.ULongLong}
	reals      = map[int64]layout.Kind{4: layout.Float, 8: layout.Double}
)

// recordedType is a type of any language by its size and its kind, or its name where that is not given: a float, if it
// is called so, a pointer, an array, or otherwise an integer; bytes if there is none of that size.
func recordedType(name, kind string, size int64) layout.Type {
	if m := arrayOf().FindStringSubmatch(name); m != nil {
		n, err := strconv.ParseInt(m[2], 10, 32)
		if err == nil && n > 0 && size%n == 0 {
			return &layout.Array{Elem: recordedType(m[1], kind, size/n), Len: n}
		}
	}
	number, ok := numbers[size]
	switch {
	case size == 8 && (kind == "pointer" || strings.HasSuffix(strings.TrimSpace(name), "*")):
		return &layout.Alias{Name: name, Type: &layout.Pointer{Elem: layout.Scalar{Kind: layout.Void}}}
	case kind == "float" || kind == "" && floatWords().MatchString(name):
		if number, ok = reals[size]; !ok {
			return recordedBytes(size)
		}
	case !ok:
		return recordedBytes(size)
	}
	return &layout.Alias{Name: name, Type: layout.Scalar{Kind: number}}
}
