package sass

import "strconv"

// MarkLines puts a comment in front of the first instruction of each line of
// the source, as nvdisasm -g does:
//
//	//## File "x.ptx", line 12
//
// File is the name to show. Within a function there is a mark wherever the line
// changes; instructions without a position belong to the line before. Existing
// marks stay, so a program is marked once.
func (p *Program) MarkLines(file string) {
	for _, f := range p.Funcs {
		items := make([]Item, 0, len(f.Items)+len(f.Items)/2)
		line := uint32(0)
		for i := range f.Items {
			it := &f.Items[i]
			if at := it.Instr.Pos.Line; it.Kind == Code && at != 0 && at != line {
				line = at
				items = append(items, Item{Kind: Comment, Text: `## File "` + file + `", line ` + strconv.FormatUint(uint64(at), 10)})
			}
			items = append(items, *it)
		}
		f.Items = items
	}
}
