// Package bench makes PTX modules and listings to measure with: large ones of random
// functions ([Functions], [Module]), and ones of a shape that a careless
// algorithm is slow on ([Shapes], [Listings]). The same arguments give the same bytes, on
// every machine.
//
// The programs below it use them: module writes one to a file, page measures what users
// wait for, and runs other tools on the same modules.
package bench

// A random is a source of numbers that are the same everywhere: a counter in
// steps of the golden ratio, mixed (Steele, Lea, Flood: "Fast splittable
// pseudorandom number generators", 2014).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number in 0 … n-1.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// pick returns one of several strings.
func (r *random) pick(of ...string) string { return of[r.below(len(of))] }
