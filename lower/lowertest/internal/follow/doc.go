// Package follow follows a listing on every path and holds it against its source: what calls and returns hand over and the
// rules of every function ([Compare]), and the places of the registers that instructions read ([Allocation]).
package follow
