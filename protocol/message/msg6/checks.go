package msg6

// checkSnap checks that the part is one of the announced ones.
func checkSnap(m *Snap) error {
	if m.Part >= m.Parts {
		return version.NewRangeError("SNAP", "Part", m.Part)
	}
	return nil
}
