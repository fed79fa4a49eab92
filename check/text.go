package check

import (
	"fmt"

	"github.com/ptxabi/ptxabi/ptx"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// clip shortens a name that is not at the place reported, so that long
// names make no message longer than what it is about.
func clip(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return name[:most] + "…"
}

// short is clip for constants.
func short(text string) string { return clip(string(ptx.AppendTokens(nil, text))) }
