package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/ptxabi/ptxabi/internal/cli/disk"
	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/tool/compiled"
)

// openCompiled lists the images of a file, or of standard input for "-". The file may be PTX if
// mayBePTX is set.
func openCompiled(e env, file string, mayBePTX bool, lookup compiled.Lookup) (*compiled.File, func(), error) {
	name, data, end, err := readBeginning(e, file)
	if err != nil {
		return nil, end, fmt.Errorf("%s: %w", name, disk.Reason(err))
	}
	if mayBePTX && len(data) > 0 && !cubin.Binary(data) && isPTX(&source{name: name, text: string(data[:min(len(data), beginning)])}) {
		if data, err = wholeText(e, file, data); err != nil {
			return nil, end, fmt.Errorf("%s: %w", name, disk.Reason(err))
		}
		return compiled.OfPTX(name, data, lookup), end, nil
	}
	f, err := compiled.New(name, data, lookup)
	if err != nil {
		end()
		return nil, func() {}, err
	}
	return f, end, nil
}

// readBeginning reads a file, or standard input for "-": of a text the beginning. The contents are there until end is called.
func readBeginning(e env, file string) (name string, data []byte, end func(), err error) {
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

// wholeText is a text of which the beginning has been read as that of a compiled file.
func wholeText(e env, file string, data []byte) ([]byte, error) {
	switch {
	case len(data) != beginning:
		return data, nil
	case file == "-":
		rest, err := readSome(e.stdin, 0, maxInput)
		return append(data, rest...), err
	}
	text, err := readFile(file)
	return []byte(text), err
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

// beginning is how much of a file is read before it is known to be one that has
// images in it, in bytes.
const beginning = 1 << 20

// readBinary reads all of r, of which the size may be known and which may hold at
// most limit bytes. Of what cannot hold images it reads the beginning alone. The
// memory taken is no more than twice what was read: nothing that grows is copied
// before its end is known.
func readBinary(r io.Reader, size, limit int64) ([]byte, error) {
	tooMuch := fmt.Errorf("more than %d bytes of input", limit)
	if size > limit {
		return nil, tooMuch
	}
	var first bytes.Buffer
	if _, err := io.CopyN(&first, r, min(beginning, limit+1)); err != nil && err != io.EOF {
		return nil, err
	}
	if int64(first.Len()) > limit {
		return nil, tooMuch
	}
	if first.Len() < beginning || !cubin.Binary(first.Bytes()) {
		return first.Bytes(), nil
	}
	chunks, n := [][]byte{first.Bytes()}, int64(first.Len())
	for {
		chunk := make([]byte, min(max(size-n, 0)+beginning, limit+1-n))
		got, err := io.ReadFull(r, chunk)
		chunks, n = append(chunks, chunk[:got]), n+int64(got)
		switch {
		case n > limit:
			return nil, tooMuch
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return slices.Concat(chunks...), nil
		case err != nil:
			return nil, err
		}
	}
}
