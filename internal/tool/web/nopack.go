//go:build explorer || nopack

package web

// packs says that this build leaves the generation of code to the largest one.
const packs = false

func (a *answer) code(Pack) {}
