package huffman

const (
	symbols = 257 // 256 byte values and the end symbol
	endSym  = 256
	maxBits = 15 // longest code

	// The root table is indexed by the next rootBits bits of the input. The long table is indexed
	// by the remaining bits of longer codes.
	rootBits = 11
	longBits = maxBits - rootBits
	rootMask = 1<<rootBits - 1
	longMask = 1<<longBits - 1

	// maxRun is the largest number of whole symbols in a root entry.
	maxRun = 7
)

// code is a symbol's code: its bits in the low 16 bits, the first one lowest, and its length above.
type code uint32

func (c code) bits() uint64 { return uint64(c & 0xffff) }
func (c code) len() uint    { return uint(c >> 16) }

// tables contains everything derived from the frequencies.
type tables struct {
	// encode is indexed by byte value; index 256 is the end symbol.
	encode [symbols]code

	// root entries contain up to seven whole symbols in the low 7 bytes, the first one lowest. Bits
	// 56..59 are the number of input bits that they use, and bits 60..63 the number of symbols. An
	// entry without symbols is the beginning of a long code; its low bits are the index of the
	// code's block in long.
	root [1 << rootBits]uint64

	// long entries contain the symbol in the low 12 bits and the code's length above.
	long []uint16
}

var fixed = build()

// build builds the tree. The order of equal weights matters. The list of open nodes is sorted by
// descending weight. A new node is inserted after all nodes of equal weight. The last two nodes are
// joined, the last one as the branch for bit 0.
func build() *tables {
	const nodes = 2*symbols - 1
	var weight [nodes]uint32
	var child [nodes][2]int

	var open [symbols]int
	place := func(at, node int) {
		for at > 0 && weight[open[at-1]] < weight[node] {
			open[at] = open[at-1]
			at--
		}
		open[at] = node
	}
	for s := range symbols {
		weight[s] = frequencies[s]
		place(s, s)
	}
	next := symbols
	for n := symbols; n > 1; n-- {
		child[next] = [2]int{open[n-1], open[n-2]}
		weight[next] = weight[open[n-1]] + weight[open[n-2]]
		place(n-2, next)
		next++
	}

	t := new(tables)
	var walk func(node int, bits, n uint)
	walk = func(node int, bits, n uint) {
		if node < symbols {
			t.encode[node] = code(n<<16 | bits)
			return
		}
		walk(child[node][0], bits, n+1)
		walk(child[node][1], bits|1<<n, n+1)
	}
	walk(nodes-1, 0, 0)

	for i := range t.root {
		t.root[i] = t.rootEntry(child[:], nodes-1, uint(i))
	}
	return t
}

// rootEntry follows rootBits bits of input through the tree and collects the whole symbols.
func (t *tables) rootEntry(child [][2]int, root int, input uint) uint64 {
	var entry, number uint64
	var used, at uint
	node := root
	for at < rootBits && number < maxRun {
		node = child[node][input>>at&1]
		at++
		if node < symbols {
			entry |= uint64(node) << (8 * number)
			number++
			used = at
			node = root
		}
	}
	if number > 0 {
		return number<<60 | uint64(used)<<56 | entry
	}
	// A code longer than rootBits needs a block with all its possible endings.
	block := uint64(len(t.long))
	for ending := range uint(1 << longBits) {
		n, length := node, uint(rootBits)
		for n >= symbols {
			n = child[n][ending>>(length-rootBits)&1]
			length++
		}
		t.long = append(t.long, uint16(length)<<12|uint16(n))
	}
	return block
}

// Symbols is the number of symbols of the code: the byte values, and after them the end symbol.
const Symbols = symbols

// Code returns the code of a symbol, 0..256: its bits, of which the lowest comes first on the wire,
// and their number, 1..15. Programs in other languages build their tables from it.
func Code(symbol int) (bits uint32, n int) {
	c := fixed.encode[symbol]
	return uint32(c.bits()), int(c.len())
}
