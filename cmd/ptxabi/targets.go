package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/tool/export"
)

func bindTargets(o *options) action {
	o.Help.Words = targetNames()
	var assume bool
	o.Bind(&assume, "assume")
	return func(e env, rest []string) error {
		if len(rest) > 1 {
			return o.errorf("%d targets, expected one at most: %s", len(rest), strings.Join(rest, " "))
		}
		list := knownTargets()
		appendText := appendTargetsText
		if len(rest) == 1 {
			one, err := describe(rest[0])
			if _, unknown := abi.Lookup(rest[0]); err == nil && !assume && errors.As(unknown, new(*abi.UnknownTargetError)) {
				err = unknown
			}
			if err != nil {
				return explain(err)
			}
			list, appendText = []knownTarget{one}, appendFactsText
		}
		if o.format == "json" {
			return o.emit(e, appendTargetsJSON(nil, list))
		}
		return o.emit(e, appendText(nil, list, e.width()))
	}
}

// A knownTarget is an architecture that exists. Its JSON form is that of
// targets -format json.
type knownTarget struct {
	Name       string `json:"name"`
	Generation string `json:"generation"`
	Family     string `json:"family"`
	Measured   bool   `json:"measured"`
	// Source names the toolkits that a row was measured with, and the target
	// that an assumed row was taken from; "" where there is no convention.
	Source string `json:"source"`

	row *abi.Target // nil where there is no convention
}

func (t *knownTarget) facts() []abi.Fact {
	if t.row == nil {
		return nil
	}
	return t.row.Facts()
}

// describe returns what is known of an architecture.
func describe(name string) (knownTarget, error) {
	row, err := abi.Assume(name)
	if u := (*abi.UnmeasuredError)(nil); errors.As(err, &u) {
		return knownTarget{Name: u.Name, Family: (*abi.Target)(nil).Family()}, nil
	}
	if err != nil {
		return knownTarget{}, err
	}
	t := knownTarget{
		Name: row.Name, Generation: row.Generation, Family: row.Family(),
		Measured: row.AssumedFrom == "", Source: row.Toolkits, row: row,
	}
	if !t.Measured {
		t.Source = row.AssumedFrom
	}
	return t, nil
}

// knownTargets returns every architecture that package abi has. The package lists
// the measured ones alone; the others are looked up by name.
func knownTargets() []knownTarget {
	var all []knownTarget
	for sm := range 1000 {
		for _, suffix := range []string{"", "a", "f"} {
			name := "sm_" + strconv.Itoa(sm) + suffix
			if _, err := abi.Lookup(name); errors.As(err, new(*abi.UnknownTargetError)) {
				continue
			}
			if t, err := describe(name); err == nil {
				all = append(all, t)
			}
		}
	}
	return all
}

// known says in words how a target is known.
func (t *knownTarget) known() string {
	switch {
	case t.row == nil:
		return "no calling convention"
	case t.Measured:
		return "measured: " + t.Source
	}
	return "not measured; -assume takes over " + t.Source
}

// appendTargetsText has a line for each architecture, with the releases of the assembler that it was measured with.
func appendTargetsText(dst []byte, list []knownTarget, width int) []byte {
	rows := [][]string{{"target", "generation", "family", "measured with ptxas"}}
	for i := range list {
		t := &list[i]
		rows = append(rows, []string{t.Name, cmp.Or(t.Generation, "-"), t.Family, strings.TrimPrefix(t.known(), "measured: ptxas ")})
	}
	return append(dst, display.Table(rows, "", width)...)
}

// appendFactsText appends all facts of the list's only target.
func appendFactsText(dst []byte, list []knownTarget, width int) []byte {
	t := &list[0]
	dst = fmt.Appendf(dst, "%s: %s\n", t.Name, t.known())
	facts := t.facts()
	if len(facts) == 0 {
		return dst
	}
	rows := [][]string{{"fact", "value", "grade", "source, where it is another"}}
	for _, f := range facts {
		source := f.Source
		if f.Source == t.Source {
			source = ""
		}
		rows = append(rows, []string{f.Name, f.Value, f.Grade.String(), source})
	}
	return append(append(dst, '\n'), display.Table(rows, "", width)...)
}

// appendTargetsJSON appends the list, a target and a fact a line.
func appendTargetsJSON(dst []byte, list []knownTarget) []byte {
	dst = append(dst, "{\"format\": \"ptxabi.targets/1\",\n \"targets\": ["...)
	for i, t := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, "\n  "...)
		dst = jsonline.Append(dst, t)
		if len(list) > 1 || t.row == nil {
			continue
		}
		dst = append(dst[:len(dst)-1], ",\n   \"facts\": ["...)
		for j, f := range t.facts() {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = jsonline.Append(append(dst, "\n    "...), f)
		}
		dst = append(dst, "],\n   \"row\": "...)
		dst = append(export.AppendRow(dst, t.row), '}')
	}
	return append(dst, "]}\n"...)
}

func bindExport(o *options) action {
	lang, reader := "", false
	o.Bind(&lang, "lang")
	o.Bind(&reader, "reader")
	return func(e env, rest []string) error {
		if lang == "" {
			return o.errorf("no -lang, which is one of %s", strings.Join(export.Languages(), ", "))
		}
		if len(rest) > 0 {
			return o.errorf("%d arguments, expected none: %s", len(rest), strings.Join(rest, " "))
		}
		text, err := export.Text(lang)
		if reader {
			text, err = export.Reader(lang)
		}
		if err != nil {
			return err
		}
		return o.emit(e, text)
	}
}
