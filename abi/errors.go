package abi

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Code is the kind of an [Error].
type Code uint8

const (
	// BadTarget: the target is nil, zero or not consistent in itself.
	BadTarget Code = iota + 1
	// BadKind: the kind of the signature or of a value does not exist.
	BadKind
	// BadSize: a size is negative or beyond anything addressable.
	BadSize
	// BadAlign: an alignment is negative, not a power of two, or beyond
	// anything addressable.
	BadAlign
	// UnsizedPlace: an unsized array that is not the last parameter of a
	// function.
	UnsizedPlace
	// KernelResult: a kernel with a result.
	KernelResult
	// TooLarge: the parameters exceed the bytes that the target passes to a kernel, or
	// those of a stack area.
	TooLarge
	// Disputed: releases of NVIDIA's assembler place the parameters
	// differently, or one contradicts itself, so that there is no answer.
	Disputed
	// BadPreserve: .abi_preserve on a kernel, with a number out of range, on a
	// target that does not have it, or with the return address in a register of a value.
	BadPreserve
)

var codeNames = [...]string{
	BadTarget: "bad-target", BadKind: "bad-kind", BadSize: "bad-size", BadAlign: "bad-align",
	UnsizedPlace: "unsized-place", KernelResult: "kernel-result", TooLarge: "too-large", Disputed: "disputed",
	BadPreserve: "bad-preserve",
}

// String returns the code's name, such as "bad-align".
func (c Code) String() string { return prose.Name("Code", c, codeNames[:]...) }

// An Error is one reason why a signature has no assignment.
type Error struct {
	// Param is the index of the parameter, or of the result if Result is
	// set; -1 if the error is about no single one.
	Param  int
	Result bool
	Code   Code
	Msg    string // one line, without position
}

// Error returns the message, after "parameter N: " or "result N: " if the
// error is about one; N counts from 0.
func (e *Error) Error() string {
	e = zero.Or(e)
	switch {
	case e.Param < 0:
		return e.Msg
	case e.Result:
		return fmt.Sprintf("result %d: %s", e.Param, e.Msg)
	}
	return fmt.Sprintf("parameter %d: %s", e.Param, e.Msg)
}

// An ErrorList has every reason why a signature has no assignment. Errors of results come before those
// of parameters. It is never empty if it is returned as an error.
type ErrorList []*Error

// Error returns all messages, joined by "; ".
func (l ErrorList) Error() string { return joined(l) }

// Unwrap returns the errors one by one, for errors.As.
func (l ErrorList) Unwrap() []error { return oneByOne(l) }

func oneByOne[E error](list []E) []error {
	errs := make([]error, len(list))
	for i, e := range list {
		errs[i] = e
	}
	return errs
}

func joined[E error](list []E) string {
	if len(list) == 0 {
		return "no errors"
	}
	text := make([]string, len(list))
	for i, e := range list {
		text[i] = e.Error()
	}
	return strings.Join(text, "; ")
}

func (l *ErrorList) add(param int, result bool, code Code, format string, args ...any) {
	*l = append(*l, &Error{Param: param, Result: result, Code: code, Msg: fmt.Sprintf(format, args...)})
}

// An UnknownTargetError is the error for a name that no architecture has.
type UnknownTargetError struct {
	Name string // as given
}

// Error returns the message, with the name as it was given.
func (e *UnknownTargetError) Error() string {
	e = zero.Or(e)
	return fmt.Sprintf("unknown target %q", e.Name)
}

// An UnmeasuredError is the error for an architecture that exists and has not been
// measured. [Assume] returns a target for it, unless NoABI is set.
type UnmeasuredError struct {
	Name string // "sm_30"
	SM   int    // 30
	// NoABI reports that functions have no stack there, so that there is no convention
	// that could be measured or assumed.
	NoABI bool
}

// Error returns the message: that the target was not measured and how to use assumed
// facts, or that it has no calling convention.
func (e *UnmeasuredError) Error() string {
	e = zero.Or(e)
	if e.NoABI {
		return fmt.Sprintf("target %s has no calling convention: its functions have no stack", e.Name)
	}
	return fmt.Sprintf("target %s has not been measured; abi.Assume takes over the facts of another", e.Name)
}
