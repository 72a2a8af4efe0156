package bridge6

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// ticksPerToken returns the number of ticks after which a rate allows one more action.
func ticksPerToken(r limit.Rate) int { return int(game.TickRate / r.PerSecond) }

// TestReplyRate checks that replies to refused requests are limited.
func TestReplyRate(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	s, l := newServerSide(t, NewProtocol(), w, 0, 16040)
	w.Step([]game.Command{{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamSpectators}, {Kind: game.CmdLockTeams}})
	replies := func(times int) int {
		for range times {
			receive(t, s, &msg6.ClSetTeam{Team: msg6.TeamRed})
		}
		l.Take()
		return len(l.takeSent())
	}
	burst := int(replyRate.Burst)
	if n := replies(10 * burst); n != burst {
		t.Errorf("%d replies to refused teams", n)
	}
	for range ticksPerToken(replyRate) {
		w.Step(nil)
	}
	if n := replies(2); n != 1 {
		t.Errorf("%d replies later", n)
	}
}

// TestSkinChangeRate checks that a client cannot send other players a new skin with every snapshot,
// even with skins that are equal in the game.
func TestSkinChangeRate(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	p := NewProtocol()
	s, l := newServerSide(t, p, w, 0, 16040)
	skins := map[string]bool{}
	change := func(n int) {
		receive(t, s, &msg6.ClChangeInfo{Profile: msg6.PlayerProfile{Name: []byte("alice"), Skin: []byte(fmt.Sprint("mine ", n))}})
		skins[p.snapshot.skins.infos[0].requested.name] = true
		l.Take()
	}
	for n := range 100 {
		change(n)
	}
	if len(skins) != int(skinChangeRate.Burst) {
		t.Errorf("%d skins at once", len(skins))
	}
	for range ticksPerToken(skinChangeRate) {
		w.Step(nil)
	}
	change(1000)
	change(1001)
	if !skins["mine 1000"] || skins["mine 1001"] {
		t.Errorf("later: %v", skins)
	}
	// A second profile is ignored.
	before := s.skin
	receive(t, s, &msg6.ClStartInfo{Profile: msg6.PlayerProfile{Name: []byte("other"), Skin: []byte("pinky")}})
	if s.skin != before {
		t.Errorf("skin %+v", s.skin)
	}
}
