package server

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// Players of both versions vote on the same: each hears of it in its own words.
func TestVoteInBothVersions(t *testing.T) {
	p := newPoll(t, 2)
	e := p.elder(7, "old", conn.HandshakeHeaderToken, false)
	var told, options []string
	status := ""
	e.onMessage = func(m msg6.Message) {
		switch m := m.(type) {
		case *msg6.SvVoteSet:
			told = append(told, fmt.Sprintf("%s (%s) %d s", m.Description, m.Reason, m.Timeout))
		case *msg6.SvVoteStatus:
			status = fmt.Sprintf("%d yes %d no of %d", m.Yes, m.No, m.Total)
		case *msg6.SvVoteOptionListAdd:
			for _, d := range m.Descriptions[:m.Count] {
				options = append(options, string(d))
			}
		case *msg6.SvVoteOptionAdd:
			options = append(options, string(m.Description))
		case *msg6.SvVoteOptionRemove:
			options = slices.DeleteFunc(options, func(o string) bool { return o == string(m.Description) })
		}
	}
	p.until(20*time.Second, "the older client plays", func() bool { return e.playing && e.snaps > 2 })
	p.console("add_vote second say second")
	p.console("remove_vote fun")
	if !slices.Equal(options, []string{"second"}) {
		t.Errorf("the older client sees %q", options)
	}
	e.say(&msg6.ClCallVote{Type: []byte("option"), Value: []byte("second"), Reason: []byte("old")})
	p.run(200 * time.Millisecond)
	p.last("1 by 2: second (old), 24 s")
	if want := []string{"second (old) 24 s"}; !slices.Equal(told, want) || status != "1 yes 0 no of 3" {
		t.Errorf("the older client is told %q, %s", told, status)
	}
	p.voters[0].vote(1)
	p.last("5 by 2:  (), 0 s")
	if len(told) != 2 || told[1] != " () 0 s" || !slices.Contains(e.heard, "Vote passed") || !slices.Contains(e.heard, "second") {
		t.Errorf("the older client is told %q and reads %q", told, e.heard)
	}
	p.voters[1].call("kick", "2", "slow", false)
	e.say(&msg6.ClVote{Vote: -1})
	p.run(200 * time.Millisecond)
	p.stands("1 yes 1 no 1 open of 3")
	p.voters[0].vote(1)
	p.last("5 by 1:  (), 0 s")
	if p.srv.sessionByPeer[e.peer] != nil {
		t.Error("the older client is still there")
	}
}
