// Writes the layout of a StructLayout of java.lang.foreign (Java 22) whose members have names, for ptxabi verify -layout.
static String document(String name, StructLayout s) {
    var fields = s.memberLayouts().stream().filter(m -> m.name().isPresent()).map(m -> {
        var at = s.byteOffset(MemoryLayout.PathElement.groupElement(m.name().get()));
        var type = m instanceof ValueLayout v ? v.carrier().getSimpleName() : "bytes";
        return "{\"path\": \"%s\", \"type\": \"%s\", \"offset\": %d, \"size\": %d}".formatted(m.name().get(), type, at, m.byteSize());
    }).collect(Collectors.joining(", "));
    return "{\"format\": \"ptxabi.layout/1\", \"types\": [{\"name\": \"%s\", \"size\": %d, \"align\": %d, \"fields\": [%s]}]}"
        .formatted(name, s.byteSize(), s.byteAlignment(), fields);
}
