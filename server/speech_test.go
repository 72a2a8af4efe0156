package server

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	moddrace "github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/mods/fng"
	"github.com/teeyard/teeyard/mods/foot"
	"github.com/teeyard/teeyard/mods/infection"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// spoken is the text that a player tries to show to others.
const spoken = "xyzzy"

// talkativeMod shows all that it is told.
type talkativeMod struct{}

func (talkativeMod) Start(setup *game.Setup) {
	setup.ChatCommand(game.CommandSpec{Name: "shout", Params: "?r[text]", Help: "Tells all", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		ctx.Say("somebody shouts " + c.Arg(0))
	}})
}

// OnChat implements game.ChatHook.
func (talkativeMod) OnChat(ctx *game.Ctx, line *game.ChatMessage) { ctx.Say("heard: " + line.Text) }

// speechTest is a server with a player who speaks, and others who listen.
type speechTest struct {
	*testServer
	speaker   *testclient.Client
	listeners []*testclient.Client
	shown     []string // messages with the text that a listener has got
}

func newSpeechTest(t *testing.T, kind testclient.Config, played game.Mode, settings string) *speechTest {
	cfg := ddraceConfig()
	cfg.Modes = mode.List{{Name: "tested", New: func() game.Mode { return played }}}
	cfg.Mods = []func() game.Mod{func() game.Mod { return talkativeMod{} }}
	st := &speechTest{testServer: newTestServerWith(t, cfg,
		"sv_map race; sv_gametype tested; sv_spamprotection 0; sv_vote_delay 0; sv_rcon_max_tries 0; sv_max_clients 16; "+
			"sv_player_slots 16; sv_inactivekick_time 0; add_vote fun say fun", settings)}
	st.speaker = st.joinAs(kind, ip(1), "speaker")
	for i, other := range []testclient.Config{client07, client06, client06DDNet} {
		c := st.joinAs(other, ip(2+i), fmt.Sprint("listener", i))
		c.OnMessage = func(m testclient.Message) {
			if _, isSkin := m.(*msg7.SvSkinChange); isSkin {
				return // whose names clients do not show
			}
			if bytes.Contains(m.Append(nil), []byte(spoken)) {
				st.shown = append(st.shown, fmt.Sprintf("%T to %d", m, i))
			}
		}
		st.listeners = append(st.listeners, c)
	}
	return st
}

// wait runs some ticks and returns what listeners were shown, and whether the player has the text
// as a name or clan.
func (st *speechTest) wait() (shown []string) {
	st.idle(4, append(st.listeners, st.speaker)...)
	shown, st.shown = st.shown, nil
	for id := range game.PlayerID(game.MaxPlayers) {
		if p, ok := st.srv.world.Player(id); ok && strings.Contains(p.Profile.Name+p.Profile.Clan, spoken) {
			shown = append(shown, "profile")
		}
	}
	return shown
}

// ways are all the ways to show a text that there are, as functions: each message of a client with
// the text in all places, and each command of the chat.
func (st *speechTest) ways() map[string]func() {
	ways := map[string]func(){}
	decoder := reflect.TypeFor[msg7.Decoder]()
	if st.speaker.Version == conn.V6 {
		decoder = reflect.TypeFor[msg6.Decoder]()
	}
	for i := range decoder.NumField() {
		typ := decoder.Field(i).Type
		m, ok := reflect.New(typ).Interface().(testclient.Message)
		if name := typ.Name(); !ok || !strings.HasPrefix(name, "Cl") && !strings.HasPrefix(name, "Rcon") || name == "ClSetTeam" {
			continue
		}
		for number := range int64(4) {
			ways[fmt.Sprintf("%s %d", typ.Name(), number)] = func() {
				fillIn(reflect.ValueOf(m).Elem(), number)
				if call, ok := m.(*msg7.ClCallVote); ok {
					call.Type, call.Value = []byte("option"), []byte("fun")
				}
				if call, ok := m.(*msg6.ClCallVote); ok {
					call.Type, call.Value = []byte("option"), []byte("fun")
				}
				st.speaker.Send(m)
			}
		}
	}
	for cmd := range st.srv.chat.All {
		for _, args := range []string{spoken, "1 " + spoken, "listener1 " + spoken, `"listener1" ` + spoken} {
			line := "/" + cmd.Name + " " + args
			ways[line] = func() { st.speaker.Say(line) }
		}
	}
	return ways
}

// fillIn sets the texts of a message to the one that is spoken, and its numbers.
func fillIn(v reflect.Value, number int64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(v.Field(i), number)
		}
	case reflect.Array:
		for i := range v.Len() {
			fillIn(v.Index(i), number)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(spoken))
		}
	case reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(number)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(number))
	case reflect.Bool:
		v.SetBool(number > 1)
	}
}

func spokenModes() map[string]func() game.Mode {
	modes := map[string]func() game.Mode{"ddrace": moddrace.New,
		"fng": func() game.Mode { return fng.New(game.WeaponLaser, true) }, "foot": foot.New, "infection": infection.New}
	for _, m := range builtin.Modes() {
		modes[m.Name] = m.New
	}
	return modes
}

// TestMutedPlayersShowNothing has a muted player write a text in all ways that clients have and in
// all commands of all modes: no other player sees it. Before the mute, others do, wherever it is
// not Private.
func TestMutedPlayersShowNothing(t *testing.T) {
	for name, mode := range spokenModes() {
		for version, kind := range map[string]testclient.Config{"0.7": client07, "0.6": client06} {
			t.Run(name+" "+version, func(t *testing.T) {
				extra := ""
				if name == "ddrace" {
					extra = "sv_slash_me 1; sv_team 1"
				}
				st := newSpeechTest(t, kind, mode(), extra)
				ways := st.ways()
				names := make([]string, 0, len(ways))
				for way := range ways {
					names = append(names, way)
				}
				slices.SortFunc(names, func(a, b string) int { // commands last, of which some make players spectators
					return cmp.Or(boolToInt(a[0] == '/')-boolToInt(b[0] == '/'), cmp.Compare(a, b))
				})
				st.srv.Execute("muteid 0 86400 enough")
				for _, way := range names {
					ways[way]()
					if shown := st.wait(); len(shown) > 0 {
						t.Errorf("%s of a muted player is shown: %q", way, shown)
					}
				}
				st.speaker.Close("")
				if shown := st.wait(); len(shown) > 0 {
					t.Errorf("shown when the player leaves: %q", shown)
				}
				st.speaker = st.joinAs(kind, ip(1), "speaker")
				st.srv.Execute("unmuteip 10.0.0.1")
				heard := []string{"ClSay 1", "ClCallVote 1", "/shout " + spoken, `/w "listener1" ` + spoken, "/c " + spoken}
				if name == "ddrace" {
					heard = append(heard, "/me "+spoken)
				}
				if kind.Version == conn.V6 {
					heard = append(heard, "ClChangeInfo 0")
				}
				for _, way := range heard {
					ways[way]()
					testenv.Check(t, len(st.wait()) > 0, "%s is not shown of players who are not muted", way)
				}
			})
		}
	}
}

// TestMutedNamesStay: a muted player who comes with another name after the map has changed keeps
// the one before.
func TestMutedNamesStay(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		c := ts.joinAs(kind, ip(1), "before")
		ts.srv.Execute("muteid 0 60; reload")
		ts.step(3)
		c.KeepAlive()
		c.Ready()
		ts.step(1)
		c.KeepAlive()
		c.StartInfo(spoken)
		ts.step(2)
		p, _ := ts.srv.world.Player(0)
		testenv.Check(t, p.Profile.Name == "before", "the player is called %q", p.Profile.Name)
	})
}

// TestWaysToSpeak: a message of clients that the server handles in a way of its own is in the list
// of those that TestMutedPlayersShowNothing sends.
func TestWaysToSpeak(t *testing.T) {
	handled := map[string]string{ // by the handler: what the message is
		"OnLogin": "password", "OnRequestMapData": "", "OnReady": "", "OnProfile": "first name: others see it with the player",
		"OnEnterGame": "", "OnInput": "", "OnCommand": "ClSay", "OnChatCommand": "ClCommand", "OnTimeoutCode": "a secret",
		"OnDDNetVersion": "", "OnRconAuth": "RconAuth", "OnRconCmd": "RconCmd", "OnCallVote": "ClCallVote", "OnVote": "",
	}
	typ := reflect.TypeFor[bridge.ClientMessageHandler]()
	for i := range typ.NumMethod() {
		_, known := handled[typ.Method(i).Name]
		testenv.Check(t, known, "%s is not known here: may its text be shown by players who are muted?", typ.Method(i).Name)
	}
}

// TestMutesForSpam checks DDNet's rules for those who write too much, and that these are off
// without --ddnet.
func TestMutesForSpam(t *testing.T) {
	for _, ddnet := range []bool{true, false} {
		cfg := ddraceConfig()
		cfg.DDNet = ddnet
		ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace")
		a, b := ts.joinAs(client06DDNet, ip(1), "a"), ts.join(ip(2), "b")
		var lines []string
		for range 6 {
			a.Say("line")
			ts.idle(game.TickRate+2, a, b)
			lines = append(lines, b.Chat...)
			b.Chat = nil
		}
		want := []string{"line", "line", "line", "line", "'a' has been muted for 60 seconds"}
		last := "You are not permitted to talk for the next 59 seconds."
		if !ddnet {
			want, last = slices.Repeat([]string{"line"}, 6), "line"
		}
		testenv.Check(t, slices.Equal(lines[len(lines)-len(want):], want), "with --ddnet %v, others read %q", ddnet, lines)
		testenv.Check(t, a.Chat[len(a.Chat)-1] == last, "with --ddnet %v, the player reads %q", ddnet, a.Chat)
		if !ddnet {
			continue
		}
		ts.log.Reset()
		ts.srv.Execute("log_dialect ddnet; mutes; unmute 0; mutes")
		for _, line := range []string{"Active mutes:", `0: "10.0.0.1", 58 seconds left ()`, "Unmuted 10.0.0.1", "There are no active mutes."} {
			testenv.Check(t, strings.Contains(ts.log.String(), line), "mutes lacks %q:\n%s", line, ts.log)
		}
		// Slower lines are not spam, and other limits have other effects.
		for range 12 {
			a.Say("slow")
			ts.idle(5*game.TickRate+2, a, b)
		}
		testenv.Check(t, len(ts.srv.access.Mutes.All(ts.srv.now)) == 0, "%d are muted for slow lines", len(ts.srv.access.Mutes.All(ts.srv.now)))
		ts.srv.Execute("sv_chat_threshold 400; sv_chat_penalty 300; sv_spam_mute_duration 5")
		for range 2 {
			a.Say("/w b line")
			ts.idle(game.TickRate+2, a, b)
		}
		testenv.Check(t, len(ts.srv.access.Mutes.All(ts.srv.now)) == 1 &&
			ts.srv.access.Mutes.All(ts.srv.now)[0].Until <= ts.srv.now.Add(5*time.Second), "whispers do not count: %+v", ts.srv.access.Mutes.All(ts.srv.now))
	}
}

// TestMuteIsTold checks that players are told of a mute as on DDNet-Server, where they expect that.
func TestMuteIsTold(t *testing.T) {
	for mode, want := range map[string]bool{"ddrace": true, "dm": false} {
		ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_gametype "+mode)
		ts.join(ip(1), "a")
		b := ts.join(ip(2), "b")
		ts.srv.Execute("muteid 0 60 spam; muteip 20.0.0.1 60 spam")
		ts.idle(4, b)
		told := slices.Contains(b.Chat, "'a' has been muted for 60 seconds (spam)")
		testenv.Check(t, told == want, "%s: others read %q", mode, b.Chat)
	}
}

// TestChatDelays checks sv_chat_delay and sv_chat_initial_delay.
func TestChatDelays(t *testing.T) {
	ts := newTestServer(t, nil, "sv_chat_delay 3; sv_chat_initial_delay 20")
	first := ts.join(ip(1), "first")
	say := func(c *testclient.Client, text string, others ...*testclient.Client) []string {
		c.Chat = nil
		c.Say(text)
		ts.idle(10, append(others, c)...)
		return c.Chat
	}
	testenv.Check(t, slices.Equal(say(first, "hello"), []string{"hello"}), "the first player reads %q", first.Chat)
	ts.idle(2*game.TickRate, first)
	testenv.Check(t, len(say(first, "too soon")) == 0, "the first player reads %q", first.Chat)
	ts.idle(10*game.TickRate, first)
	second := ts.join(ip(2), "second")
	testenv.Check(t, slices.Equal(say(second, "hi", first), []string{"You are not permitted to talk for the next 20 seconds."}),
		"the second player reads %q", second.Chat)
	ts.idle(20*game.TickRate, first, second)
	testenv.Check(t, slices.Equal(say(second, "hi", first), []string{"hi"}), "later the second player reads %q", second.Chat)
}

// TestLongLines: lines of DDNet's clients, and of all in DDRace, may have 255 characters.
func TestLongLines(t *testing.T) {
	for mode, want := range map[string][3]int{"dm": {127, 127, 255}, "ddrace": {255, 255, 255}} {
		ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_spamprotection 0; sv_gametype "+mode)
		reader := ts.join(ip(9), "reader")
		for i, kind := range []testclient.Config{client07, client06, client06DDNet} {
			c := ts.joinAs(kind, ip(1+i), "a")
			if i == 2 {
				ts.session(c).OnDDNetVersion(16040)
			}
			for letter, most := range map[string]int{"x": 255, "я": 254, "\U0001f600": 127} {
				reader.Chat = nil
				c.Say(strings.Repeat(letter, 1000/len(letter))) // 0.6 has no longer messages
				ts.idle(6, c, reader)
				n := min(want[i], most)
				testenv.Check(t, len(reader.Chat) == 1 && reader.Chat[0] == strings.Repeat(letter, n),
					"%s, client %d: many %q come as %d bytes, want %d letters", mode, i, letter, len(strings.Join(reader.Chat, "|")), n)
			}
			c.Close("")
			ts.idle(4, reader)
		}
	}
}
