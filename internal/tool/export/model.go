package export

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
)

// A record is a struct type of package abi, as every language has it.
type record struct {
	reflect.Type
	Doc    string
	Fields []field // those of embedded structs in their place
}

// A field is one of a record.
type field struct {
	reflect.StructField
	Name string // in other languages, such as "kept_sp_alloca" for KeptSPAlloca
	Doc  string
}

// A Target is one of package abi, with its machine.
type Target struct {
	abi.Target
	machine.Machine
}

func whole(t *abi.Target) *Target { return &Target{*t, *machine.Of(t.SM)} }

// targets returns the measured ones in ascending order.
func targets() (list []*Target) {
	for _, t := range abi.Targets() {
		list = append(list, whole(t))
	}
	return list
}

// records are the types that a target is made of, each after those that it needs. A
// field without a description is a mistake here, which a test finds.
var records = sync.OnceValue(func() (list []record) {
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		if t.Kind() != reflect.Struct || slices.ContainsFunc(list, func(r record) bool { return r.Type == t }) {
			return
		}
		r := record{Type: t, Doc: docs[t.Name()]}
		for _, f := range reflect.VisibleFields(t) {
			if f.Anonymous {
				continue
			}
			owner := t // the struct that declares the field
			if embedded := f.Index[:len(f.Index)-1]; len(embedded) > 0 {
				owner = t.FieldByIndex(embedded).Type
			}
			add(f.Type)
			r.Fields = append(r.Fields, field{f, snake(f.Name), docs[owner.Name()+"."+f.Name]})
		}
		list = append(list, r)
	}
	add(reflect.TypeFor[Target]())
	return list
})

// fieldsOf returns the fields of a struct that a target has.
func fieldsOf(t reflect.Type) []field {
	list := records()
	return list[slices.IndexFunc(list, func(r record) bool { return r.Type == t })].Fields
}

// snake writes a Go name with underscores: "MaxParams" is "max_params", "SP" is "sp".
func snake(name string) string {
	var b strings.Builder
	rs := []rune(name)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rs[i-1]) && !unicode.IsDigit(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// An unmeasured architecture exists and has no row.
type unmeasured struct {
	Name, Generation string
	SM               int
	From             string // the row that abi.Assume takes; "" where there is no convention
}

// unmeasuredTargets returns the architectures without a row.
func unmeasuredTargets() []unmeasured {
	var list []unmeasured
	for sm := range 1000 {
		_, err := abi.Lookup("sm_" + strconv.Itoa(sm))
		u, ok := err.(*abi.UnmeasuredError)
		if !ok {
			continue
		}
		if t, err := abi.Assume(u.Name); err == nil {
			list = append(list, unmeasured{t.Name, t.Generation, sm, t.AssumedFrom})
		} else {
			list = append(list, unmeasured{Name: u.Name, SM: sm})
		}
	}
	return list
}

// factLines are the facts of a row with how they are known, those of one source together, with begin before each line.
func factLines(t *Target, begin string) string {
	type source struct {
		grade abi.Grade
		text  string
	}
	var sources []source
	of := make(map[source][]byte)
	for _, f := range t.Facts() {
		s := source{f.Grade, f.Source}
		if of[s] == nil {
			sources = append(sources, s)
		}
		of[s] = append(of[s], begin+"    "+ascii(f.Name+": "+f.Value)...)
	}
	var lines []byte
	for _, s := range sources {
		lines = append(append(lines, begin+ascii(s.grade.String()+": "+s.text)...), of[s]...)
	}
	return string(lines)
}

var inASCII = strings.NewReplacer("…", "...", "≥", ">=", "≤", "<=", "–", "-", "×", "x", "→", "->")

// ascii writes the few other characters of texts in a way that every compiler takes.
func ascii(s string) string {
	isOther := func(r rune) bool { return r >= 0x80 }
	if strings.IndexFunc(s, isOther) < 0 {
		return s
	}
	s = inASCII.Replace(s)
	if strings.IndexFunc(s, isOther) >= 0 {
		panic(fmt.Sprintf("export: no ASCII for %q", s))
	}
	return s
}
