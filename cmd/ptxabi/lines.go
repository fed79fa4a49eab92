package main

import (
	"fmt"

	"github.com/ptxabi/ptxabi/sass"
)

// markLines puts a comment in front of the first instruction of each line of the source, as nvdisasm -g does:
//
//	//## File "x.ptx", line 12
//
// There is a mark wherever the line changes; instructions without a position belong to the line before. Existing
// marks stay, so a function is marked once.
func markLines(f *sass.Func, file string) {
	items := make([]sass.Item, 0, len(f.Items)+len(f.Items)/2)
	line := uint32(0)
	for i := range f.Items {
		it := &f.Items[i]
		if at := it.Instr.Pos.Line; it.Kind == sass.Code && at != 0 && at != line {
			line = at
			items = append(items, sass.Item{Kind: sass.Comment, Text: fmt.Sprintf(`## File "%s", line %d`, file, at)})
		}
		items = append(items, *it)
	}
	f.Items = items
}
