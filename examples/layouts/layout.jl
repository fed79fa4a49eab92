# Writes the layout of a struct of plain fields, for ptxabi verify -layout.
function document(T)
    fields = ["""{"path": "$(fieldname(T, i))", "type": "$(fieldtype(T, i))", "offset": $(fieldoffset(T, i)),
        "size": $(sizeof(fieldtype(T, i)))}""" for i in 1:fieldcount(T)]
    """{"format": "ptxabi.layout/1", "types": [{"name": "$(nameof(T))", "size": $(sizeof(T)),
        "align": $(Base.datatype_alignment(T)), "fields": [$(join(fields, ", "))]}]}"""
end
