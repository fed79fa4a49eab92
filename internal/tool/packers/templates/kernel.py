
    def pack(self):
        """Return the bytes of the parameters, padding being zeros."""
        return bytes(self)

    def kernel_params(self):
        """Return an array of the addresses of the parameters, as cuLaunchKernel takes them.

        It is the same one each time, and valid as long as the arguments are kept.
        """
        start = ctypes.addressof(self)
        if getattr(self, "_start", None) != start:  # not so far, or of what this is a copy of
            addresses = [start + offset for offset in self.OFFSETS]
            self._start, self._addresses = start, (ctypes.c_void_p * len(addresses))(*addresses)
        return self._addresses