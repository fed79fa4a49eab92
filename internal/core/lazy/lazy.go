// Package lazy makes values when they are first used, so that programs that need none start without them.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that compiles an expression when it is first called. It panics where [regexp.MustCompile] does.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
