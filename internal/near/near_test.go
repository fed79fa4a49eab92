package near_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	_ "github.com/ptxabi/ptxabi/internal/golden" // -update
	"github.com/ptxabi/ptxabi/internal/near"
)

func TestNear(t *testing.T) {
	names := []string{"_Z3fooi", "bar", "baz", "barrier", "foo2", "bar", strings.Repeat("bar", 100)}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"bra", []string{"bar"}},
		{"foo", []string{"_Z3fooi", "foo2"}},
		{"BAR", []string{"bar", "baz"}},
		{"barr", []string{"bar", "baz", "barrier"}},
		{"", nil},
		{"nothing", nil},
	} {
		assert.Equal(t, tt.want, near.Names(tt.name, names), tt.name)
	}
}

func TestDidYouMean(t *testing.T) {
	assert.Equal(t, "; did you mean bar?", near.DidYouMean("barr", []string{"foo", "bar"}))
	assert.Empty(t, near.DidYouMean("nothing", []string{"bar"}))
}
