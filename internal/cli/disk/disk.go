// Package disk has what the programs have in common in reading and writing files.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Reason is an error without the path, which the caller names.
func Reason(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	if p := (*os.LinkError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// CreateBeside makes a new file in the folder of path, with the permissions that a new
// file has, which those of [os.CreateTemp] are not. Its name is none that Go builds. If the process
// is interrupted or terminated before [Settled] is called, the file is removed.
func CreateBeside(path string) (*os.File, error) {
	temporary.Lock()
	defer temporary.Unlock()
	temporary.watch() // before there is a file
	dir, base := filepath.Split(path)
	for range 1000 {
		name := dir + "." + base + "." + strconv.FormatUint(uint64(rand.Uint32()), 36) + ".tmp"
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			if err == nil {
				temporary.names = append(temporary.names, name)
			}
			temporary.rest()
			return f, err
		}
	}
	temporary.rest()
	return nil, errors.New("no free name for a temporary file beside it")
}

// In is a path that starts from a folder if it is relative; "" is the current folder.
func In(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// A System is the files of the system by any path, which is how included files are named,
// with slashes. Relative paths start from the folder of that name.
type System string

// Open opens a file. Folders are an error.
func (dir System) Open(name string) (fs.File, error) {
	f, err := Open(In(string(dir), filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Open opens a file to read it. It refuses what is not a regular file, such as a device, which may have no
// end, or a pipe, which may wait for ever; a symbolic link is what it leads to. Descriptors of the process
// (/dev/stdin, /dev/fd) are what the caller named on purpose.
func Open(name string) (*os.File, error) {
	if !descriptor(name) {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			return nil, errors.New("is a directory; name files in it")
		case !info.Mode().IsRegular():
			return nil, errors.New("not a regular file; write its contents to one, or to standard input")
		}
	}
	return os.Open(name)
}

// descriptor reports whether a file is one that the process has open already.
func descriptor(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	return name == "/dev/stdin" || name == "/dev/stdout" || name == "/dev/stderr" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// overwritable reports whether a result may be written to what is no regular file: to a descriptor of the process,
// or to where everything is lost. A pipe may wait for ever, and a device obeys what it is sent.
func overwritable(name string) bool { return descriptor(name) || name == os.DevNull }

// MaxFile is the size of the largest file that [ReadFile] reads, in bytes.
const MaxFile = 1 << 30

// ReadFile returns the contents of a file that [Open] opens, of at most [MaxFile] bytes.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("more than %d bytes", MaxFile)
	}
	return data, err
}

// temporary are the files that CreateBeside has made and that Settled has not released.
var temporary removal

type removal struct {
	sync.Mutex
	names   []string
	signals chan os.Signal
}

// watch has the process remove all files when it is interrupted, terminated or loses its terminal, and end as a shell
// says of it, with 128 and the number of the signal. A signal that is ignored, as in the background
// of a script, stays ignored. WebAssembly has no signals, and a panic for the question whether one is ignored.
func (r *removal) watch() {
	if runtime.GOARCH == "wasm" {
		return
	}
	if r.signals == nil {
		r.signals = make(chan os.Signal, 1)
		go r.wait()
	}
	const hangup = syscall.Signal(1) // SIGHUP, a name that WebAssembly lacks
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, hangup} {
		if !signal.Ignored(s) {
			signal.Notify(r.signals, s)
		}
	}
}

// rest ends that where there are no files.
func (r *removal) rest() {
	if len(r.names) == 0 && r.signals != nil {
		signal.Stop(r.signals)
	}
}

func (r *removal) wait() {
	s := <-r.signals
	r.Lock() // for good: no file is made any more
	for _, name := range r.names {
		os.Remove(name)
	}
	status := 2
	if n, ok := s.(syscall.Signal); ok {
		status = 128 + int(n)
	}
	os.Exit(status)
}

// Settled releases a file of [CreateBeside] that has its place or is removed: nothing is under its
// first name any more.
func Settled(name string) {
	temporary.Lock()
	defer temporary.Unlock()
	if i := slices.Index(temporary.names, name); i >= 0 {
		temporary.names = slices.Delete(temporary.names, i, i+1)
		temporary.rest()
	}
}

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

// ReplaceBy is Replace by the contents that fill writes.
func ReplaceBy(path string, fill func(*os.File) error) error {
	r, err := beginReplace(path)
	if err != nil {
		return err
	}
	if r == nil {
		return overwrite(path, fill)
	}
	if err = fill(r.File); err == nil {
		err = r.commit()
	}
	if err != nil {
		r.drop()
	}
	return err
}

// A replacement is a file with the new contents of another one.
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
func (r *replacement) commit() error {
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

// overwrite writes to a file that is open already.
func overwrite(path string, fill func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = fill(f)
	return errors.Join(err, f.Close())
}
