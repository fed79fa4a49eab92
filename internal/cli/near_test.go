package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/cli/near"
)

func TestNear(t *testing.T) {
	names := []string{"sm_35", "sm_61", "sm_90", "sm_90a", "_Z3fooi", "bar", "baz", "barrier", "foo2", "bar", strings.Repeat("bar", 100)}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"bra", []string{"bar"}},
		{"foo", []string{"foo2", "_Z3fooi"}},
		{"BAR", []string{"bar"}},
		{"foo_2", []string{"foo2"}},
		{"sm_91", []string{"sm_90", "sm_61", "sm_90a"}},
		{"sm90", []string{"sm_90"}},
		{"_", nil},
		{"barr", []string{"bar", "barrier", "baz"}},
		{"", nil},
		{"nothing", nil},
	} {
		assert.Equal(t, tt.want, near.Names(tt.name, names), tt.name)
	}
}

func TestDidYouMean(t *testing.T) {
	assert.Equal(t, "; did you mean bar?", near.DidYouMean("barr", []string{"foo", "bar"}))
	assert.Empty(t, near.DidYouMean("nothing", []string{"bar"}))
	assert.Empty(t, near.DidYouMean("foo", []string{"o", "n"}), "a letter is like no word")
}
