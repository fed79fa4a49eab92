package main

import (
	"errors"
	"fmt"

	"github.com/ptxabi/ptxabi/diag"
)

// Codes of messages that have none of their own, in JSON.
const (
	failure diag.Code = "Failure" // why there is no result, where it is about no place
	remark  diag.Code = "Remark"  // a note or a warning about a file as a whole
)

// tell prints a note or a warning about a file, or a line of it if that is not 0.
func (e env) tell(s diag.Severity, file string, line uint32, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if e.json {
		e.list(diag.List{{File: file, Pos: diag.Pos{Line: line}, Severity: s, Code: remark, Msg: msg}})
		return
	}
	at := printable(file)
	if line > 0 {
		at += fmt.Sprintf(":%d", line)
	}
	fmt.Fprintf(e.stderr, "%s: %v: %s\n", at, s, printable(msg))
}

// more says how many messages about a file are not printed, if any.
func (e env) more(file string, n int) {
	switch {
	case n <= 0:
	case e.json:
		e.tell(diag.Note, file, 0, "%d more", n)
	default:
		fmt.Fprintf(e.stderr, "%s: %d more\n", printable(file), n)
	}
}

// list prints diagnostics, a line each.
func (e env) list(list diag.List) {
	if e.json {
		e.stderr.Write(diag.AppendJSON(nil, list))
		return
	}
	for _, one := range list {
		fmt.Fprintln(e.stderr, printable(one.Error()))
	}
}

// exit prints an error that has not been printed, and returns the exit status.
func exit(err error, e env) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFindings):
		return 1
	case errors.Is(err, errSaid):
		return 2
	}
	all := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		all = several.Unwrap()
	}
	for _, err := range all {
		if e.json {
			e.list(diag.List{{Code: failure, Msg: err.Error()}})
			continue
		}
		fmt.Fprintf(e.stderr, "ptxabi: %s\n", printable(err.Error()))
	}
	return 2
}
