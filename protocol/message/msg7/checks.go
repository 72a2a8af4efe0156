package msg7

// checkInfoRecord checks what clients check before they accept a server info: the
// numbers must be in order, and the standard modes have at most 16 players.
func checkInfoRecord(m *InfoRecord) error {
	switch {
	case m.Clients > m.MaxClients:
		return version.NewRangeError("InfoRecord", "Clients", m.Clients)
	case m.Players > m.Clients:
		return version.NewRangeError("InfoRecord", "Players", m.Players)
	case m.PlayerSlots < m.Players || m.PlayerSlots > m.MaxClients,
		m.PlayerSlots > maxStandardPlayers && standardMode(m.GameType):
		return version.NewRangeError("InfoRecord", "PlayerSlots", m.PlayerSlots)
	}
	return nil
}

// fitKillMsg replaces a killer who has left, whom clients before VersionRace have no number for.
// Source: character.cpp of 0.7.5.
func fitKillMsg(m *SvKillMsg) {
	if m.Killer < 0 {
		m.Killer, m.Weapon = 0, WeaponWorld
	}
}

// maxStandardPlayers is the number of players that clients accept in the modes of the
// original.
const maxStandardPlayers = 16

func standardMode(gameType []byte) bool {
	switch string(gameType) {
	case "DM", "TDM", "CTF", "LMS", "LTS":
		return true
	}
	return false
}

// checkSnap checks that the index of the part is less than the number of parts.
func checkSnap(m *Snap) error {
	if m.Part >= m.Parts {
		return version.NewRangeError("SNAP", "Part", m.Part)
	}
	return nil
}
