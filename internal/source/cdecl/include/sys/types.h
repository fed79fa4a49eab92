#pragma once
#include <features.h>
#include <endian.h>
#define FD_SETSIZE 1024
