package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/tool/packers"
)

// path returns where a path leads.
func (e env) path(p string) string { return disk.In(e.dir, p) }

// ours refuses files of the user's where the output would be: neither a file
// to be written nor one to be compared is there but an earlier run's. An empty
// file has nothing to lose.
func (e env) ours(files []packers.File) error {
	for _, f := range files {
		old, err := disk.ReadFile(e.path(f.Path))
		if err != nil || f.Remove || len(bytes.TrimSpace(old)) == 0 {
			continue // what cannot be read is reported where it is written
		}
		if !f.Earlier(old) {
			first, _, _ := bytes.Cut(f.Data, []byte("\n"))
			return fmt.Errorf("%s is there and not ptxparam's, which has a line %q; another name is needed, or the file moved away",
				f.Path, first)
		}
	}
	return nil
}

// compare prints how the files differ from those that are there.
func (e env) compare(files []packers.File) error {
	found := false
	for _, f := range files {
		is, stale, err := e.stale(f)
		if err != nil {
			return err
		}
		if !stale {
			continue
		}
		found = true
		if err := e.diff(f.Path, is, string(f.Data)); err != nil {
			return err
		}
	}
	if found {
		return errStale
	}
	return nil
}

// stale returns what a file has now, and whether it should have something else.
func (e env) stale(f packers.File) (is string, stale bool, err error) {
	old, err := disk.ReadFile(e.path(f.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", !f.Remove, nil
	case err != nil:
		return "", false, fmt.Errorf("%s: %w", f.Path, disk.Reason(err))
	}
	// A checkout may have made the line ends those of Windows, and an editor put a byte-order mark before them.
	is = strings.ReplaceAll(strings.TrimPrefix(string(old), "\ufeff"), "\r\n", "\n")
	return is, f.Remove || is != string(f.Data), nil
}

// A staged file is written beside the one that it will replace.
type staged struct {
	path, temp string
}

// replaceAll gives files new contents. All of them are written before the first
// is put in its place by renaming, so that an error leaves everything as it
// was. Files that are current are left alone.
func (e env) replaceAll(files []packers.File) (err error) {
	var list []staged
	defer func() {
		for _, s := range list {
			defer disk.Settled(s.temp)
			if rm := os.Remove(s.temp); rm != nil && !errors.Is(rm, fs.ErrNotExist) && err == nil {
				err = rm
			}
		}
	}()
	for _, f := range files {
		path := e.path(f.Path)
		if f.Remove {
			continue
		}
		if old, err := disk.ReadFile(path); err == nil && bytes.Equal(old, f.Data) {
			continue
		}
		s, err := stage(path, f.Data)
		if s.temp != "" {
			list = append(list, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, disk.Reason(err))
		}
	}
	for _, s := range list {
		if err := os.Rename(s.temp, s.path); err != nil {
			return fmt.Errorf("%s: %w", s.path, disk.Reason(err))
		}
	}
	for _, f := range files {
		if f.Remove {
			if err := os.Remove(e.path(f.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s: %w", f.Path, disk.Reason(err))
			}
		}
	}
	return nil
}

// stage writes a file beside the one to replace, with its permissions. A link
// leads where it did.
func stage(path string, data []byte) (staged, error) {
	s := staged{path: path}
	if to, err := filepath.EvalSymlinks(path); err == nil {
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
	out, err := disk.CreateBeside(s.path)
	if err != nil {
		return s, err
	}
	s.temp = out.Name()
	_, err = out.Write(data)
	if err == nil && info != nil {
		err = out.Chmod(info.Mode().Perm())
	}
	return s, errors.Join(err, out.Close())
}
