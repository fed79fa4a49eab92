package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// compare calls show for the files that differ from those that are there, and returns their names.
func (e env) compare(files []packers.File, show func(f packers.File, is string) error) (names []string, err error) {
	for _, f := range files {
		old, err := disk.ReadFile(e.path(f.Path))
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			return nil, fmt.Errorf("%s: %w", f.Path, disk.Reason(err))
		}
		// A checkout may have made the line ends those of Windows, and an editor put a byte-order mark before them.
		is := strings.ReplaceAll(strings.TrimPrefix(string(old), "\ufeff"), "\r\n", "\n")
		if missing && f.Remove || !missing && !f.Remove && is == string(f.Data) {
			continue
		}
		names = append(names, filepath.ToSlash(f.Path))
		if err := show(f, is); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// replaceAll gives files new contents. All of them are written before the first
// is put in its place by renaming, so that an error leaves everything as it
// was. Files that are current are left alone.
func (e env) replaceAll(files []packers.File) error {
	write := func() error { return nil }
	for _, f := range slices.Backward(files) { // the writing of the first is around that of the others
		path, next := e.path(f.Path), write
		if old, err := disk.ReadFile(path); f.Remove || err == nil && bytes.Equal(old, f.Data) {
			continue
		}
		write = func() error { return e.replace(f, next) }
	}
	if err := write(); err != nil {
		return err
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

// replace gives a file new contents, which are in its place once next has put others in theirs.
func (e env) replace(f packers.File, next func() error) error {
	path := e.path(f.Path)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is not a regular file", f.Path)
	}
	var others error
	err := disk.ReplaceBy(path, func(out *os.File) error {
		if _, err := out.Write(f.Data); err != nil {
			return err
		}
		others = next()
		return others
	})
	if err != nil && others == nil {
		err = fmt.Errorf("%s: %w", f.Path, disk.Reason(err))
	}
	return err
}
