package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace gives a file new contents, whole or not at all. What is no regular file is
// refused, but a descriptor of the process.
func Replace(path string, parts ...[]byte) error {
	return ReplaceBy(path, func(f *os.File) error {
		for _, data := range parts {
			if _, err := f.Write(data); err != nil {
				return err
			}
		}
		return nil
	})
}

// ReplaceBy is Replace by what fill writes.
func ReplaceBy(path string, fill func(*os.File) error) error {
	r, err := beginReplace(path)
	if err != nil {
		return err
	}
	if r == nil {
		return overwrite(path, fill)
	}
	if err := fill(r.File); err != nil {
		r.drop()
		return err
	}
	return r.commit()
}

// A replacement is a file with what is to be the contents of another one.
type replacement struct {
	*os.File             // beside the other one
	path     string      // of the other one
	info     fs.FileInfo // about it; nil if there is none yet
}

// beginReplace makes an empty file beside another one. A link to a file leads where it did.
// It returns nil for what is no regular file and may be written to as it is.
func beginReplace(path string) (*replacement, error) {
	if overwritable(path) {
		return nil, nil
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory")
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file; without -o the result is on standard output")
	}
	f, err := CreateBeside(path)
	if err != nil {
		return nil, err
	}
	return &replacement{f, path, info}, nil
}

// commit puts the file in the place of the other one, which keeps its permissions.
func (r *replacement) commit() (err error) {
	defer func() {
		if err != nil {
			r.drop()
		}
	}()
	if r.info != nil {
		if err := r.Chmod(r.info.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := r.Sync(); err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := os.Rename(r.Name(), r.path); err != nil {
		return Reason(err)
	}
	Settled(r.Name())
	return nil
}

// drop removes the file.
func (r *replacement) drop() {
	r.Close()
	os.Remove(r.Name())
	Settled(r.Name())
}

// overwrite writes to what is open already.
func overwrite(path string, fill func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = fill(f)
	return errors.Join(err, f.Close())
}
