package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// frames reads the contents of messages, each of which has a header. As in HTTP, names in a header are in any case, which
// the library's own reader does not take.
type frames struct{ in *textproto.Reader }

func newFrames(in io.Reader) frames { return frames{textproto.NewReader(bufio.NewReader(in))} }

// next returns the content of the next message. The error is io.EOF or io.ErrUnexpectedEOF where the input ends.
func (f frames) next() ([]byte, error) {
	header, err := f.in.ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length := header.Get("Content-Length")
	if length == "" {
		return nil, errors.New("a message without Content-Length")
	}
	n, err := strconv.ParseInt(length, 10, 32)
	if err != nil || n <= 0 {
		return nil, fmt.Errorf("Content-Length: %.40q, expected a number of bytes", length)
	}
	data := make([]byte, n)
	_, err = io.ReadFull(f.in.R, data)
	return data, err
}
