//go:build explorer

package web

// sass leaves listings to the build that reads them.
func (a *answer) sass() { a.res.Needs = "go" }
