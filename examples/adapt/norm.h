struct V3 { float x, y, z; };
float norm(struct V3 v, signed char s);
