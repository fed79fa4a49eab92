package check

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
)

// specials has the special registers, with the first version and architecture that have them, as measured with the
// assemblers 11.8 to 13.5.
var specials = specialTable([]feature{
	{"%tid %ntid %ctaid %nctaid %gridid %clock", 0, 0, 0},
	{"%envreg0 %envreg1 %envreg2 %envreg3 %envreg4 %envreg5 %envreg6 %envreg7 %envreg8 %envreg9 %envreg10 %envreg11", 0, 0, 0},
	{"%envreg12 %envreg13 %envreg14 %envreg15 %envreg16 %envreg17 %envreg18 %envreg19 %envreg20 %envreg21 %envreg22", 0, 0, 0},
	{"%envreg23 %envreg24 %envreg25 %envreg26 %envreg27 %envreg28 %envreg29 %envreg30 %envreg31", 0, 0, 0},
	{"%laneid %warpid %smid %pm0 %pm1 %pm2 %pm3", 1, 3, 0},
	{"%nwarpid %nsmid %lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt %clock64", 2, 0, 20},
	{"%pm4 %pm5 %pm6 %pm7", 3, 0, 0},
	{"%globaltimer %globaltimer_lo %globaltimer_hi", 3, 1, 30},
	{"%pm0_64 %pm1_64 %pm2_64 %pm3_64 %pm4_64 %pm5_64 %pm6_64 %pm7_64", 4, 0, 50},
	{"%total_smem_size %dynamic_smem_size", 4, 1, 0},
	{"%clock_hi", 5, 0, 0},
	{"%reserved_smem_offset_begin %reserved_smem_offset_end %reserved_smem_offset_cap %reserved_smem_offset_0 %reserved_smem_offset_1", 7, 6, 80},
	{"%clusterid %nclusterid %cluster_ctaid %cluster_nctaid %cluster_ctarank %cluster_nctarank %is_explicit_cluster", 7, 8, 90},
	{"%current_graph_exec", 8, 0, 0},
	{"%aggr_smem_size", 8, 1, 90},
})

// specialTable returns the features by each of their names.
func specialTable(rows []feature) map[string]feature {
	table := make(map[string]feature)
	for _, f := range rows {
		for f.name = range strings.FieldsSeq(f.name) {
			table[f.name] = f
		}
	}
	return table
}

// special reports whether a name, without the element of a vector, is a special register.
func special(name string) bool {
	_, ok := specials[name]
	return ok
}

// specialAddress reports a special register as an address. The assembler crashes on stores, and on loads whose value is used.
func specialAddress(b *bodyCheck, a *ptx.Access) {
	msg := sprintf("%s is a special register, and no address in the manual; mov it into a register first", a.Addr.Base)
	if !a.Store && !usedAfter(b, a) {
		b.c.add(b.c.unnamed(), IllegalAddress, a.Addr.Pos, msg)
		return
	}
	err := b.c.errorf(IllegalAddress, a.Addr.Pos, "%s: the assembler crashes on it", msg)
	b.c.later.ifCompiled = append(b.c.later.ifCompiled, inFunction{b.g, err})
}

// specialElement reports whether the assembler takes a special register in the vector of an access: it is as wide as the
// elements, and if it is a vector itself, one of it is named.
func specialElement(a *ptx.Access, o *ptx.Operand) bool {
	name := o.Name()
	wide := strings.HasSuffix(name, "64") || name == "%globaltimer" || name == "%gridid" || name == "%current_graph_exec"
	vector := strings.HasSuffix(name, "tid") || strings.HasSuffix(name, "ctaid") || strings.HasSuffix(name, "clusterid")
	return special(name) && wide == (a.Type.Size() == 8) && (wide || a.Type.Size() == 4) && vector == (o.Elem != 0)
}
