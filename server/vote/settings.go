package vote

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// Settings holds the variables of votes. Switches are 0 or 1. The comments name the variables.
type Settings struct {
	SpectateRejoinDelay int // sv_vote_spectate_rejoindelay
	KickBanTime         int // sv_vote_kick_bantime
	Time                int // sv_vote_time, DDNet's as the following
	Delay               int // sv_vote_delay
	KickDelay           int // sv_vote_kick_delay
	MapDelay            int // sv_vote_map_delay
	YesPercentage       int // sv_vote_yes_percentage
	Majority            int // sv_vote_majority
	MaxTotal            int // sv_vote_max_total
	VetoTime            int // sv_vote_veto_time
	JoinDelay           int // sv_join_vote_delay
	OperatorsOnly       int // sv_rcon_vote
	MapVote             int // sv_map_vote
	Pause               int // sv_vote_pause
	PauseTime           int // sv_vote_pause_time
}

// register adds the variables to a console and sets them to their defaults.
func (s *Settings) register(c *console.Console) error {
	const sv = console.Server | console.Save
	for _, v := range []console.IntVar{
		{Name: "sv_vote_spectate_rejoindelay", Help: "Minutes until a player moved by vote may rejoin", Value: &s.SpectateRejoinDelay, Default: 3, Max: 1000},
		{Name: "sv_vote_kick_bantime", Help: "Minutes of ban after a vote to kick (0 = kick)", Value: &s.KickBanTime, Default: 5, Max: 1440},
		{Name: "sv_vote_time", Help: "Seconds that a vote lasts", Value: &s.Time, Default: 25, Min: 1, Max: 9999},
		{Name: "sv_vote_delay", Help: "Seconds between two votes that a player calls", Value: &s.Delay, Default: 60, Max: 9999},
		{Name: "sv_vote_kick_delay", Help: "Seconds between two votes to kick that a player calls", Value: &s.KickDelay, Max: 9999},
		{Name: "sv_vote_map_delay", Help: "Seconds between two votes about the map", Value: &s.MapDelay, Max: 9999},
		{Name: "sv_vote_yes_percentage", Help: "A vote passes if more than this percentage of the players agree (100 = no vote passes)",
			Value: &s.YesPercentage, Default: 50, Min: 1, Max: 100},
		{Name: "sv_vote_majority", Help: "Players who do not vote count as no (1) or do not count (0)", Value: &s.Majority, Default: 1, Max: 1},
		{Name: "sv_vote_max_total", Help: "Largest number of players to count in votes to kick or move a player (0 = all)",
			Value: &s.MaxTotal, Max: game.MaxPlayers},
		{Name: "sv_vote_veto_time", Help: "Minutes in a DDRace race after which a player's no stops the votes of others (0 = never)",
			Value: &s.VetoTime, Default: 20, Max: 1000},
		{Name: "sv_join_vote_delay", Help: "Seconds until a player who joins others may call votes, or vote about players", Value: &s.JoinDelay, Max: 1000},
		{Name: "sv_rcon_vote", Help: "Only operators may call votes", Value: &s.OperatorsOnly, Max: 1},
		{Name: "sv_map_vote", Help: "Players may call a vote for a map with /map", Value: &s.MapVote, Default: 1, Max: 1},
		{Name: "sv_vote_pause", Help: "Votes to move DDRace players to the spectators pause them instead (needs sv_pauseable)",
			Value: &s.Pause, Default: 1, Max: 1},
		{Name: "sv_vote_pause_time", Help: "Seconds that a pause by vote lasts", Value: &s.PauseTime, Default: 10, Max: 360},
	} {
		v.Flags = sv
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	return nil
}
