package export

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ptxabi/ptxabi/abi"
)

// A record is a struct type of package abi, as every language has it.
type record struct {
	Name   string // of the Go type
	Doc    string
	Fields []field
}

// A field is one of a record.
type field struct {
	Go  string // its name in Go
	Doc string
	reflect.Type
}

// Name returns the name in other languages, such as "kept_sp_alloca" for KeptSPAlloca.
func (f field) Name() string { return snake(f.Go) }

// records returns the types that a target is made of, each after those that it needs. A
// field without a description is a mistake here, which a test finds.
func records() []record {
	var list []record
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		if t.Kind() != reflect.Struct || slices.ContainsFunc(list, func(r record) bool { return r.Name == t.Name() }) {
			return
		}
		r := record{Name: t.Name(), Doc: docs[t.Name()]}
		for _, f := range fieldsOf(t) {
			add(f.Type)
			r.Fields = append(r.Fields, field{f.Name, docs[ownerOf(t, f).Name()+"."+f.Name], f.Type})
		}
		list = append(list, r)
	}
	add(reflect.TypeFor[abi.Target]())
	return list
}

// fieldsOf returns the fields of a struct, those of embedded ones in their place.
func fieldsOf(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous })
}

// ownerOf returns the struct that a field of fieldsOf(t) is declared in.
func ownerOf(t reflect.Type, f reflect.StructField) reflect.Type {
	if embedded := f.Index[:len(f.Index)-1]; len(embedded) > 0 {
		return t.FieldByIndex(embedded).Type
	}
	return t
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

// factLines are the facts of a row with how they are known: those of one source together.
func factLines(t *abi.Target) []string {
	var lines []string
	var sources []string
	of := make(map[string][]string)
	for _, f := range t.Facts() {
		s := f.Grade.String() + ": " + f.Source
		if of[s] == nil {
			sources = append(sources, s)
		}
		of[s] = append(of[s], "    "+ascii(f.Name+": "+f.Value))
	}
	for _, s := range sources {
		lines = append(append(lines, ascii(s)), of[s]...)
	}
	return lines
}

var inASCII = strings.NewReplacer("…", "...", "≥", ">=", "≤", "<=", "–", "-", "×", "x", "→", "->")

// ascii writes the few other characters of texts in a way that every compiler takes.
func ascii(s string) string {
	s = inASCII.Replace(s)
	for _, r := range s {
		if r >= 0x80 {
			panic(fmt.Sprintf("export: no ASCII for %q", s))
		}
	}
	return s
}
