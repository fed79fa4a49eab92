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

// nameByte reports whether a byte may stand within a name.
func nameByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
