package logline

import (
	"net/netip"
	"strings"
)

// hidden stands for an address in lines that HideAddresses returns, as in DDNet-Server.
const hidden = "XXX"

// HideAddresses returns a line with XXX in place of all IP addresses and their ports. Text that
// only looks like an address, such as in a player's name, is replaced too.
func HideAddresses(line string) string {
	if strings.IndexByte(line, '.') < 0 && !strings.Contains(line, ":") {
		return line
	}
	var out strings.Builder
	done := 0 // what of line is in out
	for i := 0; i < len(line); {
		end := i
		for end < len(line) && ofAddress(line[end]) {
			end++
		}
		if end == i {
			i++
			continue
		}
		if start, stop, found := findAddress(line, i, end); found {
			out.WriteString(line[done:start])
			out.WriteString(hidden)
			done, end = stop, max(end, stop)
		}
		i = end
	}
	if done == 0 {
		return line
	}
	out.WriteString(line[done:])
	return out.String()
}

// ofAddress reports whether a byte may be part of an address without brackets.
func ofAddress(b byte) bool {
	return b == '.' || b == ':' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f'
}

// findAddress finds the address in line[start:end], which has bytes of addresses alone. Its
// port and brackets belong to it.
func findAddress(line string, start, end int) (from, to int, found bool) {
	if start > 0 && line[start-1] == '[' && end < len(line) && line[end] == ']' && strings.Contains(line[start:end], ":") {
		if _, err := netip.ParseAddr(line[start:end]); err == nil {
			end++
			if end < len(line) && line[end] == ':' {
				for end++; end < len(line) && line[end] >= '0' && line[end] <= '9'; {
					end++
				}
			}
			return start - 1, end, true
		}
	}
	// A dot or colon before or after belongs to the sentence, and a letter to a word.
	for from = start; from < end; from++ {
		if from > 0 && isWord(line[from-1]) {
			continue
		}
		for to = end; to > from+2; to-- {
			if (to == len(line) || !isWord(line[to])) && isAddress(line[from:to]) {
				return from, to, true
			}
			if c := line[to-1]; c != '.' && c != ':' {
				break
			}
		}
	}
	return 0, 0, false
}

// isWord reports whether a byte is a letter or digit.
func isWord(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' }

// isAddress reports whether text is an address, with or without a port.
func isAddress(text string) bool {
	if a, err := netip.ParseAddr(text); err == nil {
		return !a.IsUnspecified()
	}
	_, err := netip.ParseAddrPort(text)
	return err == nil
}
