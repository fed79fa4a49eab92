/* ptxabi_cubin.h: what the kernels of a compiled cubin take.
 *
 * Written by `ptxabi export -lang c -reader`. C99 and C++11; no dependency, no allocation.
 *
 * In one source file:
 *
 *     #define PTXABI_CUBIN_IMPLEMENTATION
 *     #include "ptxabi_cubin.h"
 *
 * and in all others only the include. The offsets and sizes of all parameters of a cubin in memory:
 *
 *     ptxabi_cubin c;
 *     ptxabi_cubin_kernel k = PTXABI_CUBIN_FIRST;
 *     ptxabi_cubin_param p[64];
 *     int status = ptxabi_cubin_open(&c, data, size), i;
 *     while (status == 0 && (status = ptxabi_cubin_next(&c, &k)) > 0) {
 *         status = ptxabi_cubin_params(&c, &k, p, 64);
 *         for (i = 0; status == 0 && i < k.params; i++)
 *             printf("%.*s: %d bytes at %d\n", (int)k.name_size, k.name, p[i].size, p[i].offset);
 *     }
 *     if (status < 0)
 *         printf("%s, at 0x%llx\n", ptxabi_cubin_message(status), (unsigned long long)c.at);
 *
 * All functions are pure and may be called by several threads. No contents lead to undefined behaviour:
 * what cannot be read is an error. The time is in proportion to the size of the cubin.
 */
#ifndef PTXABI_CUBIN_H
#define PTXABI_CUBIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong. */
enum {
	PTXABI_CUBIN_NOT = -1,     /* not an ELF file for CUDA */
	PTXABI_CUBIN_UNKNOWN = -2, /* a cubin of a layout that is not known here */
	PTXABI_CUBIN_DAMAGED = -3, /* cut short, or not consistent; ptxabi_cubin.at says where */
	PTXABI_CUBIN_ROOM = -4     /* the kernel has more parameters than there is room for */
};

/* A cubin, which refers to the bytes that it was opened with. The first three fields are for everybody. */
typedef struct ptxabi_cubin {
	uint64_t at;      /* after an error: the offset of what is wrong */
	uint32_t kernels; /* how many have code in it */
	uint32_t sm;      /* 90 of sm_90 and sm_90a */
	const unsigned char *data;
	uint64_t size, table, names, names_size, symbols, strings, strings_size;
	uint32_t sections, symbol_count;
	int wide;
} ptxabi_cubin;

/* A kernel. Without parameters that have a place nothing is recorded of a block: bank and base are -1. */
typedef struct ptxabi_cubin_kernel {
	const char *name; /* not terminated by 0 */
	size_t name_size;
	int32_t params;
	int32_t bank; /* the constant bank of the parameters */
	int32_t base; /* where they begin in it */
	int32_t size; /* bytes from there to the end of the last one */
	uint32_t section, found;
} ptxabi_cubin_kernel;

/* No kernel: that before the first one. */
#ifdef __cplusplus
#define PTXABI_CUBIN_FIRST ptxabi_cubin_kernel()
#else
#define PTXABI_CUBIN_FIRST {NULL, 0, 0, 0, 0, 0, 0, 0}
#endif

/* A parameter. */
typedef struct ptxabi_cubin_param {
	int32_t offset;         /* from the base of the block, as in the buffer of a launch; -1 of an opaque handle */
	int32_t size;           /* 0 of an opaque handle */
	uint32_t pointee_align; /* of .ptr .align; 1: nothing is recorded */
	uint8_t space;          /* of .ptr: 1 local, 2 shared, 3 const, 4 global; 6 texref, 7 surfref, 8 samplerref; 0: none */
} ptxabi_cubin_param;

/* Opens a cubin: 0, or what is wrong. */
int ptxabi_cubin_open(ptxabi_cubin *c, const void *data, size_t size);

/* Goes on to the next kernel: 1; 0 if there is none; below 0 what is wrong. */
int ptxabi_cubin_next(ptxabi_cubin *c, ptxabi_cubin_kernel *k);

/* Finds a kernel by its symbol: 1; 0 if there is none; below 0 what is wrong. */
int ptxabi_cubin_find(ptxabi_cubin *c, const char *name, ptxabi_cubin_kernel *k);

/* Fills the k->params parameters of a kernel, in order: 0, or what is wrong. */
int ptxabi_cubin_params(ptxabi_cubin *c, const ptxabi_cubin_kernel *k, ptxabi_cubin_param *params, int room);

/* What a status below 0 means. */
const char *ptxabi_cubin_message(int status);

#ifdef __cplusplus
}
#endif
#endif

#ifdef PTXABI_CUBIN_IMPLEMENTATION
#include <string.h>

static uint32_t ptxabi_cubin_u16(const unsigned char *b) { return (uint32_t)b[0] | (uint32_t)b[1] << 8; }

static uint32_t ptxabi_cubin_u32(const unsigned char *b) { return ptxabi_cubin_u16(b) | ptxabi_cubin_u16(b + 2) << 16; }

/* A word of the file's class. */
static uint64_t ptxabi_cubin_word(const ptxabi_cubin *c, const unsigned char *b) {
	return c->wide ? (uint64_t)ptxabi_cubin_u32(b) | (uint64_t)ptxabi_cubin_u32(b + 4) << 32 : (uint64_t)ptxabi_cubin_u32(b);
}

static int ptxabi_cubin_bad(ptxabi_cubin *c, uint64_t at) {
	c->at = at;
	return PTXABI_CUBIN_DAMAGED;
}

typedef struct ptxabi_cubin_section {
	uint32_t name, type, link, info;
	uint64_t flags, offset, size;
} ptxabi_cubin_section;

/* An entry of the section table, which has it. */
static ptxabi_cubin_section ptxabi_cubin_get(const ptxabi_cubin *c, uint32_t i) {
	const unsigned char *b = c->data + c->table + (uint64_t)i * (c->wide ? 64 : 40);
	size_t word = c->wide ? 8 : 4;
	ptxabi_cubin_section s;
	s.name = ptxabi_cubin_u32(b);
	s.type = ptxabi_cubin_u32(b + 4);
	s.flags = ptxabi_cubin_word(c, b + 8);
	s.offset = ptxabi_cubin_word(c, b + 8 + 2 * word);
	s.size = ptxabi_cubin_word(c, b + 8 + 3 * word);
	s.link = ptxabi_cubin_u32(b + 8 + 4 * word);
	s.info = ptxabi_cubin_u32(b + 12 + 4 * word);
	return s;
}

/* Whether the bytes of a section are in the file. */
static int ptxabi_cubin_has(const ptxabi_cubin *c, uint64_t offset, uint64_t size) {
	return offset <= c->size && size <= c->size - offset;
}

/* The name at a place in a table of strings: its length, or -1. */
static int64_t ptxabi_cubin_name(const ptxabi_cubin *c, uint64_t strings, uint64_t size, uint32_t at, const char **name) {
	const unsigned char *end;
	if (at >= size) {
		return -1;
	}
	*name = (const char *)c->data + strings + at;
	end = (const unsigned char *)memchr(*name, 0, (size_t)(size - at));
	return end == NULL ? -1 : (int64_t)(end - (const unsigned char *)*name);
}

typedef struct ptxabi_cubin_symbol {
	uint32_t name, section;
	unsigned type, other;
} ptxabi_cubin_symbol;

static ptxabi_cubin_symbol ptxabi_cubin_symbol_at(const ptxabi_cubin *c, uint32_t i) {
	const unsigned char *b = c->data + c->symbols + (uint64_t)i * (c->wide ? 24 : 16);
	ptxabi_cubin_symbol s;
	s.name = ptxabi_cubin_u32(b);
	b += c->wide ? 4 : 12;
	s.type = b[0] & 15u;
	s.other = b[1];
	s.section = ptxabi_cubin_u16(b + 2);
	return s;
}

/* Whether a symbol is a kernel with code. */
static int ptxabi_cubin_is_kernel(const ptxabi_cubin *c, const ptxabi_cubin_symbol *s) {
	return s->type == 2 && (s->other & 0x10) != 0 && s->section != 0 && s->section < c->sections &&
	       (ptxabi_cubin_get(c, s->section).flags & 4) != 0;
}

int ptxabi_cubin_open(ptxabi_cubin *c, const void *data, size_t size) {
	const unsigned char *b = (const unsigned char *)data;
	ptxabi_cubin_section s;
	ptxabi_cubin_symbol sym;
	uint64_t count, names, entry;
	uint32_t i, flags;
	size_t head;
	int status = PTXABI_CUBIN_NOT;
	memset(c, 0, sizeof *c);
	c->data = b;
	c->size = size;
	if (b == NULL || size < 20 || memcmp(b, "\177ELF", 4) != 0 || ptxabi_cubin_u16(b + 18) != 190) {
		return status;
	}
	c->wide = b[4] == 2;
	head = c->wide ? 64 : 52;
	if (size < head) {
		return ptxabi_cubin_bad(c, size);
	}
	flags = ptxabi_cubin_u32(b + (c->wide ? 48 : 36));
	if (b[5] == 1 && (b[4] == 1 || b[4] == 2) && b[7] == 0x33 && b[8] == 7) {
		c->sm = flags & 0xff;
	} else if (b[5] == 1 && (b[4] == 1 || b[4] == 2) && b[7] == 0x41 && b[8] == 8) {
		c->sm = flags >> 8 & 0xff;
	} else {
		return PTXABI_CUBIN_UNKNOWN;
	}
	c->table = ptxabi_cubin_word(c, b + (c->wide ? 40 : 32));
	if (c->table == 0) {
		return 0;
	}
	entry = c->wide ? 64 : 40;
	count = ptxabi_cubin_u16(b + head - 4);
	names = ptxabi_cubin_u16(b + head - 2);
	if (ptxabi_cubin_u16(b + head - 6) != entry || !ptxabi_cubin_has(c, c->table, entry)) {
		return ptxabi_cubin_bad(c, c->table);
	}
	s = ptxabi_cubin_get(c, 0); /* which has what does not fit into the header */
	count = count == 0 ? s.size : count;
	names = names == 0xffff ? s.link : names;
	if (count > (size - c->table) / entry || count > 0x7fffffff || names >= count) {
		return ptxabi_cubin_bad(c, c->table);
	}
	c->sections = (uint32_t)count;
	s = ptxabi_cubin_get(c, (uint32_t)names);
	if (!ptxabi_cubin_has(c, s.offset, s.size)) {
		return ptxabi_cubin_bad(c, s.offset);
	}
	c->names = s.offset;
	c->names_size = s.size;
	entry = c->wide ? 24 : 16;
	for (i = 0; i < c->sections; i++) {
		s = ptxabi_cubin_get(c, i);
		if (s.type != 2) {
			continue;
		}
		if (c->symbols != 0 || s.offset == 0 || !ptxabi_cubin_has(c, s.offset, s.size) || s.size % entry != 0 || s.link >= c->sections ||
		    s.size / entry > 0xffffffff) {
			return ptxabi_cubin_bad(c, s.offset);
		}
		c->symbols = s.offset;
		c->symbol_count = (uint32_t)(s.size / entry);
		s = ptxabi_cubin_get(c, s.link);
		if (!ptxabi_cubin_has(c, s.offset, s.size)) {
			return ptxabi_cubin_bad(c, s.offset);
		}
		c->strings = s.offset;
		c->strings_size = s.size;
	}
	for (i = 0; i < c->symbol_count; i++) {
		sym = ptxabi_cubin_symbol_at(c, i);
		c->kernels += (uint32_t)ptxabi_cubin_is_kernel(c, &sym);
	}
	return 0;
}

/* Goes on to the next record of a kernel's section: 1; 0 at the end; below 0 what is wrong. Records of
 * the form 4 have *n bytes at *data. */
static int ptxabi_cubin_record(ptxabi_cubin *c, uint64_t *pos, uint64_t end, const unsigned char **data, uint32_t *n) {
	const unsigned char *b = c->data + *pos;
	if (*pos == end) {
		return 0;
	}
	if (end - *pos < 4 || b[0] < 1 || b[0] > 4) {
		return ptxabi_cubin_bad(c, *pos);
	}
	*data = b + 4;
	*n = b[0] == 4 ? ptxabi_cubin_u16(b + 2) : 0;
	if (*n > end - *pos - 4) {
		return ptxabi_cubin_bad(c, *pos);
	}
	*pos += 4 + *n;
	return 1;
}

/* The attributes of the records that count. */
enum { PTXABI_CUBIN_CBANK = 0x0a, PTXABI_CUBIN_KPARAM = 0x17, PTXABI_CUBIN_KPARAM_V2 = 0x45 };

/* Reads the number of the bank of a section, .nv.constant0.k: -1 of others. */
static int32_t ptxabi_cubin_bank(const ptxabi_cubin *c, uint32_t symbol) {
	static const char prefix[] = ".nv.constant";
	const char *name = NULL;
	int64_t n, i = (int64_t)sizeof prefix - 1;
	int32_t bank = 0;
	n = ptxabi_cubin_name(c, c->strings, c->strings_size, ptxabi_cubin_symbol_at(c, symbol).name, &name);
	if (n <= i || memcmp(name, prefix, (size_t)i) != 0 || name[i] < '0' || name[i] > '9') {
		return -1;
	}
	for (; i < n && name[i] >= '0' && name[i] <= '9' && bank < 100; i++) {
		bank = 10 * bank + (name[i] - '0');
	}
	return i == n || name[i] == '.' ? bank : -1;
}

/* Reads what the records of a kernel's section say of its block, and counts its parameters. */
static int ptxabi_cubin_block(ptxabi_cubin *c, ptxabi_cubin_kernel *k, const ptxabi_cubin_section *s) {
	const unsigned char *b = NULL;
	uint64_t pos = s->offset, at = pos;
	uint32_t n = 0;
	int status;
	k->params = 0;
	k->bank = k->base = -1;
	k->size = 0;
	while ((status = ptxabi_cubin_record(c, &pos, s->offset + s->size, &b, &n)) > 0) {
		switch (b[-3]) {
		case PTXABI_CUBIN_CBANK:
			if (b[-4] != 4 || n != 8 || ptxabi_cubin_u32(b) >= c->symbol_count) {
				return ptxabi_cubin_bad(c, at);
			}
			k->bank = ptxabi_cubin_bank(c, ptxabi_cubin_u32(b));
			k->base = (int32_t)ptxabi_cubin_u16(b + 4);
			k->size = (int32_t)ptxabi_cubin_u16(b + 6);
			if (k->bank < 0) {
				return ptxabi_cubin_bad(c, at);
			}
			break;
		case PTXABI_CUBIN_KPARAM:
		case PTXABI_CUBIN_KPARAM_V2:
			if (b[-4] != 4 || n != 12 || k->params > 0xffff) {
				return ptxabi_cubin_bad(c, at);
			}
			k->params++;
			break;
		default:
			break;
		}
		at = pos;
	}
	return status;
}

int ptxabi_cubin_next(ptxabi_cubin *c, ptxabi_cubin_kernel *k) {
	static const char prefix[] = ".nv.info.";
	const int64_t cut = (int64_t)sizeof prefix - 1;
	while (k->section + 1 < c->sections) {
		ptxabi_cubin_section s = ptxabi_cubin_get(c, ++k->section);
		ptxabi_cubin_symbol sym;
		const char *name = NULL, *symbol = NULL;
		uint32_t i;
		int64_t n;
		int status;
		if (s.type != 0x70000000 || s.info == 0 || s.info >= c->sections) {
			continue;
		}
		n = ptxabi_cubin_name(c, c->names, c->names_size, s.name, &name);
		i = ptxabi_cubin_get(c, s.info).info & 0xffffff; /* the symbol of the code that the records are for */
		if (n <= cut || memcmp(name, prefix, (size_t)cut) != 0 || i >= c->symbol_count) {
			continue;
		}
		sym = ptxabi_cubin_symbol_at(c, i);
		if (!ptxabi_cubin_is_kernel(c, &sym) || sym.section != s.info ||
		    ptxabi_cubin_name(c, c->strings, c->strings_size, sym.name, &symbol) != n - cut || memcmp(symbol, name + cut, (size_t)(n - cut)) != 0) {
			continue;
		}
		if (!ptxabi_cubin_has(c, s.offset, s.size)) {
			return ptxabi_cubin_bad(c, s.offset);
		}
		k->name = symbol;
		k->name_size = (size_t)(n - cut);
		k->found++;
		status = ptxabi_cubin_block(c, k, &s);
		return status < 0 ? status : 1;
	}
	return k->found == c->kernels ? 0 : ptxabi_cubin_bad(c, c->symbols); /* kernels without records */
}

int ptxabi_cubin_find(ptxabi_cubin *c, const char *name, ptxabi_cubin_kernel *k) {
	const size_t n = strlen(name);
	int status;
	memset(k, 0, sizeof *k);
	while ((status = ptxabi_cubin_next(c, k)) > 0) {
		if (k->name_size == n && memcmp(k->name, name, n) == 0) {
			break;
		}
	}
	return status;
}

int ptxabi_cubin_params(ptxabi_cubin *c, const ptxabi_cubin_kernel *k, ptxabi_cubin_param *params, int room) {
	ptxabi_cubin_section s;
	const unsigned char *b = NULL;
	uint64_t pos, at;
	uint32_t n = 0, ordinal, log;
	int i, status;
	if (k->params > room) {
		return PTXABI_CUBIN_ROOM;
	}
	if (k->section == 0 || k->section >= c->sections) {
		return PTXABI_CUBIN_DAMAGED;
	}
	s = ptxabi_cubin_get(c, k->section);
	if (!ptxabi_cubin_has(c, s.offset, s.size)) {
		return ptxabi_cubin_bad(c, s.offset);
	}
	for (i = 0; i < k->params; i++) {
		params[i].pointee_align = 0;
	}
	pos = at = s.offset;
	while ((status = ptxabi_cubin_record(c, &pos, s.offset + s.size, &b, &n)) > 0) {
		ptxabi_cubin_param *p;
		int v2 = b[-3] == PTXABI_CUBIN_KPARAM_V2;
		if (v2 || b[-3] == PTXABI_CUBIN_KPARAM) {
			ordinal = n == 12 ? ptxabi_cubin_u16(b + 4) : 0xffff;
			log = v2 ? b[10] : b[8];
			if (n != 12 || ordinal >= (uint32_t)k->params || params[ordinal].pointee_align != 0 || log > 30) {
				return ptxabi_cubin_bad(c, at);
			}
			p = &params[ordinal];
			p->offset = (int32_t)ptxabi_cubin_u16(b + 6);
			p->size = (int32_t)(v2 ? ptxabi_cubin_u16(b + 8) : ptxabi_cubin_u32(b + 8) >> 18);
			p->space = (uint8_t)(v2 ? b[11] : b[9] & 0xf);
			p->pointee_align = (uint32_t)1 << log;
			if (p->offset == 0xffff && p->size == 0) {
				p->offset = -1;
			}
		}
		at = pos;
	}
	return status;
}

const char *ptxabi_cubin_message(int status) {
	switch (status) {
	case PTXABI_CUBIN_NOT:
		return "not a cubin";
	case PTXABI_CUBIN_UNKNOWN:
		return "a cubin of an unknown layout";
	case PTXABI_CUBIN_DAMAGED:
		return "the cubin is damaged";
	case PTXABI_CUBIN_ROOM:
		return "there is no room for so many parameters";
	default:
		return "no error";
	}
}
#endif
