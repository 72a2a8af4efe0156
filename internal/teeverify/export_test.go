package teeverify

// Tried returns the number of inputs that could explain the difference.
func (r *Result) Tried() int { return len(r.inputs) }
