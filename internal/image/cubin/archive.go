package cubin

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A library of objects, as ar writes it: eight bytes of magic, then members, each
// with a header of 60 bytes and at an even offset:
//
//	 0  name, 16 bytes: "x.o/", "/12" for the name at 12 of the member "//",
//	    "#1/20" for one of 20 bytes before the contents
//	48  size in decimal, 10 bytes, that of such a name included
//	58  "`\n"
const (
	archiveMagic  = "!<arch>\n"
	memberHeader  = 60
	memberTrailer = "`\n"
)

// A member is a file in a library.
type member struct {
	name   string
	offset uint64 // of the contents
	data   []byte
}

// members lists the files of a library, tables of symbols and of names left out.
func members(data []byte) ([]member, error) {
	var all []member
	var names []byte
	for pos := len(archiveMagic); pos < len(data); {
		if len(data)-pos < memberHeader {
			return nil, errorf(uint64(pos), "library", "a member begins with %d bytes, and %d are left", memberHeader, len(data)-pos)
		}
		head := data[pos : pos+memberHeader]
		size, err := strconv.Atoi(strings.TrimRight(string(head[48:58]), " "))
		at := pos + memberHeader
		switch {
		case string(head[58:]) != memberTrailer || err != nil || size < 0:
			return nil, errorf(uint64(pos), "library", "no member begins here: %q", head)
		case size > len(data)-at:
			return nil, errorf(uint64(pos), "library", "the member has %d bytes, and %d are left", size, len(data)-at)
		}
		m := member{strings.TrimRight(string(head[:16]), " "), uint64(at), data[at : at+size : at+size]}
		pos = at + size + size&1
		switch {
		case m.name == "//":
			names = m.data
			continue
		case m.name == "/", m.name == "/SYM64/", strings.HasPrefix(m.name, "__.SYMDEF"):
			continue
		}
		if err := m.longName(names); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// longName finds a name that does not fit into the header.
func (m *member) longName(names []byte) error {
	bad := func() error {
		return errorf(m.offset-memberHeader, "library", "the member's name %q stands nowhere", m.name)
	}
	if rest, ok := strings.CutPrefix(m.name, "#1/"); ok {
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 || n > len(m.data) {
			return bad()
		}
		m.name = strings.TrimRight(string(m.data[:n]), "\x00")
		m.offset, m.data = m.offset+uint64(n), m.data[n:]
		return nil
	}
	if rest, ok := strings.CutPrefix(m.name, "/"); ok {
		at, err := strconv.Atoi(rest)
		if err != nil || at < 0 || at >= len(names) {
			return bad()
		}
		end := bytes.IndexAny(names[at:], "\n\x00") // lib.exe ends them with a zero
		if end < 0 {
			return bad()
		}
		m.name = string(names[at : at+end])
	}
	m.name = strings.TrimSuffix(m.name, "/")
	return nil
}

// libraryImages lists the images of the objects in a library. Members that are
// none are passed over.
func libraryImages(data []byte) ([]Image, error) {
	list, err := members(data)
	if err != nil {
		return nil, err
	}
	var all []Image
	for _, m := range list {
		if !isObject(m.data) {
			continue
		}
		found, err := Images(m.data)
		if err != nil {
			return nil, m.moved(err)
		}
		for _, one := range found {
			one.Offset += m.offset
			one.Container += m.offset
			one.Member, one.Where = m.name, m.place(one.Where)
			all = append(all, one)
		}
	}
	return all, nil
}

// moved is an error with the place that it has in the library.
func (m *member) moved(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return fmt.Errorf("member %s: %w", m.name, err)
	}
	return &Error{Offset: e.Offset + m.offset, Where: m.place(e.Where), Msg: e.Msg}
}

// place is a place in the member as one in the library.
func (m *member) place(where string) string {
	if where == "" {
		return "member " + m.name
	}
	return "member " + m.name + ", " + where
}
