package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/internal/tool/annotate/named"
)

// A head keeps what an input begins with, to say what it is if it is no listing.
type head struct {
	in   io.Reader
	text []byte
}

// maxHead is how much of it is kept, in bytes.
const maxHead = 1 << 20

func (h *head) Read(p []byte) (int, error) {
	n, err := h.in.Read(p)
	if room := maxHead - len(h.text); room > 0 {
		h.text = append(h.text, p[:min(n, room)]...)
	}
	return n, disk.Reason(err)
}

// open opens the listing, and reads the other files.
func (l *listing) open(file string) error {
	src := &source{name: file, path: file}
	l.closed = func() error { return nil }
	if file == "-" {
		src.name, src.path = "<stdin>", ""
		l.in = l.e.stdin
	} else {
		f, err := disk.Open(file)
		if err != nil {
			return ofFile(file, err)
		}
		l.in, l.closed = f, f.Close
	}
	if head, rest := begins(l.in); strings.HasPrefix(strings.TrimLeft(head, " \t\r\n"), "[") {
		l.in = annotate.FromJSON(rest)
	} else {
		l.in = rest
	}
	l.name = src.name
	err := l.o.distinct(src.path)
	if err == nil {
		err = l.readNames()
	}
	if err != nil {
		l.close()
	}
	return err
}

// begins returns what an input begins with, and the input as it was.
func begins(in io.Reader) (string, io.Reader) {
	head := make([]byte, 64)
	n, _ := io.ReadFull(in, head) // an error comes again
	if s, ok := in.(io.Seeker); ok {
		if _, err := s.Seek(int64(-n), io.SeekCurrent); err == nil {
			return string(head[:n]), in
		}
	}
	return string(head[:n]), io.MultiReader(strings.NewReader(string(head[:n])), in)
}

func (l *listing) close() { l.closed() } // it was read alone

// readNames reads the files that names are taken from.
func (l *listing) readNames() (err error) {
	if l.ptxFile != "" {
		if l.ptx, err = read(l.e, l.ptxFile); err != nil {
			return err
		}
	}
	if l.sourceFile == "" {
		return nil
	}
	if l.source, err = read(l.e, l.sourceFile); err != nil {
		return err
	}
	return l.list()
}

// list finds the names of all functions of the listing. It is read once more for that,
// and kept in memory where it cannot be.
func (l *listing) list() error {
	text, ok := l.in.(io.ReadSeeker)
	if ok {
		_, err := text.Seek(0, io.SeekCurrent)
		ok = err == nil
	}
	if !ok {
		all, err := readSome(l.in, 0, maxInput)
		if err != nil {
			return ofFile(l.name, err)
		}
		text = strings.NewReader(all)
	}
	l.in = text
	var err error
	if l.listed, err = named.Functions(l.name, text); err == nil {
		_, err = text.Seek(0, io.SeekStart)
	}
	return ofFile(l.name, err)
}

// row is the target of code that the listing says to be for that architecture.
func (l *listing) row(listed string) (*abi.Target, error) {
	name := l.o.target
	if name == "" {
		name = listed
	}
	if name == "" {
		return nil, l.o.errorf("%s does not name its architecture; give it with -target", l.name)
	}
	t, err := l.o.row(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	if l.o.target != "" && listed != "" {
		if own, err := archOf(listed); err == nil && own.SM != t.SM {
			return nil, l.o.errorf("-target %s does not fit: %s is for %s", l.o.target, l.name, listed)
		}
	}
	return t, nil
}
