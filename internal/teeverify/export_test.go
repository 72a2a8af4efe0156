package teeverify

// Tried returns how many inputs were tried to explain the difference.
func (r *Result) Tried() int { return len(r.inputs) }
