package sass

import (
	"fmt"
	"strings"
)

// An Error is one complaint about a text.
type Error struct {
	File string // as given to Parse
	Pos  Pos
	Msg  string // what is wrong and how to mend it; no trailing period
}

// Error returns "file:line:col: error: message".
func (e *Error) Error() string {
	file := e.File
	if file == "" {
		file = "-"
	}
	return fmt.Sprintf("%s:%d:%d: error: %s", file, e.Pos.Line, e.Pos.Col, e.Msg)
}

// An ErrorList is a list of complaints in the order of their places. Parse
// returns one that is not empty.
type ErrorList []*Error

// Error returns the complaints, each in a line of its own.
func (l ErrorList) Error() string {
	var all []string
	for _, e := range l {
		all = append(all, e.Error())
	}
	return strings.Join(all, "\n")
}

func (l *ErrorList) add(file string, pos Pos, format string, args ...any) {
	*l = append(*l, &Error{File: file, Pos: pos, Msg: fmt.Sprintf(format, args...)})
}
