package measured_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/image/isa"
)

var symbolLine = regexp.MustCompile(`^# symbol (\S+): (\w+), (\w+), prototype (\S+), records \w+, referred to by (.*)$`)

// TestHelpers distinguishes the assembler's helpers from a program's own functions in all recordings: by
// their names, since nothing else that is recorded does.
func TestHelpers(t *testing.T) {
	own := map[string]bool{"weak_one": true, "local_one": true, "__cuda_of_the_program": true, "kernel": true}
	helpers, weak := 0, 0
	alike := make(map[string]bool)  // what is recorded of weak functions, by whose they are
	referred := make(map[bool]bool) // whether code refers to helpers of an object
	hold(t, func(t require.TestingT, p *pair) {
		for _, s := range p.file(t, "helpers").Sections {
			if s.Targets[0] != p.target { // seen once
				continue
			}
			for _, line := range s.Lines {
				m := symbolLine.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				name, kind, binding := m[1], m[2], m[3]
				plain := name[strings.LastIndexByte(name, '$')+1:]
				where := p.String() + " " + s.Module + " " + s.Options + ": " + line
				assert.Equal(t, !own[plain], isa.Helper(name), where)
				if own[plain] {
					if binding == "weak" && s.Module == "division" && name == plain {
						alike["own "+m[4]] = true
					}
					continue
				}
				helpers++
				if binding == "weak" {
					alike["helper "+m[4]] = true
					weak++
				}
				assert.Equal(t, "function", kind, where)
				assert.NotEqual(t, "global", binding, where)
				if strings.HasPrefix(s.Options, "-c") {
					referred[m[5] != "nothing"] = true
				}
			}
		}
	})
	assert.Greater(t, helpers, 1000)
	assert.Greater(t, weak, 500)
	assert.Len(t, referred, 2)
	assert.True(t, alike["own #lll"] && alike["helper #lll"], "weak functions of both kinds have the same prototype")
}

// TestHelpersAreReserved finds that no module can define a helper that it needs.
func TestHelpersAreReserved(t *testing.T) {
	hold(t, func(t require.TestingT, p *pair) {
		s := p.section(t, "helpers", "taken", "-c -O3")
		assert.Contains(t, s.Refusal(), "__cuda_sm20_div_u64", p)
	})
}
