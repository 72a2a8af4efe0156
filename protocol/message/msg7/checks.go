package msg7

// checkInfoRecord performs the checks of clients before they accept a server info. The numbers must
// be in order, and the standard modes may have at most 16 players.
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

// fitKillMsg replaces a killer who has left. Clients before VersionRace have no number for such a
// killer. Source: character.cpp of 0.7.5.
func fitKillMsg(m *SvKillMsg) {
	if m.Killer < 0 {
		m.Killer, m.Weapon = 0, WeaponWorld
	}
}

// maxStandardPlayers is the largest number of players that clients accept in the original's modes.
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
