package check

import (
	"fmt"

	"github.com/ptxabi/ptxabi/ptx"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// clip shortens a name of another place than the reported one, so that the length of messages has a
// bound.
func clip(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	return name[:most] + "…"
}

// short is clip for constants.
func short(text string) string { return clip(string(ptx.AppendTokens(nil, text))) }
