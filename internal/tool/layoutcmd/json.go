package layoutcmd

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

type jsonOutput struct {
	Format  string       `json:"format"`
	Types   []jsonType   `json:"types"`
	Target  string       `json:"target,omitempty"`
	Assumed bool         `json:"assumed,omitempty"`
	Kernels []jsonKernel `json:"kernels,omitempty"`
}

type jsonType struct {
	Name     string      `json:"name"`
	Kind     string      `json:"kind"`
	Size     int64       `json:"size"`
	Align    int64       `json:"align"`
	DataSize int64       `json:"dataSize"`
	Fields   []jsonField `json:"fields"`
	Param    string      `json:"param"`
	Indirect bool        `json:"indirect,omitempty"`
	Notes    []string    `json:"notes,omitempty"`
}

type jsonField struct {
	Path      string `json:"path"`
	Type      string `json:"type"`
	Offset    int64  `json:"offset"`
	Size      *int64 `json:"size,omitempty"`
	Align     *int64 `json:"align,omitempty"`
	BitOffset *int64 `json:"bitOffset,omitempty"`
	BitWidth  *int64 `json:"bitWidth,omitempty"`
	jsonScalar
}

type jsonKernel struct {
	Name   string      `json:"name"`
	Block  jsonBlock   `json:"block"`
	Params []jsonParam `json:"params"`
}

type jsonBlock struct {
	Bank int `json:"bank"`
	Base int `json:"base"`
	Size int `json:"size"`
}

type jsonParam struct {
	Name   string      `json:"name"`
	Type   string      `json:"type"`
	Offset int         `json:"offset"` // in the bank
	Param  string      `json:"param"`
	Fields []jsonField `json:"fields"`
	Notes  []string    `json:"notes,omitempty"`
}

func (r *Result) json() ([]byte, error) {
	out := jsonOutput{Format: "ptxabi.layout/1", Types: []jsonType{}}
	for _, rec := range r.Records {
		fields, err := r.jsonFields(rec.Layout)
		if err != nil {
			return nil, err
		}
		l := rec.Layout
		out.Types = append(out.Types, jsonType{
			Name: rec.Name, Kind: kindOf(l), Size: l.Size, Align: l.Align, DataSize: l.DataSize,
			Fields: fields, Param: rec.Param.String(), Indirect: rec.Param.Indirect, Notes: rec.Notes,
		})
	}
	if r.Target != nil {
		out.Target, out.Assumed = r.Target.Name, r.Target.AssumedFrom != ""
	}
	for _, k := range r.Kernels {
		jk := jsonKernel{
			Name:  k.Name,
			Block: jsonBlock{int(k.Block.Bank), k.Block.Base, k.Block.Size}, Params: []jsonParam{},
		}
		for _, p := range k.Params {
			fields := []jsonField{}
			if p.known(r.Producer) {
				var err error
				if fields, err = r.jsonFields(p.Layout); err != nil {
					return nil, err
				}
			}
			jk.Params = append(jk.Params, jsonParam{p.Name, cdecl.TypeText(p.Layout.Type, p.Layout.Rules.Lang), p.Loc.Off, p.Param.String(), fields, p.Notes})
		}
		out.Kernels = append(out.Kernels, jk)
	}
	return append(jsonline.Encode(nil, out, "  "), '\n'), nil
}

func (r *Result) jsonFields(l *layout.Layout) ([]jsonField, error) {
	list, err := r.leaves(l)
	if err != nil {
		return nil, err
	}
	out := []jsonField{}
	for _, f := range list {
		j := jsonField{Path: f.Path, Type: cdecl.TypeText(f.Type, l.Rules.Lang), Offset: f.Offset, jsonScalar: r.scalar(f.Type, l.Rules)}
		j.Record = recordName(f.Record)
		if !r.used.spend(int64(len(j.Enumerators))) {
			return nil, fmt.Errorf("the enumerators are too many to list up to those of %s; -type chooses types", l.Type)
		}
		if f.BitWidth > 0 {
			j.BitOffset, j.BitWidth = &f.BitOffset, &f.BitWidth
		} else {
			j.Size, j.Align = &f.Size, &f.Align
		}
		out = append(out, j)
	}
	return out, nil
}

// structField is a line of the structlayout tools of honnef.co/go/tools.
type structField struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Start     int64  `json:"start"`
	End       int64  `json:"end"`
	Size      int64  `json:"size"`
	Align     int64  `json:"align"`
	IsPadding bool   `json:"is_padding"`
}

// structlayout writes one array for each record. The format knows bytes only:
// a bit-field has those that it touches, and one that begins where another
// ended in the same byte begins in the next.
func (r *Result) structlayout() ([]byte, error) {
	var b bytes.Buffer
	for _, rec := range r.Records {
		list, err := r.leaves(rec.Layout)
		if err != nil {
			return nil, err
		}
		fields := []structField{}
		end := int64(0)
		pad := func(to int64) {
			if to > end {
				fields = append(fields, structField{Name: "padding", Start: end, End: to, Size: to - end, IsPadding: true})
			}
		}
		for _, f := range list {
			start, last := f.Offset, f.Offset+f.Size
			if f.BitWidth > 0 {
				start, last = f.Start()/8, (f.Start()+f.BitWidth+7)/8
				start = min(max(start, end), last)
			}
			pad(start)
			fields = append(fields, structField{
				Name: rec.Name + "." + f.Path, Type: cdecl.TypeText(f.Type, rec.Layout.Rules.Lang), Start: start, End: last, Size: last - start, Align: f.Align,
			})
			end = max(end, last)
		}
		pad(rec.Layout.Size)
		if err := json.NewEncoder(&b).Encode(fields); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
