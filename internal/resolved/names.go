package resolved

import (
	"hash/maphash"

	"github.com/ptxabi/ptxabi/ptx"
)

// Names gives names numbers, from 0 up in order of their first mention, and
// forgets them all at once for the next function: its table is stamped, not
// cleared, so that a small function after a large one costs what it has itself.
// Against a map[string]int that is cleared, looking up takes half the time. The
// zero Names is empty and ready.
type Names struct {
	seed  maphash.Seed
	table []slot // a power of two, at most half full
	used  int    // slots in use
	names []string
	stamp uint32
	// last is the result of the last search but those of names with the same
	// lowest bits of a cheap hash.
	last [16]lastFound
}

type slot struct {
	stamp uint32 // the slot is in use if it is that of the table
	hash  uint32
	n     int32
}

type lastFound struct {
	name string
	n    int32
}

// Reset forgets all names.
func (t *Names) Reset() {
	t.names = t.names[:0]
	t.used = 0
	t.last = [16]lastFound{}
	if t.stamp++; t.stamp == 0 { // all of them have been used
		t.table = nil
		t.stamp = 1
	}
}

// Name returns the name of number n.
func (t *Names) Name(n int) string { return t.names[n] }

// Find returns the number of a name, -1 if it has none.
func (t *Names) Find(name string) int {
	if name == "" {
		return -1
	}
	return int(t.find(name))
}

// Add returns the number of a name, a new one if it has none.
func (t *Names) Add(name string) int { return int(t.add(name)) }

// find is Find for a name that is not empty.
func (t *Names) find(name string) int32 {
	l := &t.last[cheap(name)]
	if l.name == name {
		return l.n
	}
	n := int32(-1)
	if t.used > 0 {
		n = t.search(name, uint32(maphash.String(t.seed, name)))
	}
	*l = lastFound{name, n}
	return n
}

func (t *Names) search(name string, hash uint32) int32 {
	mask := uint32(len(t.table) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.table[i]
		if s.stamp != t.stamp {
			return -1
		}
		if s.hash == hash && t.names[s.n] == name {
			return s.n
		}
	}
}

// cheap is a hash of the bytes in which short names differ.
func cheap(name string) uint {
	n := uint(len(name))
	return (n*5 + uint(name[n-1]) + 3*uint(name[n/2])) & 15
}

func (t *Names) add(name string) int32 {
	if name != "" {
		if l := &t.last[cheap(name)]; l.name == name && l.n >= 0 {
			return l.n
		}
	}
	if 2*t.used >= len(t.table) {
		t.grow()
	}
	hash := uint32(maphash.String(t.seed, name))
	n := t.search(name, hash)
	if n < 0 {
		n = t.push(name)
		t.put(hash, n)
		t.used++
	}
	if name != "" {
		t.last[cheap(name)] = lastFound{name, n}
	}
	return n
}

// push gives a name that has none a number, by which alone it can be found.
func (t *Names) push(name string) int32 {
	t.names = append(t.names, name)
	return int32(len(t.names) - 1)
}

func (t *Names) put(hash uint32, n int32) {
	mask := uint32(len(t.table) - 1)
	i := hash & mask
	for t.table[i].stamp == t.stamp {
		i = (i + 1) & mask
	}
	t.table[i] = slot{t.stamp, hash, n}
}

func (t *Names) grow() {
	if t.table == nil {
		t.seed = maphash.MakeSeed()
		t.stamp = max(t.stamp, 1)
	}
	old := t.table
	t.table = make([]slot, max(64, 2*len(old)))
	for _, s := range old {
		if s.stamp == t.stamp {
			t.put(s.hash, s.n)
		}
	}
}

// NewVar returns the Symbol of a variable or formal, to be added, good until Reset. It is
// filled in where it stands: to copy one that was just put together took a third of the
// time of declaring a name.
func (s *scope) NewVar(spec *ptx.Spec, v *ptx.Var, role Role, index int) *Symbol {
	sym := s.symbols.One()
	sym.Spec, sym.Var = spec, v
	sym.Role, sym.Index = role, int32(index)
	if sym.Proto != nil || sym.Targets != nil { // few have been one; that writes no pointers
		sym.Proto, sym.Targets = nil, nil
	}
	return sym
}
