package msg6

// checkSnap checks that the index of the part is less than the number of parts.
func checkSnap(m *Snap) error {
	if m.Part >= m.Parts {
		return version.NewRangeError("SNAP", "Part", m.Part)
	}
	return nil
}
