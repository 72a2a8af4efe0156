package app

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapStart removes the pages of the program's file from the resident memory. Linux maps 16 pages
// for each page that is read, so after the start nearly the whole file is mapped, and a running
// server needs a tenth of it. The pages stay in the page cache, and are mapped again when they are
// read.
func unmapStart() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	var begin, end uintptr
	for line := range strings.Lines(string(smaps)) {
		f := strings.Fields(line)
		switch from, to, isRange := strings.Cut(f[0], "-"); {
		case isRange:
			begin, end = 0, 0
			if readOnly := len(f) == 6 && (f[1] == "r-xp" || f[1] == "r--p"); readOnly && f[5] == self {
				begin, end = parseAddress(from), parseAddress(to)
			}
		case f[0] == "Anonymous:" && f[1] == "0" && begin < end:
			// Pages that a debugger or a relocation changed would be lost, so such a mapping stays.
			unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_DONTNEED)
		}
	}
}

// parseAddress returns an address of /proc/self/smaps, or 0.
func parseAddress(hex string) uintptr {
	n, err := strconv.ParseUint(hex, 16, strconv.IntSize)
	if err != nil {
		return 0
	}
	return uintptr(n)
}
