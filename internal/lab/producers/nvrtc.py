# Compiles a file of CUDA C++ by NVRTC: LIBRARY OPTION... IN OUT. With LIBRARY alone it prints the version.
import ctypes, glob, os, re, sys
lib = sys.argv[1]
for name in glob.glob(os.path.join(os.path.dirname(lib), "libnvrtc-builtins.so.*")):  # found by its name once it is loaded
    if not name.endswith(".alt.so"):
        ctypes.CDLL(name)
n = ctypes.CDLL(lib)
def fail(r, p=None):
    if r:
        z = ctypes.c_size_t()
        text = b"nvrtc error %d" % r
        if p and not n.nvrtcGetProgramLogSize(p, ctypes.byref(z)):
            log = ctypes.create_string_buffer(z.value)
            n.nvrtcGetProgramLog(p, log)
            text = log.value or text
        sys.exit(text.decode(errors="replace"))
if len(sys.argv) == 2:
    a, b = ctypes.c_int(), ctypes.c_int()
    fail(n.nvrtcVersion(ctypes.byref(a), ctypes.byref(b)))
    # The release has no third number in the interface; the PTX that the compiler writes has it.
    p = ctypes.c_void_p()
    fail(n.nvrtcCreateProgram(ctypes.byref(p), b"", b"k.cu", 0, None, None))
    fail(n.nvrtcCompileProgram(p, 0, None), p)
    z = ctypes.c_size_t()
    fail(n.nvrtcGetPTXSize(p, ctypes.byref(z)))
    text = ctypes.create_string_buffer(z.value)
    fail(n.nvrtcGetPTX(p, text))
    found = re.search(rb"V(\d+\.\d+\.\d+)", text.value)
    print(found[1].decode() if found else "%d.%d" % (a.value, b.value))
    sys.exit()
options = [o.encode() for o in sys.argv[2:-2]]
src = open(sys.argv[-2], "rb").read()
p = ctypes.c_void_p()
fail(n.nvrtcCreateProgram(ctypes.byref(p), src, b"k.cu", 0, None, None))
fail(n.nvrtcCompileProgram(p, len(options), (ctypes.c_char_p * len(options))(*options)), p)
z = ctypes.c_size_t()
fail(n.nvrtcGetPTXSize(p, ctypes.byref(z)))
text = ctypes.create_string_buffer(z.value)
fail(n.nvrtcGetPTX(p, text))
open(sys.argv[-1], "wb").write(text.value)
