package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReadSome(t *testing.T) {
	text, err := readSome(strings.NewReader("1234"), 0, 4)
	assert.NoError(t, err)
	assert.Equal(t, "1234", text)
	_, err = readSome(strings.NewReader("12345"), 5, 4)
	assert.EqualError(t, err, "more than 4 bytes of input")
}
