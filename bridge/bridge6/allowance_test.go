package bridge6

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// TestReplyFlood: what the host looks up and answers by itself is limited, and a
// whisper beyond the limit is not said to all.
func TestReplyFlood(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	h, l := newHost(t, NewProtocol(), w, 0, 16040)
	say := func(text string) {
		t.Helper()
		if err := h.Receive((&msg6.ClSay{Message: []byte(text)}).Append(nil), true); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"/w bob hello", "/w nobody hello", "/w", "/c no", "/w " + strings.Repeat(" ", 900)} {
		h.replies, h.partner = 0, game.Nobody
		for range 10 * replyRate.burst {
			say(text)
		}
		n := len(l.takeAsked()) + len(l.take())
		if n != int(replyRate.burst) {
			t.Errorf("%.20q has an effect %d times", text, n)
		}
		for range replyRate.ticks {
			w.Step(nil)
		}
		say(text)
		say(text)
		if n := len(l.takeAsked()) + len(l.take()); n != 1 {
			t.Errorf("%.20q has an effect %d times later", text, n)
		}
	}
	w.Step([]game.Command{{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamSpectators}, {Kind: game.CmdLockTeams}})
	h.replies = 0
	for range 10 * replyRate.burst {
		if err := h.Receive((&msg6.ClSetTeam{Team: msg6.TeamRed}).Append(nil), true); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.take()); n != int(replyRate.burst) {
		t.Errorf("refused %d times", n)
	}
}

// TestChangeFlood: others do not get a new look of somebody with each snapshot, though
// to the game they are all the same.
func TestChangeFlood(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob")
	v := NewProtocol()
	h, l := newHost(t, v, w, 0, 16040)
	looks := map[string]bool{}
	change := func(n int) {
		m := msg6.ClChangeInfo{Look: msg6.PlayerLook{Name: []byte("alice"), Skin: []byte(fmt.Sprint("mine ", n))}}
		if err := h.Receive(m.Append(nil), true); err != nil {
			t.Fatal(err)
		}
		looks[v.scene.infos[0].wish.name] = true
		l.takeAsked()
	}
	for n := range 100 {
		change(n)
	}
	if len(looks) != int(changeRate.burst) {
		t.Errorf("%d looks at once", len(looks))
	}
	for range changeRate.ticks {
		w.Step(nil)
	}
	change(1000)
	change(1001)
	if !looks["mine 1000"] || looks["mine 1001"] {
		t.Errorf("later: %v", looks)
	}
	// Who is told twice who he is keeps the look that he had.
	before := h.dressed
	if err := h.Receive((&msg6.ClStartInfo{Look: msg6.PlayerLook{Name: []byte("other"), Skin: []byte("pinky")}}).Append(nil), true); err != nil {
		t.Fatal(err)
	}
	if h.dressed != before || h.profile.Name == "other" {
		t.Errorf("dressed %+v, called %q", h.dressed, h.profile.Name)
	}
}
