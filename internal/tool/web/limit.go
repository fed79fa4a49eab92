//go:build !js

package web

const maxText = MaxText
