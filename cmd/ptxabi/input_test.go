package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadSome(t *testing.T) {
	text, err := readSome(strings.NewReader("1234"), 0, 4)
	assert.NoError(t, err)
	assert.Equal(t, "1234", text)
	_, err = readSome(strings.NewReader("12345"), 5, 4)
	assert.EqualError(t, err, "more than 4 bytes of input")
}

// zeros is a reader that never ends.
type zeros struct{ read int64 }

func (z *zeros) Read(b []byte) (int, error) {
	clear(b)
	z.read += int64(len(b))
	return len(b), nil
}

// TestReadBinary reads files whole, whatever size the system reports.
func TestReadBinary(t *testing.T) {
	const beginning = 1 << 20
	elf := append([]byte("\x7fELF"), bytes.Repeat([]byte("abcdefg"), beginning/2)...)
	for _, size := range []int64{0, 10, int64(len(elf)) - 1, int64(len(elf)), int64(len(elf)) + 1} {
		for _, r := range []io.Reader{bytes.NewReader(elf), iotest.HalfReader(bytes.NewReader(elf)), iotest.DataErrReader(bytes.NewReader(elf))} {
			data, err := readBinary(r, size, int64(len(elf))+5)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(elf, data), "said to be %d bytes", size)
		}
	}
	data, err := readBinary(bytes.NewReader(elf), 0, int64(len(elf)))
	require.NoError(t, err)
	assert.Len(t, data, len(elf))
	for _, limit := range []int64{3, beginning, int64(len(elf)) - 1} {
		_, err = readBinary(bytes.NewReader(elf), 0, limit)
		assert.ErrorContains(t, err, "bytes of input")
	}
	_, err = readBinary(iotest.TimeoutReader(bytes.NewReader(elf)), 0, 1<<30)
	assert.ErrorIs(t, err, iotest.ErrTimeout)
}
