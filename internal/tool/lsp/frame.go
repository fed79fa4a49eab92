package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// frames reads the contents of messages, each of which has a header. As in HTTP, names in a header are in any case, which
// the library's own reader does not take.
type frames struct{ in *bufio.Reader }

func newFrames(in io.Reader) frames { return frames{bufio.NewReader(in)} }

// next returns the content of the next message. The error is io.EOF where the input ends between two messages, and
// io.ErrUnexpectedEOF where it ends within one.
func (f frames) next() ([]byte, error) {
	length, err := f.length()
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(length, 10, 32)
	if err != nil || n <= 0 {
		return nil, fmt.Errorf("Content-Length: %.40q, expected a number of bytes", length)
	}
	// The buffer grows with what arrives: a length alone costs no memory.
	var data bytes.Buffer
	if _, err := io.CopyN(&data, f.in, n); err != nil {
		return nil, within(err)
	}
	return data.Bytes(), nil
}

// length reads a header to its empty line, and returns the value of its Content-Length.
func (f frames) length() (string, error) {
	length := ""
	for first := true; ; first = false {
		line, err := f.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return "", fmt.Errorf("a line of a header has more than %d bytes", f.in.Size())
		case err != nil && first && len(line) == 0:
			return "", err
		case err != nil:
			return "", within(err)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return "", fmt.Errorf("%.40q is no line of a header, expected NAME: VALUE", text)
		}
		if strings.EqualFold(name, "Content-Length") {
			length = strings.TrimSpace(value)
		}
	}
	if length == "" {
		return "", errors.New("a message without Content-Length")
	}
	return length, nil
}

// within is an error within a message, where the end of the input is unexpected.
func within(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
