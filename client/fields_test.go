package client

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/message/schema"
)

// notEvents lists the server messages and fields that become no event, with the reason.
var notEvents = map[string]string{
	"MAP_DATA":             "a part of the map's file, which Client.Map has; Download says how far it is",
	"SNAP":                 "a part of a snapshot, which Config.OnSnapshot and Client.WithView have",
	"SNAPEMPTY":            "a snapshot, too",
	"SNAPSINGLE":           "a snapshot, too",
	"INPUTTIMING":          "for the client's clock, several times a second; Config.OnInputTiming has it",
	"PINGEX":               "the id is sent back",
	"PONGEX":               "the client sends no PINGEX",
	"EX":                   "of a kind that is not known",
	"GAME_EX":              "of a kind that is not known",
	"WHATIS":               "answered by the client",
	"ITIS":                 "the client asks nothing",
	"IDONTKNOW":            "the client asks nothing",
	"CHECKSUM_REQUEST":     "asks for bytes of DDNet's own program",
	"Sv_ExtraProjectile":   "servers do not send it",
	"De_ClientLeave":       "demos: names a player whose Left has all; the id may be anything",
	"MAP_DETAILS.SHA256":   "checked by hand below: it is shown with the map that follows",
	"Sv_VoteSet.Type":      "checked by hand below: each type is another event",
	"Sv_GameMsg":           "checked by hand below: each kind has other parameters",
	"SERVERINFO.Record":    "checked by hand below: its numbers depend on each other",
	"Sv_DDRaceTime.Finish": "checked by hand below", "Sv_DDRaceTimeLegacy.Finish": "checked by hand below",
}

// notSendable lists the client messages and fields that a user cannot choose, with the reason.
var notSendable = map[string]string{
	"INFO.NetVersion":        "the version of the protocol",
	"INFO.ClientVersion":     "the release that package msg7 is for; an older one gets less",
	"INPUT.AckTick":          "the newest snapshot",
	"INPUT.IntendedTick":     "from the client's clock",
	"INPUT.Size":             "of the input",
	"INPUT.PingCorrection":   "from the client's clock",
	"REQUEST_MAP_DATA":       "the download's",
	"RCON_AUTH.SendCommands": "always set; RconCommand events are the commands",
	"CLIENTVER.Text":         "made of Config.DDNetVersion",
	"Cl_IsDDNetLegacy":       "for servers before CLIENTVER",
	"Cl_ShowOthersLegacy":    "for servers before Cl_ShowOthers",
	"CHECKSUM_RESPONSE":      "of DDNet's own program",
	"CHECKSUM_ERROR":         "of DDNet's own program",
	"ITIS":                   "the answer to WHATIS", "IDONTKNOW": "the answer to WHATIS", "WHATIS": "the client asks nothing",
	"PINGEX": "PING measures", "PONGEX": "the answer to PINGEX",
	"EX": "no kind of its own", "GAME_EX": "no kind of its own",
}

// protocolUnderTest is one version of the messages.
type protocolUnderTest struct {
	name    string
	version Version
	decoder reflect.Type
	id      func(m any) (name string, vital bool)
	append  func(m any) []byte
	decode  func(b []byte) (any, error)
	side    func(s bridge.Sender, h bridge.ServerMessageHandler) bridge.ClientSide
}

var protocolsUnderTest = []protocolUnderTest{
	{
		"msg7", Version07, reflect.TypeFor[msg7.Decoder](),
		func(m any) (string, bool) { d := m.(msg7.Message).ID().Desc(); return d.Name, d.Vital },
		func(m any) []byte { return m.(msg7.Message).Append(nil) },
		func(b []byte) (any, error) { return new(msg7.Decoder).Decode(b) },
		bridge7.NewClientSide,
	},
	{
		"msg6", Version06, reflect.TypeFor[msg6.Decoder](),
		func(m any) (string, bool) { d := m.(msg6.Message).ID().Desc(); return d.Name, d.Vital },
		func(m any) []byte { return m.(msg6.Message).Append(nil) },
		func(b []byte) (any, error) { return new(msg6.Decoder).Decode(b) },
		func(s bridge.Sender, h bridge.ServerMessageHandler) bridge.ClientSide {
			return bridge6.NewClientSide(s, h, bridge6.ClientConfig{DDNetVersion: 19080, ConnectionID: [16]byte{9}})
		},
	},
}

// newMessage returns an empty message of a type.
func (p *protocolUnderTest) newMessage(t *testing.T, goName string) any {
	t.Helper()
	for i := range p.decoder.NumField() {
		if f := p.decoder.Field(i); f.Type.Name() == goName {
			return reflect.New(f.Type).Interface()
		}
	}
	t.Fatalf("%s has no message %s", p.name, goName)
	return nil
}

// newClientUnderTest returns a client that receives messages through Session.Chunk, and the
// messages that it sends.
func (p *protocolUnderTest) newClientUnderTest(t *testing.T) (*Client, *sentMessages) {
	t.Helper()
	c, err := New(Config{Version: p.version, NoMap: true, Send: func([]byte) {}, Name: "n"})
	if err != nil {
		t.Fatal(err)
	}
	sent := &sentMessages{}
	c.session.side = p.side(sent, sessionHandler{c.session, &c.handler})
	sentBy[c] = sent
	return c, sent
}

// sentBy holds the messages that each client under test sends.
var sentBy = map[*Client]*sentMessages{}

// sentMessages collects the messages that a client sends.
type sentMessages struct{ list [][]byte }

func (s *sentMessages) Queue(b []byte, _ bool) { s.list = append(s.list, bytes.Clone(b)) }
func (*sentMessages) FlushSoon()               {}

// leaf is a value in a message that can be changed, and two values for it.
type leaf struct {
	name  string
	field *schema.Field
	v     reflect.Value
	value [2]any
}

// leaves returns all values in the fields of a message.
func leaves(t *testing.T, v reflect.Value, fields []*schema.Field, prefix string) (all []leaf) {
	v = reflect.Indirect(v)
	for _, f := range fields {
		x, name := v.FieldByName(f.Name), prefix+f.Name
		switch {
		case f.StructDef != nil:
			all = append(all, leaves(t, x, f.StructDef.Fields, name+".")...)
		case f.Count > 0:
			for i := range f.Count {
				all = append(all, leaf{name, f, x.Index(i), values(f, i)})
			}
		case f.Type == "ints":
			n := 47 // DDNet's number of tuning parameters
			if f.Name == "Teams" {
				n = 64
			}
			x.Set(reflect.MakeSlice(x.Type(), n, n))
			for i := range n {
				all = append(all, leaf{name, f, x.Index(i), values(f, i)})
			}
		default:
			all = append(all, leaf{name, f, x, values(f, 0)})
		}
	}
	return all
}

// values returns two valid values of a field.
func values(f *schema.Field, index int) (two [2]any) {
	for i := range two {
		text := fmt.Sprintf("q%d%c%s", index, 'a'+i, strings.ToLower(f.Name[:2]))
		switch f.Type {
		case "string":
			two[i] = []byte(text)
		case "bool":
			two[i] = i == 0
		case "raw", "uuid":
			two[i] = []byte{byte(7 + i)}
		case "data", "rest":
			two[i] = []byte(text + "\x00")
		case "custom":
			two[i] = text
		default:
			lo, hi, mask, _ := f.Bounds()
			n := int64(37 + 2*index%9 - i)
			if f.Name == "Teams" {
				n = int64(20 - i)
			}
			if mask || f.EnumDef != nil && f.EnumDef.Flags {
				n = 1 << i
			} else if n = min(max(n, lo+int64(i)), hi-int64(i)); lo+1 == hi {
				n = lo + int64(1-i)
			}
			if boolFields[f.Name] {
				n = int64(1 - i)
			}
			two[i] = n
		}
	}
	return two
}

// set sets the leaf to one of its values.
func (l *leaf) set(i int) {
	switch x := l.value[i].(type) {
	case bool:
		l.v.SetBool(x)
	case int64:
		l.v.SetInt(x)
	case string:
		switch l.v.Interface().(type) {
		case msg7.MapHash:
			l.v.Set(reflect.ValueOf(msg7.MapHash{Present: true, Sum: [32]byte{byte(7 + i)}}))
		case [][]byte:
			l.v.Set(reflect.ValueOf([][]byte{[]byte("one"), []byte(x)}))
		}
	case []byte:
		if l.v.Kind() == reflect.Array {
			reflect.Copy(l.v, reflect.ValueOf(x))
		} else {
			l.v.SetBytes(x)
		}
	}
}

// isShown reports whether the JSON text contains value i of the leaf. The value may appear as it
// is, in ms for a time in hundredths of a second, or in hundredths for tuning. Enumerations appear
// as words, false is omitted, and a count changes the number of events. For these it is enough that
// the events differ.
func (l *leaf) isShown(i int, text string) bool {
	switch x := l.value[i].(type) {
	case int64:
		if l.field.EnumDef != nil || boolFields[l.field.Name] || l.name == "Count" {
			return true
		}
		number := func(s string) bool {
			return regexp.MustCompile(`(^|[^0-9.])` + regexp.QuoteMeta(s) + `([^0-9.]|$)`).MatchString(text)
		}
		return number(strconv.FormatInt(x, 10)) || number(strconv.FormatInt(10*x, 10)) || number(strconv.FormatFloat(float64(x)/100, 'g', -1, 64))
	case string:
		return strings.Contains(text, x) || strings.Contains(text, hex.EncodeToString([]byte{byte(7 + i)})+"0000")
	case []byte:
		return l.v.Kind() == reflect.Array && strings.Contains(text, hex.EncodeToString(x)) || strings.Contains(text, strings.TrimRight(string(x), "\x00"))
	}
	return true
}

// boolFields are integers that mean true or false.
var boolFields = map[string]bool{"Finish": true, "Authed": true, "CmdList": true, "NameRequired": true, "Jump": true, "Hook": true}

// fill sets all leaves to their first value and makes fields that depend on each other consistent.
func fill(m any, all []leaf) {
	for i := range all {
		all[i].set(0)
	}
	switch m := m.(type) {
	case *msg7.SvVoteSet:
		m.Type = msg7.VoteStartOption
	case *msg7.SvGameMsg:
		m.Kind, m.Params = msg7.GameMsgCTFCapture, [3]int32{1, 36, 75}
	case *msg7.SvRaceFinish:
		m.RecordServer = false // would also set the own record
	case *msg6.SvRaceFinish:
		m.RecordServer = false
	case *msg7.SvTeam:
		m.Team = msg7.TeamBlue
	case *msg7.SvKillMsg:
		m.Weapon = msg7.WeaponGun
	case *msg7.ServerInfo:
		m.Record.Players, m.Record.PlayerSlots, m.Record.Clients, m.Record.MaxClients = 2, 30, 3, 40
	case *msg6.SvVoteOptionListAdd:
		m.Count = 15
	case *msg6.SvDDRaceTime:
		m.Finish = 0
	case *msg6.SvDDRaceTimeLegacy:
		m.Finish = 0
	}
}

// TestEveryFieldBecomesAnEvent gives a client all server messages. A field with two different
// values must lead to two different events, in Go and in JSON, and the events must contain the
// value.
func TestEveryFieldBecomesAnEvent(t *testing.T) {
	used := map[string]bool{}
	for _, p := range protocolsUnderTest {
		s, err := schema.Load(p.name)
		if err != nil {
			t.Fatal(err)
		}
		fields := 0
		for _, desc := range s.Messages {
			if desc.Reserved || desc.Dir == "client" || len(desc.Fields) == 0 {
				continue
			}
			if notEvents[desc.Name] != "" {
				used[desc.Name] = true
				continue
			}
			m := p.newMessage(t, desc.Go)
			all := leaves(t, reflect.ValueOf(m), desc.Fields, "")
			for i := range all {
				l := &all[i]
				name := desc.Name + "." + l.name
				top, _, _ := strings.Cut(l.name, ".")
				if key := desc.Name + "." + top; notEvents[key] != "" {
					used[key] = true
					continue
				}
				fields++
				var got [2][]event.Event
				var texts [2]string
				for variant := range got {
					fill(m, all)
					l.set(variant)
					got[variant], texts[variant] = p.receive(t, m)
				}
				if texts[0] == texts[1] || reflect.DeepEqual(got[0], got[1]) {
					t.Errorf("%s %s: %v and %v both become %s", p.name, name, l.value[0], l.value[1], texts[0])
				}
				for variant, text := range texts {
					if !l.isShown(variant, text) {
						t.Errorf("%s %s: %v is not in %s", p.name, name, l.value[variant], text)
					}
				}
			}
		}
		if fields < 100 {
			t.Errorf("%s: only %d values of fields", p.name, fields)
		}
		t.Logf("%s: %d values of fields", p.name, fields)
	}
	for key := range notEvents {
		if !used[key] {
			t.Errorf("%s is declared, and not in the schema", key)
		}
	}
}

// receive returns the events of a message, also as JSON.
func (p *protocolUnderTest) receive(t *testing.T, m any) ([]event.Event, string) {
	t.Helper()
	c, _ := p.newClientUnderTest(t)
	own := int32(0)
	if _, ok := m.(*msg7.SvClientInfo); ok {
		own = -1
	}
	if p.version == Version07 {
		for id := range int32(msg7.MaxClients) {
			c.session.Chunk((&msg7.SvClientInfo{ClientID: id, Local: id == own, Name: fmt.Appendf(nil, "player%d", id)}).Append(nil), true)
		}
	}
	_, vital := p.id(m)
	if _, ok := m.(*msg7.DeClientEnter); ok { // as when reading a demo
		vital = true
		c.session.side = bridge7.NewDemoClientSide(sessionHandler{c.session, &c.handler})
	}
	c.events = nil
	c.session.Chunk(p.append(m), vital)
	if d, ok := m.(*msg6.MapDetails); ok {
		c.session.Chunk((&msg6.MapChange{Name: d.Name, CRC: d.CRC, Size: d.Size}).Append(nil), true)
	}
	if c.session.stats.BadMessage > 0 {
		t.Errorf("%+v is not accepted", m)
	}
	var lines []string
	for _, e := range c.events {
		b, err := json.Marshal(e)
		if err != nil {
			t.Errorf("%T: %v", e, err)
		}
		lines = append(lines, event.Name(e)+" "+string(b))
	}
	return c.events, strings.Join(lines, "\n")
}

// TestFieldsThatDepend checks the fields that TestEveryFieldBecomesAnEvent leaves out.
func TestFieldsThatDepend(t *testing.T) {
	seven, six := &protocolsUnderTest[0], &protocolsUnderTest[1]
	vote := func(kind msg7.VoteType, timeout int32, text string) *msg7.SvVoteSet {
		return &msg7.SvVoteSet{ClientID: 3, Type: kind, Timeout: timeout, Description: []byte(text), Reason: []byte("why")}
	}
	info := msg7.InfoRecord{
		Version: []byte("v"), Name: []byte("n"), Hostname: []byte("h"), Map: []byte("m"), GameType: []byte("g"),
		Flags: msg7.ServerInfoPassword | msg7.ServerInfoTimeScore, SkillLevel: 2, Players: 4, PlayerSlots: 11, Clients: 5, MaxClients: 12,
	}
	for _, tt := range []struct {
		p    *protocolUnderTest
		m    any
		want string
	}{
		{seven, vote(msg7.VoteStartOption, 25, "dm2"), `vote_start ` +
			`{"by":{"id":3,"name":"player3","team":"red"},"kind":"option","target":{"id":-1,"name":""},"description":"dm2","what":"dm2","reason":"why",` +
			`"seconds":25}`},
		{seven, vote(msg7.VoteStartKick, 9, " 4: player4"), `vote_start ` +
			`{"by":{"id":3,"name":"player3","team":"red"},"kind":"kick","target":{"id":4,"name":"player4","team":"red"},"description":"player4",` +
			`"what":"kick player4","reason":"why","seconds":9}`},
		{seven, vote(msg7.VoteStartSpec, 9, " 4: player4"), `vote_start ` +
			`{"by":{"id":3,"name":"player3","team":"red"},"kind":"spectate","target":{"id":4,"name":"player4","team":"red"},"description":"player4",` +
			`"what":"move to spectators player4","reason":"why","seconds":9}`},
		{seven, vote(msg7.VoteEndPass, 0, ""), `vote_end {"by":{"id":3,"name":"player3","team":"red"},"passed":true}`},
		{seven, vote(msg7.VoteEndFail, 0, ""), `vote_end {"by":{"id":3,"name":"player3","team":"red"},"passed":false}`},
		{seven, vote(msg7.VoteEndAbort, 0, ""), `vote_end {"by":{"id":3,"name":"player3","team":"red"},"passed":false,"aborted":true}`},
		{seven, &msg7.ServerInfo{Record: info}, `server_info {"version":"v","name":"n","hostname":"h","map":"m","gametype":"g","password":true,` +
			`"time_score":true,"skill_level":2,"players":4,"slots":11,"clients":5,"max_clients":12}`},
		{seven, &msg7.SvKillMsg{Killer: -2, Victim: 4, Weapon: msg7.WeaponShotgun},
			`kill {"killer":{"id":-1,"name":""},"victim":{"id":4,"name":"player4","team":"red"},"weapon":"shotgun","killer_team":"blue"}`},
		{seven, &msg7.SvGameMsg{Kind: msg7.GameMsgTeamSwap}, `notice {"kind":"team_swap","text":"The teams were swapped"}`},
		{seven, &msg7.SvGameMsg{Kind: msg7.GameMsgSpecInvalidID}, `notice {"kind":"spec_invalid_id","text":"This player cannot be watched"}`},
		{seven, &msg7.SvGameMsg{Kind: msg7.GameMsgTeamAll, Params: [3]int32{-1}},
			`notice {"kind":"team_all","team":"spectators","text":"All players were moved to the spectators"}`},
		{seven, &msg7.SvGameMsg{Kind: msg7.GameMsgCTFGrab, Params: [3]int32{1}},
			`notice {"kind":"ctf_grab","team":"blue","text":"The flag of the blue team was taken"}`},
		{seven, &msg7.SvGameMsg{Kind: msg7.GameMsgCTFCapture, Params: [3]int32{1, 4, 75}},
			`notice {"kind":"ctf_capture","player":{"id":4,"name":"player4","team":"red"},"team":"blue","ticks":75,"text":"player4 captured the flag ` +
				`of the blue team after 1.50 s"}`},
		{seven, &msg7.SvGameMsg{Kind: msg7.GameMsgGamePaused, Params: [3]int32{4}},
			`notice {"kind":"game_paused","player":{"id":4,"name":"player4","team":"red"},"text":"The game was paused by player4"}`},
		{six, &msg6.MapDetails{Name: []byte("m"), SHA256: [32]byte{0xab}, CRC: 3, Size: 9, URL: []byte("http://x/m")},
			`map_announced {"map":"m","crc":3,"size":9,"sha256":"ab` + strings.Repeat("0", 62) + `","url":"http://x/m"}`},
		{six, &msg6.SvDDRaceTime{Time: 123, Check: -5}, `checkpoint {"player":{"id":-1,"name":""},"diff":-50,"milliseconds":1230}`},
		{six, &msg6.SvDDRaceTime{Time: 123, Check: -5, Finish: 1}, `race_time {"milliseconds":1230,"diff":-50,"finish":true}`},
		{six, &msg6.SvDDRaceTimeLegacy{Time: 123, Check: -5, Finish: 1}, `race_time {"milliseconds":1230,"diff":-50,"finish":true}`},
	} {
		if _, got := tt.p.receive(t, tt.m); got != tt.want {
			t.Errorf("%T%+v becomes\n%s, want\n%s", tt.m, tt.m, got, tt.want)
		}
	}
}

// clientActions send every client message. Each action runs twice and sets all fields of the
// message to other values the second time.
var clientActions = []struct {
	message string
	do      func(c *Client, variant int) error
}{
	{"INFO", func(c *Client, v int) error {
		return c.request(func(g bridge.ClientSide) { g.SendLogin(variantText("password", v)) }) // from Config.Password
	}},
	{"READY", func(c *Client, _ int) error { return c.request(bridge.ClientSide.SendReady) }},
	{"ENTERGAME", func(c *Client, _ int) error { return c.request(bridge.ClientSide.SendEnterGame) }},
	{"INPUT", func(c *Client, v int) error {
		in := game.Input{
			Direction: int32(v), TargetX: int32(v), TargetY: int32(5 + v), Jump: v == 1, Fire: int32(v), Hook: v == 1,
			Flags: game.PlayerFlagChatting << v, WantedWeapon: int32(1 + v), NextWeapon: int32(v), PrevWeapon: int32(v),
		}
		c.SetInput(in)
		return c.request(func(g bridge.ClientSide) { g.SendInput(1, 2, &c.input, 3) })
	}},
	{"RCON_CMD", func(c *Client, v int) error { return c.Rcon(variantText("line", v)) }},
	{"RCON_AUTH", func(c *Client, v int) error { return c.RconLoginAs(variantText("name", v), variantText("password", v)) }},
	{"PING", func(c *Client, _ int) error { return c.request(bridge.ClientSide.SendPing) }},
	{"CLIENTVER", func(c *Client, v int) error { // from Config.DDNetVersion and ConnectionID
		side := bridge6.NewClientSide(sentBy[c], nil, bridge6.ClientConfig{DDNetVersion: int32(16040 + v), ConnectionID: [16]byte{byte(v)}})
		side.SendLogin("")
		return nil
	}},
	{"Cl_Say", func(c *Client, v int) error {
		if v == 0 {
			return c.SayTeam("one")
		} else if c.cfg.Version == Version07 {
			return c.Whisper(3, "two")
		}
		return c.Say("two")
	}},
	{"Cl_SetTeam", func(c *Client, v int) error { return c.SetTeam(game.Team(v)) }},
	{"Cl_SetSpectatorMode", func(c *Client, v int) error { return c.Spectate(game.SpectateMode(v), game.PlayerID(v+3)) }},
	{"Cl_StartInfo", func(c *Client, v int) error { // from Config
		p := variantProfile(v)
		return c.request(func(g bridge.ClientSide) { g.SendProfile(&p) })
	}},
	{"Cl_ChangeInfo", func(c *Client, v int) error {
		if err := c.SetProfile(game.Profile{Name: "first"}); err != nil {
			return err
		}
		return c.SetProfile(variantProfile(v))
	}},
	{"Cl_SkinChange", func(c *Client, v int) error { return c.SetSkin(variantProfile(v).Skin) }},
	{"Cl_Kill", func(c *Client, _ int) error { return c.Kill() }},
	{"Cl_ReadyChange", func(c *Client, _ int) error { return c.ToggleReady() }},
	{"Cl_Emoticon", func(c *Client, v int) error { return c.Emote(3 + v) }},
	{"Cl_Vote", func(c *Client, v int) error { return c.Vote(v == 1) }},
	{"Cl_CallVote", func(c *Client, v int) error {
		if v == 0 {
			return c.VoteOption("more", "one")
		}
		return c.CallVote(VoteCall{Kind: event.VoteKick, Target: 3, Reason: "two", Force: c.cfg.Version == Version07})
	}},
	{"Cl_Command", func(c *Client, v int) error {
		return c.ChatCommand(variantText("name", v), variantText("arguments", v))
	}},
	{"Cl_ShowOthers", func(c *Client, v int) error { return c.ShowOthers(game.ShowOthers(v)) }},
	{"Cl_ShowDistance", func(c *Client, v int) error {
		return c.SetCamera(bridge.Camera{View: &[2]int32{int32(100 + v), int32(200 + v)}})
	}},
	{"Cl_CameraInfo", func(c *Client, v int) error {
		return c.SetCamera(bridge.Camera{Zoom: &bridge.CameraZoom{Zoom: int32(1 + v), Deadzone: int32(2 + v), FollowFactor: int32(3 + v)}})
	}},
	{"Cl_EnableSpectatorCount", func(c *Client, v int) error {
		on := v == 1
		return c.SetCamera(bridge.Camera{CountSpectator: &on})
	}},
}

func variantText(what string, v int) string { return fmt.Sprint(what, v) }

func variantProfile(v int) game.Profile {
	p := game.Profile{Name: variantText("name", v), Clan: variantText("clan", v), Country: int32(v)}
	if v == 0 { // the default of 0.6, which means no custom colours
		p.Skin = game.Skin{
			PartNames:       [...]string{"standard", "", "", "standard", "standard", "standard"},
			UseCustomColors: [...]bool{true, false, false, true, true, false},
			PartColors:      [...]int32{0x1b6f74, 0, 0, 0x1b759e, 0x1c873e, 0},
		}
	} else {
		p.Skin = game.Skin{
			PartNames:       [...]string{"bear", "bear", "hair", "bear", "bear", "negative"},
			UseCustomColors: [...]bool{true, true, true, true, true, true},
			PartColors:      [...]int32{0x1a7f20, 2, 3, 0x2a5f30, 0x3a4f40, 6},
		}
	}
	return p
}

// TestEveryFieldCanBeSent sends every client message twice, with other values in all fields the
// second time.
func TestEveryFieldCanBeSent(t *testing.T) {
	used := map[string]bool{}
	for _, p := range protocolsUnderTest {
		s, err := schema.Load(p.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, desc := range s.Messages {
			if desc.Reserved || desc.Dir != "client" && desc.Dir != "both" || desc.Name == "PING_REPLY" {
				continue
			}
			if notSendable[desc.Name] != "" {
				used[desc.Name] = true
				continue
			}
			i := 0
			for i < len(clientActions) && clientActions[i].message != desc.Name {
				i++
			}
			if i == len(clientActions) {
				t.Errorf("%s: nothing sends %s", p.name, desc.Name)
				continue
			}
			var got [2]reflect.Value
			for variant := range got {
				c, sent := p.newClientUnderTest(t)
				if p.version == Version06 { // a DDNet server
					c.session.Chunk((&msg6.Capabilities{Version: 5}).Append(nil), true)
				}
				sent.list = nil
				if err := clientActions[i].do(c, variant); err != nil {
					t.Errorf("%s %s: %v", p.name, desc.Name, err)
				}
				for _, b := range sent.list {
					m, err := p.decode(b)
					if err != nil {
						t.Errorf("%s %s: %v", p.name, desc.Name, err)
					} else if name, _ := p.id(m); name == desc.Name {
						got[variant] = reflect.ValueOf(m).Elem()
					}
				}
			}
			if !got[0].IsValid() || !got[1].IsValid() {
				t.Errorf("%s: %s is not sent", p.name, desc.Name)
				continue
			}
			checkDiffer(t, p.name, desc.Name, desc.Fields, got[0], got[1], used)
		}
	}
	for key := range notSendable {
		if !used[key] {
			t.Errorf("%s is declared, and not in the schema", key)
		}
	}
}

func checkDiffer(t *testing.T, protocol, name string, fields []*schema.Field, a, b reflect.Value, used map[string]bool) {
	for _, f := range fields {
		key := name + "." + f.Name
		if notSendable[key] != "" {
			used[key] = true
			continue
		}
		x, y := a.FieldByName(f.Name), b.FieldByName(f.Name)
		if f.StructDef != nil {
			checkDiffer(t, protocol, key, f.StructDef.Fields, x, y, used)
		} else if reflect.DeepEqual(x.Interface(), y.Interface()) {
			t.Errorf("%s: %s is always %v", protocol, key, x)
		}
	}
}

// TestLeave checks that the packet that closes the connection contains the reason for leaving.
func TestLeave(t *testing.T) {
	for _, version := range []Version{Version07, Version06} {
		var last []byte
		c, err := New(Config{Version: version, NoMap: true, Send: func(b []byte) { last = bytes.Clone(b) }})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Connect(0); err != nil {
			t.Fatal(err)
		}
		c.Leave("see you")
		if !bytes.Contains(last, []byte("see you")) {
			t.Errorf("%s: %q", version, last)
		}
		if c.State() != Offline {
			t.Errorf("%s: state %d", version, c.State())
		}
	}
}
