//go:build !explorer

package diff

import (
	"regexp"
	"sync"
)

// version is a version in a name: v2, V_300403, CUB_200302_NS, fmt::v9_1.
var version = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[:_])([vV]_?\d+(_\d+)*|\d{5,}(_\d+)*)(_SM(_\d+)+)?`)
})

// versionless is a name of C++ without the versions in it.
func versionless(name string) string { return version().ReplaceAllString(name, "$1#") }
