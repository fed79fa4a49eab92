// Package lowertest is a test kit for backends of compilers that write SASS, or
// text like it: it makes PTX modules of calls, and holds what a backend makes of
// them against what package lower does. What needs no more than places of values
// is in package abi/abitest.
//
// A module of the kit consists of callees and kernels that store every part of
// every parameter to an address of its own, and of callers that fill every
// argument from one and call an extern function. Nothing in them branches or
// computes, so that every byte can be followed from where it was read to where a
// call, a return or a store takes it.
package lowertest

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/abi/abitest"
	"github.com/ptxabi/ptxabi/internal/symexec"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Backend compiles a PTX module for separate linking, as ptxas -c does, and
// returns its listing in the spelling of nvdisasm -c. An error is a difference,
// but for [abitest.ErrUnsupported] of a module that has one function.
type Backend func(src []byte) (listing string, err error)

// A Report is what comparing a listing gave.
type Report struct {
	// Functions were followed in both. Of each other one NotFollowed says why it
	// was not.
	Functions   int
	NotFollowed []string
	// Calls were compared, and Words that the convention carries to them or back.
	Calls, Words int
	// Differences stand in the order of the module's functions.
	Differences []Difference
}

// A Difference is one place where a listing does something else than the
// convention.
type Difference struct {
	Func string
	// What is a word at a call or return, such as "call 1 of g, R5", a byte of
	// global memory, or "calls and return", which are spelled differently.
	What      string
	Got, Want string // of the listing, of package lower
}

// String returns a line such as "f, call 1 of g, R7: R7, expected R4": at that
// call register 7 holds what it held at f's entry, and should hold what R4 did.
func (d Difference) String() string {
	return fmt.Sprintf("%s, %s: %s, expected %s", d.Func, d.What, d.Got, d.Want)
}

// Compare compares the listing that a backend made of a module with what
// lower.Module makes of it. The error says that one of the two cannot be read,
// or that the module has errors.
func Compare(src []byte, listing string, t *abi.Target) (*Report, error) {
	if t == nil {
		return nil, errors.New("no target")
	}
	m, err := ptx.Parse("module.ptx", src)
	if err != nil {
		return nil, err
	}
	prog, err := lower.Module(m, t, lower.Options{})
	if err != nil {
		return nil, err
	}
	narrow := m.AddressSize != 64
	got, err := symexec.CompareListings(listing, prog, t, narrow)
	if err != nil {
		return nil, err
	}
	r := &Report{Functions: got.Functions, NotFollowed: got.NotFollowed, Calls: got.Calls, Words: got.Words}
	for _, d := range got.Differences {
		r.Differences = append(r.Differences, Difference{d.Func, d.What, d.Theirs, d.Ours})
	}
	return r, nil
}

// Module returns a module with the given functions, see the package's
// documentation. Neither the target nor a function may be nil. Function i becomes callee_i with caller_i, which calls extern_i,
// or kernel_i.
func Module(t *abi.Target, functions []*abitest.Function) []byte {
	return []byte(symexec.Module(functions, t.Name, abitest.DialectOf(t).PTX))
}
