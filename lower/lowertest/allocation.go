package lowertest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/lower/lowertest/internal/follow"
	"github.com/ptxabi/ptxabi/ptx"
)

// An AllocationReport is the result of [CheckAllocation].
type AllocationReport struct {
	// Functions is the number of functions that were followed.
	Functions int
	// NotFollowed has each function that was not followed, with the reason.
	NotFollowed []string
	// Instructions is the number of instructions of the source that were found in the
	// listing, and Missing that of the others, whose results are not followed.
	Instructions, Missing int
	// Uses is the number of 32-bit words that were read from the right place, and Bytes
	// the number of their bytes.
	Uses, Bytes int
	// Misplaced are the places that hold a wrong value, in the order of the functions and
	// lines.
	Misplaced []Misplaced
	// NotCompared are the places that hold, or should hold, a value that is not followed.
	// Got and Want name it.
	NotCompared []Misplaced
}

// A Misplaced is a place that does not hold the value that an instruction reads there.
type Misplaced struct {
	Func   string
	Line   int    // of the listing, from 1 on
	Source int    // line of the source
	Code   string // the instruction of the source
	// Register is what the source reads: "%r2", "bytes 4 to 8 of %rd1", "argument a of g".
	Register string
	Place    string // where the listing reads it: "R5", "[R1+0x8]"
	// Want says what the place should do, and Got what it does.
	Want, Got string
	// Last is where it, or another place, held the wanted value last; "" if none did.
	Last string
}

// String returns all of it in a line such as
//
//	f, line 12, line 9 of the source, `add.s32 %r3, %r1, %r2`: R5 should hold %r2, which line 7 of the source, `…`, makes; it holds …
func (m Misplaced) String() string {
	s := fmt.Sprintf("%s, line %d, line %d of the source, `%s`: %s should %s; %s", m.Func, m.Line, m.Source, m.Code, m.Place, m.Want, m.Got)
	if m.Last != "" {
		s += "; " + m.Last
	}
	return s
}

// String returns a line such as "4 functions, 120 instructions, 310 uses, 1100 bytes; not
// compared: 2 places; not found: 1 instruction".
func (r *AllocationReport) String() string {
	r = zero.Or(r)
	s := fmt.Sprintf("%s, %s, %s, %s", prose.Count(r.Functions, "function"), prose.Count(r.Instructions, "instruction"), prose.Count(r.Uses, "use"), prose.Count(r.Bytes, "byte"))
	if n := len(r.NotCompared); n > 0 {
		s += "; not compared: " + prose.Count(n, "place")
	}
	if r.Missing > 0 {
		s += "; not found: " + prose.Count(r.Missing, "instruction")
	}
	if n := len(r.NotFollowed); n > 0 {
		s += "; not followed: " + prose.Count(n, "function")
	}
	return s
}

// LeftOut says that more was left out than compared, and what to do. It is "" otherwise.
func (r *AllocationReport) LeftOut() string {
	r = zero.Or(r)
	if r.Missing+len(r.NotCompared) <= r.Uses {
		return ""
	}
	return "more was left out than compared: instructions of the source have to be in the listing as text, or as comments that begin with \"ptx: \""
}

// Err returns an error with the first misplaced values; if there are none, one with the
// functions that were not followed, or one that says that more was left out than
// compared. It is nil otherwise, though some places may not have been compared, whose
// number String has.
func (r *AllocationReport) Err() error {
	r = zero.Or(r)
	var lines []string
	for _, m := range r.Misplaced {
		lines = append(lines, m.String())
	}
	if lines == nil {
		for _, why := range r.NotFollowed {
			lines = append(lines, "not followed: "+why)
		}
	}
	switch {
	case lines == nil && r.LeftOut() != "":
		return fmt.Errorf("%s: %s", r, r.LeftOut())
	case lines == nil:
		return nil
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", more))
	}
	return errors.New(strings.Join(lines, "\n"))
}

// CheckAllocation compares the listing that a backend wrote for a module with the module.
// Each register that an instruction of the source reads has to be in the place that the
// listing reads, on every path, over joins, calls, spills and moves. The arguments of
// calls and the results of functions are compared with the registers and variables of the
// source in the same way. regalloc2 has such a checker.
//
// Instructions of the source are in the listing as their text with places for
// registers, as package lower writes those that it passes through: "add.s32 R4, R5, R6". A
// backend that has selected machine instructions writes that text as a comment after the last of
// them:
//
//	IADD3 R4, R5, R6, RZ ;  // ptx: add.s32 R4, R5, R6
//
// They are in the order of the source, and jumps go to the same places. Moves, accesses
// to parameters and what a call takes need no comment: moves, permutes, loads from the
// constant bank, and loads and stores of the frame are followed. Other instructions may
// be left out; their results are then not followed, and the report counts them.
//
// Memory that is not a parameter, uniform registers, and the results of instructions are
// not compared.
//
// It is an error if the module or the listing cannot be read. Errors of the allocation
// are in the report; [AllocationReport.Err] returns the first of them.
func CheckAllocation(src []byte, listing string, t *abi.Target) (*AllocationReport, error) {
	if t == nil || *t == (abi.Target{}) {
		return nil, errors.New("no target")
	}
	m, err := ptx.Parse("module.ptx", src)
	if err != nil {
		return nil, err
	}
	got, err := follow.Allocation(listing, m, t)
	if err != nil {
		return nil, err
	}
	r := &AllocationReport{
		Functions: got.Functions, NotFollowed: got.NotFollowed, Instructions: got.Instructions, Missing: got.Missing, Uses: got.Uses, Bytes: got.Bytes,
	}
	for _, d := range got.Differences {
		r.Misplaced = append(r.Misplaced, Misplaced(d))
	}
	for _, d := range got.Unfollowed {
		r.NotCompared = append(r.NotCompared, Misplaced(d))
	}
	return r, nil
}
