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

// TestShownAlike prints symbols whose whole names are the same as they are: functions of unnamed
// namespaces in two files, a static function and one that is not, and names that only the
// prefix told apart.
func TestShownAlike(t *testing.T) {
	a, b := "_ZN38_GLOBAL__N__8c6bd3a1_4_a_cu_1f2e3d4c_54stepEi", "_ZN38_GLOBAL__N__9c6bd3a1_4_b_cu_1f2e3d4c_54stepEi"
	n := Show([]string{a, b, "_ZL4stepi", "_Z4stepi", "_Z4walki", a}, false)
	for _, symbol := range []string{a, b, "_ZL4stepi", "_Z4stepi"} {
		assert.Equal(t, symbol, n.Of(symbol))
	}
	assert.Equal(t, "walk(int)", n.Of("_Z4walki"))

	const f = "_ZN7cluster5inner4step"
	n = Show([]string{f + "ENS0_1TE", f + "E1T", f + "Ei", f + "Ef"}, false)
	assert.Equal(t, "cluster::inner::", n.Prefix)
	assert.Equal(t, f+"ENS0_1TE", n.Of(f+"ENS0_1TE"))
	assert.Equal(t, f+"E1T", n.Of(f+"E1T"))
	assert.Equal(t, "step(int)", n.Of(f+"Ei"))
}

// TestShownPrefix leaves out what four functions begin with, not one that is named four times.
func TestShownPrefix(t *testing.T) {
	const f = "_ZN7cluster5inner4stepE"
	n := Show([]string{f + "i", f + "i", f + "i", f + "i", f + "j", f + "f"}, false)
	assert.Empty(t, n.Prefix)
	assert.Equal(t, "cluster::inner::step(int)", n.Of(f+"i"))
	n = Show([]string{f + "i", f + "j", f + "f", f + "d"}, false)
	assert.Equal(t, "cluster::inner::", n.Prefix)
	assert.Equal(t, "step(int)", n.Of(f+"i"))
}
