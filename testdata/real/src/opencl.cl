// OpenCL: pointer parameters with their space and alignment, images and samplers, a function between.

typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef struct { float4 colour; int2 at; short kind; } Sprite;

__attribute__((noinline)) float4 tint(Sprite s, float4 c) { return s.kind ? s.colour * c : c; }

__attribute__((noinline)) int spaces(global int *g, local short *l, constant char *c, private int *p) { return *g + *l + *c + *p; }

kernel void draw(global float4 *out, constant Sprite *sprites, local int *scratch, Sprite first, int n, global const char *restrict mask) {
  int i = __nvvm_read_ptx_sreg_tid_x();
  int own = n;
  scratch[i] = mask[i];
  out[i] = tint(sprites[i % n], out[i]) + tint(first, out[i + 1]);
  out[i].x += spaces((global int *)out, (local short *)scratch, (constant char *)sprites, &own);
}

kernel __attribute__((reqd_work_group_size(64, 2, 1))) void fixed(global double *p, unsigned char c) { p[c] = c; }
