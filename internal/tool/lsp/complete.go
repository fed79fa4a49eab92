package lsp

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/opcodes"
	"github.com/ptxabi/ptxabi/ptx"
)

// maxCompletions is how many names are offered at once; with more letters others come.
const maxCompletions = 200

// bodyWords are the words with a dot that begin a statement of a body, and moduleWords those of a module and a head.
var (
	bodyWords   = directivesAt(ptx.InBody)
	moduleWords = directivesAt(ptx.InModule | ptx.InEntry | ptx.InFunc | ptx.InFormal | ptx.InDecl)
	typeWords   = []string{
		".b8", ".b16", ".b32", ".b64", ".b128", ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64", ".f16", ".f16x2", ".bf16", ".bf16x2", ".f32", ".f64",
		".pred", ".v2", ".v4", ".align", ".texref", ".samplerref", ".surfref", ".ptr",
	}
	specials = []string{
		"%tid", "%ntid", "%laneid", "%warpid", "%nwarpid", "%ctaid", "%nctaid", "%smid", "%nsmid", "%gridid", "%clock", "%clock64", "%clock_hi", "%globaltimer",
		"%globaltimer_lo", "%globaltimer_hi", "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt", "%dynamic_smem_size", "%total_smem_size",
		"%aggr_smem_size", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid", "%cluster_ctarank", "%cluster_nctarank", "%is_explicit_cluster",
		"%current_graph_exec", "WARP_SZ",
	}
)

// directivesAt returns the directives of some places.
func directivesAt(places ptx.Place) (names []string) {
	for _, d := range ptx.Directives() {
		if d.Places&places != 0 && d.Until == (ptx.Version{}) {
			names = append(names, d.Name)
		}
	}
	return names
}

// completions are what the word before a position may become: an opcode where a statement begins, its modifiers after
// it, directives and types after a dot, and names elsewhere.
func (a *analysis) completions(p *params) any {
	off := a.text.offset(p.Position)
	from := off
	src := a.text.src
	for from > 0 && (inName(src[from-1]) || src[from-1] == ':' && (from > 1 && src[from-2] == ':' || from < off && src[from] == ':')) {
		from-- // .shared::cta is one word
	}
	if from > 0 && src[from-1] == '.' {
		from--
	}
	c := collector{a: a, word: src[from:off], edit: span{a.text.at(from), a.text.at(off)}, list: []completion{}, seen: map[string]bool{}}
	state := classifier{t: a.text, start: true}
	chain := ""
	inside := false // of a comment or a string
	for tok, ok := a.text.next(a.itemAt(off)); ok && tok.from < from; tok, ok = a.text.next(tok.to) {
		switch class := state.class(tok); {
		case class == opcode:
			chain = src[tok.from:tok.to]
		case class == comment || class == text_:
			inside = tok.to > from || strings.HasPrefix(src[tok.from:tok.to], "//") && tok.to == from
		}
	}
	state.sameLine(from)
	glued := state.last.to == from && state.chain == opcode
	switch dotted := strings.HasPrefix(c.word, "."); {
	case inside:
	case dotted && glued:
		for _, m := range opcodes.All()[chain].Modifiers() {
			c.add(m, completeMember, chain)
		}
	case dotted && state.start:
		words := moduleWords
		if state.depth > 0 {
			words = bodyWords
		}
		c.words(words)
	case dotted:
		c.words(typeWords)
		if state.depth == 0 || strings.HasPrefix(state.first, ".") {
			c.words(moduleWords)
		}
	case state.start && !state.guard && state.depth > 0:
		for _, name := range slices.Sorted(maps.Keys(opcodes.All())) {
			c.add(name, completeKeyword, opcodes.All()[name].About)
		}
	default:
		c.names(off)
	}
	return completionList{c.more, c.list}
}

// sameLine lets a statement begin where the last one ended with its line. The last token may reach beyond off.
func (c *classifier) sameLine(off int) {
	if c.last.to <= off && slices.Contains(unended, c.first) && strings.Contains(c.t.src[c.last.to:off], "\n") {
		c.start, c.first = true, ""
	}
}

// A collector keeps what a word may become.
type collector struct {
	a    *analysis
	word string
	edit span
	list []completion
	seen map[string]bool
	more bool // there are others
}

func (c *collector) add(label string, kind int, detail string) {
	switch {
	case !strings.HasPrefix(label, c.word) || label == "" || c.seen[label]:
	case len(c.list) == maxCompletions:
		c.more = true
	default:
		c.seen[label] = true
		c.list = append(c.list, completion{label, kind, detail, textEdit{c.edit, label}})
	}
}

func (c *collector) words(list []string) {
	for _, w := range list {
		detail := "directive"
		if isType(w) {
			detail = "type"
		}
		c.add(w, completeKeyword, detail)
	}
}

// names adds those that a place of a body sees, the nearest first, and those of the module.
func (c *collector) names(off int) {
	if b := c.a.bodyAt(off); b != nil {
		i := int32(b.at(off))
		for _, sym := range slices.Backward(b.names.Syms) {
			if sym.Var == nil || sym.From > i || sym.To <= i {
				continue
			}
			about := fmt.Sprintf("%v %s", sym.Spec.Space, sym.Spec.TypeText())
			if !sym.Var.Ranged() {
				c.add(sym.Var.Name, completeVar, about)
				continue
			}
			if n := sym.Var.Count; n <= maxCompletions || strings.HasPrefix(c.word, sym.Var.Name) {
				for k := range min(n, 10*maxCompletions) {
					c.add(fmt.Sprint(sym.Var.Name, k), completeVar, about)
				}
			} else {
				c.add(sym.Var.Name, completeVar, about+fmt.Sprintf(", 0 to %d", n-1))
			}
		}
		for _, l := range b.names.Labels {
			c.add(l.Name, completeLabel, "label")
		}
		for _, l := range b.names.Lists {
			name, _ := l.Name()
			c.add(name, completeLabel, "prototype or list of targets")
		}
	}
	for _, f := range c.a.functions() {
		c.add(f.Name, completeFunction, f.Kind().String())
	}
	for _, it := range c.a.module.Items {
		d, ok := it.(*ptx.Decl)
		for i := 0; ok && i < len(d.Vars); i++ {
			c.add(d.Vars[i].Name, completeVar, fmt.Sprintf("%v %s", d.Space, d.Spec.TypeText()))
		}
	}
	for _, s := range specials {
		c.add(s, completeVar, "special register")
	}
}
