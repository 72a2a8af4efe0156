package event

import (
	"encoding/json"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
)

// MarshalJSON leaves out the team of an event without a player.
func (p Player) MarshalJSON() ([]byte, error) {
	type player Player
	if p.ID != game.Nobody {
		return json.Marshal(player(p))
	}
	return json.Marshal(struct {
		ID   game.PlayerID `json:"id"`
		Name string        `json:"name"`
	}{p.ID, p.Name})
}

// MarshalJSON adds killer_team if the killer has left.
func (k Kill) MarshalJSON() ([]byte, error) {
	type kill Kill
	v := struct {
		kill
		KillerTeam *game.Team `json:"killer_team,omitempty"`
	}{kill: kill(k)}
	if k.KillerLeft {
		v.KillerTeam = &k.Killer.Team
	}
	return json.Marshal(v)
}

// MarshalJSON leaves out the fields that the kind does not use.
func (n Notice) MarshalJSON() ([]byte, error) {
	v := struct {
		Kind   game.GameMsg `json:"kind"`
		Player *Player      `json:"player,omitempty"`
		Team   *game.Team   `json:"team,omitempty"`
		Ticks  int32        `json:"ticks,omitempty"`
		Text   string       `json:"text"`
	}{Kind: n.Kind, Ticks: n.Ticks, Text: n.Text}
	if n.Player.ID != game.Nobody {
		v.Player = &n.Player
	}
	switch n.Kind {
	case game.GameMsgTeamAll, game.GameMsgTeamBalanceVictim, game.GameMsgCTFGrab, game.GameMsgCTFCapture:
		v.Team = &n.Team
	}
	return json.Marshal(v)
}

// MarshalJSON writes the parameters by name, with their values as operators set them.
func (t Tuning) MarshalJSON() ([]byte, error) {
	params := map[string]float32{}
	for i := range min(t.NumDDRace, ddrace.NumTuneParams) {
		params[ddrace.TuneParamName(i)] = t.DDRace.At(i)
	}
	for i := range t.Params {
		if t.NumDDRace == 0 {
			params[physics.TuneParamName(i)] = t.Params.At(i)
		}
	}
	return json.Marshal(map[string]any{"params": params})
}

// MarshalJSON writes the time in seconds.
func (v VoteStart) MarshalJSON() ([]byte, error) {
	type vote VoteStart
	return json.Marshal(struct {
		vote
		Seconds float64 `json:"seconds"`
	}{vote(v), v.Time.Seconds()})
}
