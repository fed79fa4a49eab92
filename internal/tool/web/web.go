// Package web answers what the explorer's page asks: a text in PTX, C, CUDA or
// Go and a target in, the diagnostics, pictures, listings and comparisons out.
// The same function stands behind the server of ptxabi serve and behind the
// WebAssembly build. It does no I/O; what a text includes is not read.
package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/tool/layoutcmd"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
)

// The sizes of the longest texts that are answered, in bytes: by a server for others, and by
// the WebAssembly build for the page that it is loaded by.
const (
	MaxText  = 1 << 20
	MaxLocal = 4 << 20
)

// maxText is that of this build.
var maxText = map[bool]int{false: MaxText, true: MaxLocal}[runtime.GOOS == "js"]

// What an answer shows of a text that has more of it.
const (
	maxDrawn   = 24   // functions or records drawn in one picture
	maxPieces  = 240  // words of their formals, or fields, if there are several
	maxValues  = 400  // rows of the tables of values and differences
	maxNames   = 2000 // names to choose from
	maxLines   = 4000 // lines of a listing
	maxDiags   = 200
	maxGrouped = 2000 // functions and formals for which all targets are compared
	maxSpans   = 20000
)

// defaultTarget is that of a text that names none.
const defaultTarget = "sm_80"

// A Request is a question. Its zero value asks about an empty text.
type Request struct {
	Text string `json:"text"`
	// Lang is "ptx", "c", "c++", "go" or "sass", a listing; "" guesses.
	Lang string `json:"lang"`
	// Target is an architecture; "" is the text's own, or sm_80.
	Target string `json:"target"`
	// Against is an architecture to compare Target with, or a producer to compare
	// Producer with; "" compares nothing.
	Against string `json:"against"`
	// Producer is the compiler that declarations of C are passed as, as
	// [layout.ParseProducer] takes it; "" is nvcc.
	Producer string `json:"producer"`
	// Only is the function or type to show; "" shows all.
	Only string `json:"only"`
	// Near is a line of the text, from 1, and 0 for its beginning: of what is too much to be
	// shown, that is left out which is far from it.
	Near int `json:"near"`
	// Part asks about the function at Near alone, without what takes long.
	Part bool `json:"part"`
	// Pack asks for code that packs values; its zero value asks for none.
	Pack Pack `json:"pack"`
	// Binary is a compiled file to read and to hold against the text.
	Binary File `json:"binary"`
	// Size is what room a picture has: "column", "phone", or "" for a page.
	Size string `json:"size"`
}

// A Response is the answer. Slices without elements are empty, not null.
type Response struct {
	Lang   string `json:"lang"`
	Target string `json:"target"`
	// Producer is what declarations of C are passed as; "" for other texts.
	Producer string `json:"producer"`
	// Refused says why nothing is shown for the target, "" if something is.
	// Own is then the target that the text is for, if it names one.
	Refused string `json:"refused"`
	Own     string `json:"own"`
	// Instead says that the answer is for Target, and not for the one that is refused.
	Instead bool `json:"instead,omitempty"`
	// Broken says that nothing of the text could be read, so that the rest of
	// the answer is empty.
	Broken bool `json:"broken"`
	// Half says how much is shown of a text of which not all could be read; nil for
	// all others.
	Half *Half `json:"half,omitempty"`
	// Part is the function that all but the diagnostics is about where no more was asked; ""
	// where the answer is about everything.
	Part        string       `json:"part"`
	Diagnostics []Diagnostic `json:"diagnostics"`
	Names       []string     `json:"names"` // of functions and types, for Request.Only
	Pictures    []string     `json:"pictures"`
	Values      []Value      `json:"values"`
	Spans       []Span       `json:"spans"`
	Listing     Listing      `json:"listing"`
	Calls       []Call       `json:"calls"`            // to step through
	Records     []Record     `json:"records"`          // to pack example values of
	Holds       []Hold       `json:"holds"`            // which fields the bytes of parameters are
	Packs       []Pack       `json:"packs"`            // what code can be generated for, without a language
	Code        *Code        `json:"code,omitempty"`   // nil where none was asked for
	Binary      *Binary      `json:"binary,omitempty"` // nil where no file was sent
	Groups      []Group      `json:"groups"`
	Diff        *Diff        `json:"diff"` // nil where nothing was compared
	// Other is what is shown beside it of the second target; nil where nothing is.
	Other *Other   `json:"other,omitempty"`
	Facts []Fact   `json:"facts"`
	Notes []string `json:"notes"` // what was left out
	// Cut says that other functions, types or lines would be shown for another Request.Near.
	Cut bool `json:"cut,omitempty"`
	// Needs names the build that answers where this one does not: "go", which reads Go
	// and listings, or "all"; "" where it does. The rest is empty then.
	Needs string `json:"needs"`
}

// A Half is how many of the functions, or of what else a text declares, are shown, and of how
// many. At is the index of the diagnostic that says why.
type Half struct {
	Shown int    `json:"shown"`
	All   int    `json:"all"`
	What  string `json:"what"` // one of them; "" where their number is not known
	At    int    `json:"at"`
}

// A Diagnostic is a diagnostic about the text. From and To are what it is about,
// in UTF-16 units from the text's start, half-open; both are -1 where it is
// about no place. Line and Column count from 1, columns in bytes.
type Diagnostic struct {
	Severity string    `json:"severity"`
	Code     string    `json:"code"`
	Message  string    `json:"message"`
	Line     int       `json:"line"`
	Column   int       `json:"column"`
	From     int       `json:"from"`
	To       int       `json:"to"`
	Related  []Related `json:"related"`
	Fixes    []Fix     `json:"fixes"` // each sufficient by itself, the best one first
}

// A Fix is edits that remedy a diagnostic, in the order of the text.
type Fix struct {
	Text  string `json:"text"` // what it does
	Edits []Edit `json:"edits"`
}

// An Edit replaces what is between From and To, in UTF-16 units, half-open.
type Edit struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

// A Related is another place of a diagnostic.
type Related struct {
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

// A Value is a parameter, a result or a field, with its place in words.
type Value struct {
	ID    string `json:"id"` // data-value of the picture
	Of    string `json:"of"` // the function or type it belongs to
	Role  string `json:"role"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	Size  string `json:"size"`
	Align string `json:"align"`
	Where string `json:"where"`
	Rules []Rule `json:"rules,omitempty"` // that put it there, for values that are passed
}

// A Rule is one of docs/abi.md, with what it says of a value.
type Rule struct {
	Name  string   `json:"name"`
	Text  string   `json:"text"`
	Facts []string `json:"facts"` // names of those of the target that it uses
}

// rulesAt are the i-th rules of a list, none where it ends before.
func rulesAt(list [][]abi.Rule, i int) (rules []Rule) {
	if i < len(list) {
		for _, r := range list[i] {
			rules = append(rules, Rule(r))
		}
	}
	return rules
}

// A Span is a place of the text, in UTF-16 units, that names values.
type Span struct {
	From int      `json:"from"`
	To   int      `json:"to"`
	IDs  []string `json:"ids"`
	// Bytes are those of the value that are named, "4:8"; "" for all.
	Bytes string `json:"bytes,omitempty"`
}

// A Listing is text that was made of the input.
type Listing struct {
	Title string `json:"title"`
	// Missing says why there are no lines, "" if there are some.
	Missing string `json:"missing"`
	Lines   []Line `json:"lines"`
}

// A Line is one of a listing.
type Line struct {
	Text string   `json:"text"`
	Kind string   `json:"kind"` // "head", "label", "note", "code", "ptx", "decl"
	Line int      `json:"line"` // of the source, from 1; 0 is none
	IDs  []string `json:"ids"`
}

// A Fact is one of the target, and how it is known: [abi.Fact] in words.
type Fact struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Grade  string `json:"grade"`
	Source string `json:"source"`
}

// A Group is measured targets in a row on which everything lies alike.
type Group struct {
	Targets []string `json:"targets"`
	Refused string   `json:"refused"`
}

// AnswerJSON answers a Request in JSON with a Response in JSON. The error is
// about the request's form. A panic of the code behind it becomes a refusal:
// the server of the page does not fall with it.
func AnswerJSON(request []byte) (response []byte, err error) {
	var req Request
	dec := json.NewDecoder(bytes.NewReader(request))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&req); err != nil {
		return nil, fmt.Errorf("the request is not one: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF { // More takes a stray ] or } for an end
		return nil, fmt.Errorf("the request is not one: something follows it")
	}
	return json.Marshal(guarded(req))
}

func guarded(req Request) (res *Response) {
	defer func() {
		if p := recover(); p != nil {
			res = newResponse()
			res.Refused = brief(fmt.Sprint("ptxabi failed on this text, which is a defect of ptxabi: ", p))
		}
	}()
	return Answer(req)
}

func newResponse() *Response {
	return &Response{
		Diagnostics: []Diagnostic{}, Names: []string{}, Pictures: []string{}, Values: []Value{}, Spans: []Span{},
		Listing: Listing{Lines: []Line{}}, Calls: []Call{}, Records: []Record{}, Holds: []Hold{}, Packs: []Pack{}, Groups: []Group{}, Facts: []Fact{}, Notes: []string{},
	}
}

// Answer answers a request. What is wrong with it is in the response.
func Answer(req Request) *Response {
	a := newAnswer(req, false)
	a.res.Other = a.other()
	return a.res
}

// newAnswer answers a request for its first target, or what is shown of a second one beside it.
func newAnswer(req Request, beside bool) *answer {
	a := &answer{req: req, res: newResponse(), lines: map[string]int{}, beside: beside}
	a.answer()
	if len(req.Binary.Data) > 0 && a.res.Needs == "" && !beside {
		a.readBinary()
	}
	return a
}

func (a *answer) answer() {
	req := a.req
	a.res.Lang = req.Lang
	switch {
	case len(req.Text) > maxText:
		a.res.Refused = fmt.Sprintf("the text has %d bytes; the explorer takes %d, and the command takes more", len(req.Text), maxText)
		return
	case req.Lang == "":
		a.res.Lang = guess(req.Text)
	}
	switch {
	case req.Pack.Lang != "" && !packs:
		a.res.Needs = "all"
		return
	case a.res.Lang == "go" && !layoutcmd.ReadsGo:
		a.res.Needs = "go"
		return
	}
	a.text = newText(req.Text)
	if a.res.Lang == "go" && !begins(req.Text, "package ") { // types alone, which the places of diagnostics count in
		a.req.Text = "package input;/*line input.go:1:1*/" + req.Text
	}
	switch a.res.Lang {
	case "ptx":
		a.ptx()
	case "c", "c++", "go":
		a.declarations()
	case "sass":
		a.sass()
	default:
		a.res.Refused = brief(fmt.Sprintf("no language %q; ptx, c, c++, go and sass are understood", req.Lang))
	}
}

// An answer is a response in the making.
type answer struct {
	req    Request
	res    *Response
	text   *text
	target *abi.Target
	beside bool           // it is of the second target: what is compared is left out
	lines  map[string]int // of the source, where declarations have a value's name
}

// facts takes the target up that everything is shown for.
func (a *answer) facts(t *abi.Target) {
	a.target = t
	a.res.Target = t.Name
	for _, f := range t.Facts() {
		a.res.Facts = append(a.res.Facts, Fact{f.Name, f.Value, f.Grade.String(), f.Source})
	}
}

// size is that of the pictures that are asked for, in parts.
func (a *answer) size() picture.Size {
	return picture.Parted | map[string]picture.Size{"": picture.Page, "column": picture.Column, "phone": picture.Phone}[a.req.Size]
}

func (a *answer) note(format string, args ...any) {
	a.res.Notes = append(a.res.Notes, brief(fmt.Sprintf(format, args...)))
}

// picture adds a picture.
func (a *answer) picture(svg []byte) {
	a.res.Pictures = append(a.res.Pictures, string(svg))
}

func (a *answer) span(from, to int, ids ...string) {
	if from < 0 || len(ids) == 0 || len(a.res.Spans) >= maxSpans {
		return
	}
	a.res.Spans = append(a.res.Spans, Span{From: a.text.units(from), To: a.text.units(to), IDs: ids})
}

func (a *answer) value(v Value) {
	switch len(a.res.Values) {
	case maxValues:
		a.note("the table lists the first %d values", maxValues)
		a.res.Values = append(a.res.Values, Value{})
	case maxValues + 1:
	default:
		a.res.Values = append(a.res.Values, v)
	}
}

// half says that a part of what was read is shown: of all, those that are not lost.
func (a *answer) half(what string, shown, lost int) {
	at := slices.IndexFunc(a.res.Diagnostics, func(d Diagnostic) bool { return d.Severity == "error" })
	if at < 0 {
		at = slices.IndexFunc(a.res.Diagnostics, func(d Diagnostic) bool { return d.Severity == "warning" })
	}
	a.res.Half = &Half{shown, shown + lost, what, max(at, 0)}
}

// finish cuts what the making left over.
func (a *answer) finish() {
	if a.text.looked >= maxLooked {
		a.note("names of values are not all found in the text: too many are not where they are declared")
	}
	if len(a.res.Values) > maxValues {
		a.res.Values = a.res.Values[:maxValues]
	}
	if d := a.res.Diff; d != nil {
		d.Found = len(d.Rows)
		for i := range d.Rows {
			d.Breaks = d.Breaks || d.Rows[i].Breaks
		}
		if d.Found > maxValues {
			a.note("the first %d of %d differences are listed", maxValues, d.Found)
			d.Rows = d.Rows[:maxValues]
		}
	}
}

// isListing reports whether a text has the addresses of a disassembler's listing:
// /*0010*/ at the beginning of a line, with an instruction after it.
func isListing(src string) bool {
	for l := range strings.Lines(src) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(l), "/*")
		addr, code, ok2 := strings.Cut(rest, "*/")
		if ok && ok2 && len(addr) >= 4 && strings.Trim(addr, "0123456789abcdef") == "" && strings.Contains(code, ";") {
			return true
		}
	}
	return false
}

// begins reports whether a line of a text begins with s.
func begins(src, s string) bool {
	for l := range strings.Lines(src) {
		if strings.HasPrefix(strings.TrimSpace(l), s) {
			return true
		}
	}
	return false
}

// guess says what language a text most likely is in.
func guess(src string) string {
	line := func(s string) bool { return begins(src, s) }
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(src, w) })
	}
	switch {
	case isListing(src):
		return "sass"
	case line(".version"), line(".target"), has(".func", ".entry", ".callprototype", "ld.param", "st.param"):
		return "ptx"
	case line("package "), line("type ") && has(" struct {", " struct{"):
		return "go"
	case has("__global__", "__device__", "template", "class ", "namespace ", "::", "float4", "float3", "dim3", "public:", "private:"):
		return "c++"
	case strings.HasPrefix(strings.TrimSpace(src), "."):
		return "ptx"
	}
	return "c"
}

// Limits of a compiled file that is read.
const (
	MaxBinary    = 4 << 20  // bytes of the file; a server's bodies are smaller
	maxInflated  = 32 << 20 // bytes of all its images when they are inflated
	maxImages    = 64
	maxKernels   = 400
	maxReported  = 1 << 18 // bytes of reports
	maxStructure = 200     // parameters of a kernel that are listed
)

// A File is a compiled file that is to be read: a cubin, a fatbin, or an object or
// library with such in it. Its zero value is none.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"` // base64 in JSON
}

// A Binary is what is in such a file.
type Binary struct {
	Name    string   `json:"name"`
	Refused string   `json:"refused"` // why it was not read, "" if it was
	Images  []Image  `json:"images"`
	Notes   []string `json:"notes"` // what was left out, and why
	// Compared is "same" or "differs" where kernels were held against the text, and ""
	// where nothing was.
	Compared string `json:"compared"`
	// Reports are in the words of ptxabi verify. Findings are what differs, at the lines
	// of the text.
	Reports  []string     `json:"reports"`
	Findings []Diagnostic `json:"findings"`
}

// An Image is a cubin or PTX of the file.
type Image struct {
	Where     string         `json:"where"` // in the file
	Kind      string         `json:"kind"`
	Arch      string         `json:"arch"`
	Toolkit   string         `json:"toolkit"` // "" where that is not recorded
	Kernels   []BinaryKernel `json:"kernels"`
	Functions int            `json:"functions"` // others
}

// A BinaryKernel is a kernel with its parameters as they are recorded. Numbers that are
// not recorded are -1.
type BinaryKernel struct {
	Name      string        `json:"name"`  // the linker's
	Shown     string        `json:"shown"` // for people: demangled
	Registers int           `json:"registers"`
	Frame     int           `json:"frame"` // bytes
	Bank      int           `json:"bank"`
	Base      int           `json:"base"`
	Size      int           `json:"size"`
	Params    []BinaryParam `json:"params"`
}

// A BinaryParam is a parameter: its offset from the block's base, which is -1 for an
// opaque handle, and its size in bytes.
type BinaryParam struct {
	Offset int `json:"offset"`
	Size   int `json:"size"`
}
