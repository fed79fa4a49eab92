//go:build js

package web

const maxText = MaxLocal
