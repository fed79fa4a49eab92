package measured_test

import (
	"maps"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/measured"
)

// checkSpelling derives instructions of a row that the convention does not show.
func checkSpelling(t require.TestingT, p *pair) {
	s := p.section(t, "spelling", "spelling", "-c -O0")
	facts, err := derive(s, "spelling", func() (map[string]string, error) { return measured.Spelling(s) })
	require.NoError(t, err)
	require.Len(t, facts, 3)
	if callsOf(p.release, p.target)["stack adjustment"] != "" {
		facts = maps.Clone(facts)
		delete(facts, "addition of registers")
	}
	compare(t, p, facts, nil)
}
