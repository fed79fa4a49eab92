#pragma once
#define NAME_MAX 255
#define PATH_MAX 4096
#define PIPE_BUF 4096
