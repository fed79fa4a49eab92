//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mapFile is the contents of a regular file as the system maps it, which takes no memory of the process
// and reads what is looked at alone. They must not be changed, and are gone after the function
// that comes with them. It is false where the file cannot be mapped.
func mapFile(f *os.File, size int64) (data []byte, unmap func(), ok bool) {
	if size <= 0 || int64(int(size)) != size {
		return nil, nil, false
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, false
	}
	return data, func() { _ = syscall.Munmap(data) }, true
}

// columnsOf is how many columns a terminal has; 0 of other files.
func columnsOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// endUnread ends the process within a tenth of a second when nothing can read its standard output any more, whatever
// it is doing. The function that it returns ends the watch.
func endUnread(e env) (stop func()) {
	f, ok := e.stdout.(*os.File)
	if !ok || !e.self {
		return func() {}
	}
	fd := int32(f.Fd())
	tick := time.NewTicker(20 * time.Millisecond)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			p := []unix.PollFd{{Fd: fd}} // no event is requested, and errors are reported
			if n, err := unix.Poll(p, 0); err == nil && n > 0 && p[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
				os.Exit(2)
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
	}
}
