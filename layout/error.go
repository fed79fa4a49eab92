package layout

import "strings"

// An Error is the reason why a type has no layout.
type Error struct {
	Path string // the field, with dots after the names of the records around it; may be empty
	Msg  string
}

// Error returns the message, after the path where there is one.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Msg
	}
	return e.Path + ": " + e.Msg
}

// maxPath is how long a path may be, in bytes, before its rest is left out: records within each other have it all again.
const maxPath = 1 << 10

// within returns err with name in front of its path.
func within(name string, err error) error {
	e, ok := err.(*Error)
	if !ok || name == "" {
		return err
	}
	path := name
	switch {
	case e.Path == "":
	case len(e.Path) > maxPath:
		path += ".…"
	case strings.HasPrefix(e.Path, "["):
		path += e.Path
	default:
		path += "." + e.Path
	}
	return &Error{Path: path, Msg: e.Msg}
}
