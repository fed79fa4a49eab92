package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ptxabi/ptxabi/cmd/ptxparam/gen"
)

// compare prints how the files differ from those that are there.
func compare(w io.Writer, files []gen.File) error {
	stale := false
	for _, f := range files {
		old, err := os.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("%s: %w", f.Path, reason(err))
		}
		// A checkout may have made the line ends those of Windows.
		if err == nil && bytes.Equal(bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n")), f.Data) {
			continue
		}
		stale = true
		if _, err := io.WriteString(w, unified(f.Path, string(old), string(f.Data))); err != nil {
			return fmt.Errorf("standard output: %w", reason(err))
		}
	}
	if stale {
		return errStale
	}
	return nil
}

// A staged file is written beside the one that it will replace.
type staged struct {
	path, temp string
}

// replaceAll gives files new contents. All of them are written before the first
// is put in its place by renaming, so that an error leaves everything as it
// was. Files that are current are left alone.
func replaceAll(files []gen.File) (err error) {
	var list []staged
	defer func() {
		for _, s := range list {
			if rm := os.Remove(s.temp); rm != nil && !errors.Is(rm, fs.ErrNotExist) && err == nil {
				err = rm
			}
		}
	}()
	for _, f := range files {
		if old, err := os.ReadFile(f.Path); err == nil && bytes.Equal(old, f.Data) {
			continue
		}
		s, err := stage(f)
		if s.temp != "" {
			list = append(list, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, reason(err))
		}
	}
	for _, s := range list {
		if err := os.Rename(s.temp, s.path); err != nil {
			return fmt.Errorf("%s: %w", s.path, reason(err))
		}
	}
	return nil
}

// stage writes a file beside the one to replace, with its permissions. A link
// leads where it did.
func stage(f gen.File) (staged, error) {
	s := staged{path: f.Path}
	if to, err := filepath.EvalSymlinks(f.Path); err == nil {
		s.path = to
	}
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return s, err
	case !info.Mode().IsRegular():
		return s, errors.New("is not a regular file")
	}
	out, err := createBeside(s.path)
	if err != nil {
		return s, err
	}
	s.temp = out.Name()
	_, err = out.Write(f.Data)
	if err == nil && info != nil {
		err = out.Chmod(info.Mode().Perm())
	}
	return s, errors.Join(err, out.Close())
}

// createBeside makes a new file in the folder of path, with the permissions
// that a new file has. Its name is none that Go builds.
func createBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for range 1000 {
		name := dir + "." + base + "." + strconv.FormatUint(uint64(rand.Uint32()), 36) + ".tmp"
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, errors.New("no free name for a temporary file beside it")
}

// reason is err without the path that a caller names itself.
func reason(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	if p := (*os.LinkError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}
