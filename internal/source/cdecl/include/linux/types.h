/* __u8 and the like are known anyhow. */
#pragma once
#define __bitwise
#define __bitwise__
#define __user
#define __aligned_u64 __u64 __attribute__((aligned(8)))
#define __aligned_be64 __be64 __attribute__((aligned(8)))
#define __aligned_le64 __le64 __attribute__((aligned(8)))
#define __struct_group(tag, name, attrs, members...) \
	union { struct { members } attrs; struct tag { members } attrs name; }
#define __DECLARE_FLEX_ARRAY(type, name) struct { struct { } __empty_ ## name; type name[]; }
