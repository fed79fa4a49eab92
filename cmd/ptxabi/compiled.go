package main

import (
	"io"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
)

// openCompiled lists the images of a file, or of standard input for "-". The file may be PTX if
// mayBePTX is set.
func openCompiled(e env, file string, mayBePTX bool, lookup compiled.Lookup) (*compiled.File, func(), error) {
	name, data, end, err := readWhole(e, file)
	if err != nil {
		return nil, end, ofFile(name, err)
	}
	if mayBePTX && len(data) > 0 && !cubin.Binary(data) && isPTX(&source{name: name, text: string(data)}) {
		return compiled.OfPTX(name, data, lookup), end, nil
	}
	f, err := compiled.New(name, data, lookup)
	if err != nil {
		end()
		return nil, func() {}, err
	}
	return f, end, nil
}

// readWhole reads a file, or standard input for "-", whatever is in it. The contents are there until end is called.
func readWhole(e env, file string) (name string, data []byte, end func(), err error) {
	if file == "-" {
		data, err = readBinary(e.stdin, 0, maxInput)
		return "<stdin>", data, func() {}, err
	}
	data, end, err = readBinaryFile(file)
	return file, data, end, err
}

// isCompiled reports whether a file begins as one does that has images in it.
func isCompiled(name string) bool {
	f, err := disk.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, mostHead)
	n, _ := io.ReadFull(f, head)
	return cubin.Binary(head[:n])
}

// readBinaryFile has the contents of a file until the function that it returns is called: mapped where
// the system does that, otherwise read, at most maxInput bytes.
func readBinaryFile(name string) (data []byte, end func(), err error) {
	end = func() {}
	f, err := disk.Open(name)
	if err != nil {
		return nil, end, err
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
		if data, unmap, ok := mapFile(f, size); ok {
			return data, unmap, nil
		}
	}
	data, err = readBinary(f, size, maxInput)
	return data, end, err
}
