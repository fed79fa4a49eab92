// Writes the layout of a struct with [StructLayout(LayoutKind.Sequential)], for ptxabi verify -layout. Marshal has no
// alignment, so give it.
static string Document<T>(int align) where T : struct {
    var fields = typeof(T).GetFields().Select(f =>
        $"{{\"path\": \"{f.Name}\", \"type\": \"{f.FieldType.Name}\", \"offset\": {Marshal.OffsetOf<T>(f.Name)}, "
        + $"\"size\": {Marshal.SizeOf(f.FieldType)}}}");
    return $"{{\"format\": \"ptxabi.layout/1\", \"types\": [{{\"name\": \"{typeof(T).Name}\", \"size\": {Marshal.SizeOf<T>()}, "
        + $"\"align\": {align}, \"fields\": [{string.Join(", ", fields)}]}}]}}";
}
