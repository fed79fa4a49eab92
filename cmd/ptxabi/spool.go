package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ptxabi/ptxabi/internal/disk"
	"github.com/ptxabi/ptxabi/lower"
)

// A spool is the file that a large result waits in until it is known that nothing is
// wrong: the one that becomes that of -o, or for standard output a temporary one. The zero
// spool has none yet.
type spool struct {
	to   *replacement
	temp *os.File
}

// open makes the file, or returns nil for a result that has to wait in memory.
func (s *spool) open(o *options) (lower.Spool, error) {
	var err error
	if o.output == "" || o.output == "-" {
		if s.temp, err = os.CreateTemp("", "ptxabi-*.tmp"); err != nil {
			return nil, nil
		}
		os.Remove(s.temp.Name()) // at once, where the system lets: it is gone whatever ends the process
		return s.temp, nil
	}
	if s.to, err = beginReplace(o.output); s.to == nil {
		return nil, err
	}
	return s.to, nil
}

// failed says what an error of the file means.
func (s *spool) failed(o *options, err error) error {
	if s.temp != nil {
		return fmt.Errorf("temporary file: %w; TMPDIR names another folder, and -o needs none", disk.Reason(err))
	}
	return fmt.Errorf("%s: %w", o.output, disk.Reason(err))
}

// emit puts what is in the file, if there is one, where -o says.
func (s *spool) emit(e env, o *options) error {
	if s.temp != nil {
		if _, err := s.temp.Seek(0, io.SeekStart); err != nil {
			return s.failed(o, err)
		}
		if _, err := io.Copy(e.stdout, s.temp); err != nil {
			return fmt.Errorf("standard output: %w", disk.Reason(err))
		}
	}
	if to := s.to; to != nil {
		s.to = nil
		if err := to.commit(); err != nil {
			return s.failed(o, err)
		}
	}
	return nil
}

// drop removes a file that is still there.
func (s *spool) drop() {
	if s.to != nil {
		s.to.drop()
	}
	if s.temp != nil {
		s.temp.Close()
		os.Remove(s.temp.Name())
	}
}
