package abi

import (
	"slices"
	"strconv"
	"strings"
)

// Lookup returns a measured target. Names have the forms "sm_90a", "compute_90a" and
// "90a". The error is an [*UnmeasuredError] for an architecture that exists and has not
// been measured, and an [*UnknownTargetError] for anything else.
func Lookup(name string) (*Target, error) {
	s, ok := strings.CutPrefix(name, "sm_")
	if !ok {
		s = strings.TrimPrefix(name, "compute_")
	}
	for i := range table {
		if strings.TrimPrefix(table[i].Name, "sm_") == s {
			t := table[i]
			return &t, nil
		}
	}
	for _, u := range unmeasured {
		if s == strconv.Itoa(u.sm) {
			return nil, &UnmeasuredError{Name: "sm_" + s, SM: u.sm, NoABI: u.noABI}
		}
	}
	return nil, &UnknownTargetError{Name: name}
}

// Assume returns a target whether it has been measured or not. A target that has not been measured has the
// facts of the nearest measured target below it, or of the oldest one; AssumedFrom is
// set, and all facts have the grade [Assumed]. Numbers above all known ones, up to 999, with the suffix "a" or "f"
// or without, count as such targets, since a later release may have them. The error is an [*UnknownTargetError], or an
// [*UnmeasuredError] with NoABI set.
func Assume(name string) (*Target, error) {
	t, err := Lookup(name)
	if err == nil {
		return t, nil
	}
	var row Target
	if u, ok := err.(*UnmeasuredError); ok && !u.NoABI {
		row.Name, row.SM = u.Name, u.SM
	} else if sm, suffix, ok := newer(name); ok {
		row.Name, row.SM, row.Suffix = "sm_"+strconv.Itoa(sm)+suffix, sm, suffix
	} else {
		return nil, err
	}
	near := &table[0]
	for i := range table {
		if table[i].SM < row.SM && table[i].Suffix == row.Suffix {
			near = &table[i]
		}
	}
	own := row
	row = *near
	row.Name, row.SM, row.Generation = own.Name, own.SM, ""
	row.AssumedFrom, row.Toolkits = near.Name, ""
	for _, e := range unmeasured {
		if e.sm == row.SM {
			row.Generation = e.generation
		}
	}
	return &row, nil
}

// newer splits the name of an architecture above all of the table into its number and its suffix.
func newer(name string) (sm int, suffix string, ok bool) {
	s := strings.TrimPrefix(strings.TrimPrefix(name, "sm_"), "compute_")
	number := strings.TrimRight(s, "af")
	sm, err := strconv.Atoi(number)
	ok = err == nil && strconv.Itoa(sm) == number && len(s)-len(number) <= 1 && sm > table[len(table)-1].SM && sm < 1000
	return sm, s[len(number):], ok
}

// Targets returns the measured targets in ascending order. The caller may change the
// slice and its elements.
func Targets() []*Target {
	list := slices.Clone(table)
	all := make([]*Target, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
}
