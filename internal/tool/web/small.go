//go:build explorer || nopack

package web

// packs says that this build leaves the generation of code to the largest one.
const packs = false

func (a *answer) code(Pack) {}

// readBinary leaves compiled files to the build that reads them.
func (a *answer) readBinary() { a.res.Needs = "all" }
