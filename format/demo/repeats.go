package demo

// Repeats finds messages that a demo contains more than once in a tick. A server's demo contains a
// message once for each client that it was sent to. The zero value is ready for use.
type Repeats struct {
	tick int32
	seen map[string]bool
}

// Has reports whether the same message occurred before in its tick.
func (r *Repeats) Has(h *Header, c *Chunk) bool {
	const maxSize, maxMessages = 1400, 1024
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	if c.Tick != r.tick {
		r.tick = c.Tick
		clear(r.seen)
	}
	if h.Type != "server" || len(c.Message) > maxSize || len(r.seen) >= maxMessages {
		return false
	}
	if r.seen[string(c.Message)] {
		return true
	}
	r.seen[string(c.Message)] = true
	return false
}
