package server_test

import (
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server"
)

// TestDDNetChat checks the commands that players of DDNet know.
func TestDDNetChat(t *testing.T) {
	eachVersion(t, func(t *testing.T, kind client.SessionConfig) {
		ct := newChatTest(t, kind, `add_vote "go west" change_map "West Gold"`, "add_vote west change_map Western", `add_vote "say it" say Wast`)
		says := func(line string, want ...string) {
			t.Helper()
			own, others := ct.write(line, false)
			testenv.Check(t, slices.Equal(own, want) && others == nil, "%s: %q, others %q", line, own, others)
		}
		says("/list", "Listing all players:", `a, b, q"o\t`, "3 players online")
		says("/list B", `Listing players with "B" in name:`, "b", "3 players online")
		says("/list x", `Listing players with "x" in name:`, "3 players online")

		says("/dnd", "You will not receive any further global chat and server messages")
		ct.b.say("hello")
		ct.Wait(100 * time.Millisecond)
		testenv.Check(t, len(ct.a.chat[int32(ct.b.id())]) == 0, "it reads %q", ct.a.chat)
		says("/info", "unnamed server: DM on teeyard1", "This is a teeyard "+server.Version()+" server. Write /help for the commands")
		says("/dnd", "You will receive global chat and server messages")

		says("/whispers", "You will not receive any further whispers")
		ct.b.send(&msg7.ClSay{Mode: msg7.ChatWhisper, Target: int32(ct.a.id()), Message: []byte("psst")})
		ct.Wait(100 * time.Millisecond)
		testenv.Check(t, len(ct.a.chat[int32(ct.b.id())]) == 0 && slices.Contains(ct.b.chat[-1], "This person has disabled receiving whispers"),
			"a reads %q, and b %q", ct.a.chat, ct.b.chat)
		says("/whispers 1", "You will receive whispers")
		says("/map", "Example: /map adr3 to call vote for Adrenaline 3. This means that the map name must start with 'a' and "+
			"contain the characters 'd', 'r' and '3' in that order")
		says("/map est", `No map like "est" found. Try adding a '%' at the start if you don't know the first character. `+
			`Example: /map %castle for "Out of Castle"`)
		var about []string
		ct.b.onMessage = func(m testclient.Message) {
			if v, ok := m.(*msg7.SvVoteSet); ok {
				about = append(about, string(v.Description))
			}
		}
		ct.write("/map WstGL", false)
		ct.Wait(time.Second)
		testenv.Check(t, slices.Equal(about, []string{"go west"}), "votes about %q", about)
		says("/map %est", "Another vote is running; wait until it ends")
		checkStats(t, ct.players...)
	})
}

// TestDoNotDisturbEnds checks that /dnd does not outlast the client: the next one in the seat reads
// the chat.
func TestDoNotDisturbEnds(t *testing.T) {
	ct := newChatTest(t, player07)
	ct.write("/dnd", false)
	ct.a.Close(ct.Now())
	ct.Wait(time.Second)
	next := ct.join(9, "next")
	ct.b.say("hello")
	ct.Wait(100 * time.Millisecond)
	testenv.Check(t, slices.Equal(next.chat[int32(ct.b.id())], []string{"hello"}), "it reads %q", next.chat)
}
