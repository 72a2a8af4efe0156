package query

import (
	"pgregory.net/rapid"
)

// drawText draws a text that safeText does not change.
func drawText(t *rapid.T, what string, limit int) string {
	s := rapid.StringOfN(rapid.RuneFrom([]rune("aZ09 _-[]/.äß€😀")), 0, -1, limit).Draw(t, what)
	for len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	return s
}

// drawInfo draws an Info as a server has it.
func drawInfo(t *rapid.T) Info {
	i := Info{
		Version: rapid.SampledFrom([]string{"0.7.5", "0.6.5", "teeyard", ""}).Draw(t, "version"),
		Name:    drawText(t, "name", maxName), Hostname: drawText(t, "hostname", maxHostname), Map: drawText(t, "map", maxMap),
		MapCRC: rapid.Uint32().Draw(t, "crc"), MapSize: uint32(rapid.Int32Min(0).Draw(t, "size")),
		GameType: rapid.SampledFrom([]string{"DM", "CTF", "idm", "DDraceNetwork", "Race", "fastcap"}).Draw(t, "gametype"),
		Password: rapid.Bool().Draw(t, "password"), SkillLevel: rapid.IntRange(0, 2).Draw(t, "skill"),
	}
	i.TimeScore = isTimeMode(i.GameType)
	for range rapid.SampledFrom([]int{0, 1, 3, 15, 16, 17, 24, 25, 64, 128}).Draw(t, "clients") {
		c := Client{
			Name: "n" + drawText(t, "nick", maxClientName-1), Clan: drawText(t, "clan", maxClan),
			Country: rapid.Int32().Draw(t, "country"), Score: rapid.Int32Range(-9998, 1<<30).Draw(t, "score"),
			Spectator: rapid.Bool().Draw(t, "spectator"), Bot: rapid.Bool().Draw(t, "bot"),
		}
		if i.TimeScore {
			c.Score = max(c.Score, NoTime)
			if c.Score == -noTime6 {
				c.Score++ // 0.6 uses this value for no time
			}
		}
		i.Clients = append(i.Clients, c)
		if !c.Spectator {
			i.NumPlayers++
		}
	}
	i.NumClients = len(i.Clients)
	i.MaxClients = rapid.IntRange(i.NumClients, 200).Draw(t, "places")
	i.MaxPlayers = rapid.IntRange(i.NumPlayers, i.MaxClients).Draw(t, "places to play")
	return i
}
