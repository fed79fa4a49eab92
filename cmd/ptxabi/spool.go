package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
)

// whole is stream for a result of which nothing is to be written to standard output if it fails.
func (o *options) whole(e env, make func(w io.Writer) error) error {
	if o.output != "" && o.output != "-" {
		return o.stream(e, make)
	}
	var s spool
	defer s.drop()
	if err := make(&s); err != nil {
		return err
	}
	if s.file == nil {
		return write(e.stdout, s.text)
	}
	return o.stream(e, s.copyTo)
}

// A spool keeps a result until it is known to be whole: in memory, or a large one in a temporary
// file if there can be one.
type spool struct {
	text []byte
	file *os.File
}

// spoolSize is how much of a result is kept in memory, in bytes.
const spoolSize = 1 << 19

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.text)+len(p) > spoolSize {
		if f, err := os.CreateTemp("", "ptxabi-*.tmp"); err == nil {
			s.file = f
			os.Remove(f.Name()) // at once, where the system lets: it is gone whatever ends the process
			if _, err := f.Write(s.text); err != nil {
				return 0, s.failed(err)
			}
			s.text = nil
		}
	}
	if s.file == nil {
		s.text = append(s.text, p...)
		return len(p), nil
	}
	n, err := s.file.Write(p)
	return n, s.failed(err)
}

// failed says what an error of the file means.
func (s *spool) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("temporary file: %w; TMPDIR names another folder, and -o needs none", disk.Reason(err))
}

// copyTo writes what is kept in the file.
func (s *spool) copyTo(w io.Writer) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return s.failed(err)
	}
	_, err := io.Copy(w, s.file)
	return err
}

// drop removes the file.
func (s *spool) drop() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
