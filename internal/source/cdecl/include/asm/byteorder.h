#pragma once
#define __LITTLE_ENDIAN 1234
#define __LITTLE_ENDIAN_BITFIELD
