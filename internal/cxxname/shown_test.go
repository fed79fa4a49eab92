//go:build !explorer

package cxxname

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestShown cuts long names, but not those that would then be alike.
func TestShown(t *testing.T) {
	const long = "a_name_of_sixty_characters_that_is_the_beginning_of_all_names"
	symbol := func(middle string) string {
		name := long + middle + long
		return fmt.Sprintf("_Z%d%sPf", len(name), name)
	}
	n := Show([]string{symbol("_one_"), symbol("_two_"), symbol("_two_"), "_Z4stepi"}, false)
	assert.Equal(t, long+"_one_"+long+"(float*)", n.Of(symbol("_one_")))
	assert.Equal(t, long+"_two_"+long+"(float*)", n.Of(symbol("_two_")))
	assert.Equal(t, "step(int)", n.Of("_Z4stepi"))
	n = Show([]string{symbol("_one_"), symbol("_one_")}, false)
	assert.Equal(t, Cut(long+"_one_"+long+"(float*)", nameRoom), n.Of(symbol("_one_")))
}
