package main

//go:generate go tool ptxparam -type=Table

// A Table has an array that is packed as memory is copied.
type Table struct {
	N      uint32
	Values [2048]float32
}
