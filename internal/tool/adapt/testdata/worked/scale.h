struct V3 { float x, y, z; };
struct V3 scale(struct V3 v, signed char s);
