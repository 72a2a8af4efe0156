package recorder

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
)

// Teehistorian records a DDRace match as DDNet-Server does with sv_tee_historian 1: the inputs of
// each tick, the positions of the tees after it, and other actions of players. It receives the
// commands of all ticks and therefore sees no chat, passwords or addresses. It does not record the
// effects of mods on tees.
type Teehistorian struct {
	cfg TeehistorianConfig
	out *teehistorian.Writer
	buf bytes.Buffer
	rec teehistorian.Record

	clients  [game.MaxPlayers]historyClient
	teams    [game.MaxPlayers]uint8 // last recorded
	practice uint64
	tuning   game.Tuning
	err      error
}

// TeehistorianConfig is the configuration of a Teehistorian.
type TeehistorianConfig struct {
	// World is the world before the first player joins.
	World *game.World
	// Header contains the data of the server, the map and the start. NewTeehistorian sets the other
	// fields.
	Header teehistorian.Header
	// Client returns the data of a player's client. NewTeehistorian calls it for all players, and
	// Tick for each player who joins.
	Client func(game.PlayerID) TeehistorianClient
}

// TeehistorianClient is the recorded data of a client.
type TeehistorianClient struct {
	IsSeven      bool                // uses the protocol of 0.7
	DDNetVersion int32               // release of DDNet's client, such as 16040 for 16.4; 0 for other clients
	DDNet        *bridge.DDNetClient // data that the client sent before its login, nil if none
	Login        TeehistorianLogin
}

// TeehistorianLogin is a client's access to the remote console.
type TeehistorianLogin struct {
	Level int32  // 1 helper, 2 moderator, 3 admin; 0 none
	Name  string // name of the password, such as default_admin
}

// historyClient is the state of a recorded player.
type historyClient struct {
	TeehistorianClient
	side      bridge.ClientSide // writes the client's messages
	here      bool
	entered   bool
	hasInput  bool
	alive     bool
	spectator bool
}

// NewTeehistorian begins a recording. It returns an error for worlds that are not DDRace.
func NewTeehistorian(cfg TeehistorianConfig) (*Teehistorian, error) {
	w := cfg.World
	if !w.IsDDRace() {
		return nil, fmt.Errorf("recorder: %s is not a DDRace mode", w.ModeName())
	}
	t := &Teehistorian{cfg: cfg}
	d := w.DDRaceTick()
	for i := range t.tuning {
		t.tuning[i] = d.Settings.Tuning[ddrace.TuneParamIndex(physics.TuneParamName(i))]
	}
	h := cfg.Header
	h.GameType = w.ModeName()
	h.PRNG = fmt.Sprintf("pcg-xsh-rr:%016x:%016x", d.Seed[0], d.Seed[1])
	h.Config, h.Tuning = map[string]string{}, map[string]string{}
	for _, v := range w.Variables() {
		if v.MaxLen == 0 && v.Value != v.Default {
			h.Config[v.Name] = v.Value
		}
	}
	for name, value := range d.Settings.Changed {
		h.Config[name] = strconv.Itoa(int(value))
	}
	plain := ddrace.BareTuning()
	for i, value := range d.Settings.Tuning {
		if value != plain[i] {
			h.Tuning[ddrace.TuneParamName(i)] = strconv.Itoa(int(value))
		}
	}
	for _, id := range []message.UUID{
		teehistorian.ExtraJoin6, teehistorian.ExtraJoin7, teehistorian.ExtraReady, teehistorian.ExtraDDNetVersion, teehistorian.ExtraDDNetOld,
		teehistorian.ExtraAuthInit, teehistorian.ExtraAuthLogin, teehistorian.ExtraAuthLogout, teehistorian.ExtraTeam, teehistorian.ExtraPractice,
		teehistorian.ExtraSwap, teehistorian.ExtraSaved, teehistorian.ExtraSaveFailed, teehistorian.ExtraLoaded,
		teehistorian.ExtraLoadFailed, teehistorian.ExtraView,
	} {
		h.UUIDs = append(h.UUIDs, teehistorian.ExtraUUIDName(id))
	}
	if t.out, t.err = teehistorian.NewWriter(&t.buf, h); t.err != nil {
		return nil, t.err
	}
	for id := range game.PlayerID(game.MaxPlayers) {
		c := &t.clients[id]
		if c.TeehistorianClient = t.client(id); c.Login.Level > 0 {
			t.login(teehistorian.ExtraAuthInit, id)
		}
	}
	return t, t.err
}

func (t *Teehistorian) client(id game.PlayerID) TeehistorianClient {
	if t.cfg.Client == nil {
		return TeehistorianClient{}
	}
	return t.cfg.Client(id)
}

// Tick records a tick of the world. cmds are the commands passed to Step, and events the events
// that it returned.
func (t *Teehistorian) Tick(w *game.World, cmds []game.Command, events []game.Event) {
	t.rec.Tick = w.Tick() - 1 // commands between two ticks belong to the earlier one
	d := w.DDRaceTick()
	notes := d.Notes
	for i := range cmds {
		if len(notes) > 0 && notes[0].Command == i && notes[0].Kind == game.NoteView { // data that the command needs
			t.note(&notes[0])
			notes = notes[1:]
		}
		if len(notes) > 0 && notes[0].Command == i && notes[0].Kind == game.NoteRefused {
			notes = notes[1:]
			continue
		}
		t.command(w, &cmds[i], events)
		for ; len(notes) > 0 && notes[0].Command == i; notes = notes[1:] {
			t.note(&notes[0])
		}
	}
	for i := range notes {
		t.note(&notes[i])
	}
	for id := range t.clients {
		t.seat(d, game.PlayerID(id))
	}
	for id, team := range d.Teams {
		if team != t.teams[id] {
			t.teams[id] = team
			t.extra(teehistorian.ExtraTeam, int32(id), int32(team))
		}
	}
	for changed, team := d.Practice^t.practice, int32(0); changed != 0; changed, team = changed>>1, team+1 {
		if changed&1 != 0 {
			t.extra(teehistorian.ExtraPractice, team, int32(d.Practice>>team&1))
		}
	}
	t.practice = d.Practice
	for i := range d.Inputs {
		t.input(&d.Inputs[i])
	}
	t.rec.Tick++
	for id := range game.PlayerID(game.MaxPlayers) {
		t.tee(d, id)
	}
}

// command records an action of a player.
func (t *Teehistorian) command(w *game.World, cmd *game.Command, events []game.Event) {
	if cmd.Kind == game.CmdTuneParams {
		t.tuned(cmd.Tuning)
		return
	}
	if cmd.Kind == game.CmdConsoleCommand || cmd.Kind == game.CmdSetVariable {
		t.console(cmd, teehistorian.FromRcon)
		return
	}
	if cmd.Player < 0 || cmd.Player >= game.MaxPlayers {
		return
	}
	c := &t.clients[cmd.Player]
	switch cmd.Kind {
	case game.CmdJoin:
		t.join(cmd.Player)
	case game.CmdLeave:
		if c.here {
			t.begin(teehistorian.Drop, cmd.Player).Reason = cmd.Text
			t.write()
		}
		*c = historyClient{alive: c.alive}
	case game.CmdEnterGame:
		t.seat(w.DDRaceTick(), cmd.Player) // record the seat first: the player begins there
		t.extra(teehistorian.ExtraReady, int32(cmd.Player))
		c.entered = true
		t.version(cmd.Player)
	case game.CmdProfile:
		t.profile(w, cmd)
	case game.CmdSkinChange, game.CmdEmoticon, game.CmdSpectate:
		t.message(cmd)
	case game.CmdKill:
		if killedSelf(cmd.Player, events) { // the server did not reject it
			t.message(cmd)
		}
	case game.CmdChatCommand:
		if name, _, _ := strings.Cut(cmd.Text, "\x00"); name != "kill" || killedSelf(cmd.Player, events) {
			t.console(cmd, teehistorian.FromChat)
		}
	}
}

// profile records a profile with the name that the player has in the game, since commands refer to
// that name.
func (t *Teehistorian) profile(w *game.World, cmd *game.Command) {
	named := *cmd
	if p, ok := w.Player(cmd.Player); ok && cmd.Profile != nil && p.Profile.Name != "" {
		profile := *cmd.Profile
		profile.Name, named.Profile = p.Profile.Name, &profile
	}
	t.message(&named)
}

func killedSelf(id game.PlayerID, events []game.Event) bool {
	for i := range events {
		if e := &events[i]; e.Kind == game.EvKill && e.Target == id && e.Weapon == game.WeaponSelf {
			return true
		}
	}
	return false
}

func (t *Teehistorian) join(id game.PlayerID) {
	c := &t.clients[id]
	known := c.Login
	*c = historyClient{TeehistorianClient: t.client(id), here: true, alive: c.alive}
	c.side = newMessageSide(messageSender{t, id}, c.IsSeven)
	kind := teehistorian.ExtraJoin6
	if c.IsSeven {
		kind = teehistorian.ExtraJoin7
	}
	t.extra(kind, int32(id))
	t.begin(teehistorian.Join, id)
	t.write()
	if c.Login.Level > 0 && c.Login != known { // logged in before joining
		t.login(teehistorian.ExtraAuthLogin, id)
	}
}

// version records the release of DDNet's client.
func (t *Teehistorian) version(id game.PlayerID) {
	switch c := &t.clients[id]; {
	case c.DDNet != nil:
		data := append(packer.AppendInt(nil, int32(id)), c.DDNet.ConnectionID[:]...)
		t.raw(teehistorian.ExtraDDNetVersion, appendText(packer.AppendInt(data, c.DDNetVersion), c.DDNet.Release))
	case c.DDNetVersion > 0:
		t.extra(teehistorian.ExtraDDNetOld, int32(id), c.DDNetVersion)
	}
}

// DDNetVersion records the release of a client that sends it after joining.
func (t *Teehistorian) DDNetVersion(id game.PlayerID, version int32) {
	c := &t.clients[id]
	if c.DDNetVersion = version; c.entered {
		t.version(id)
	}
}

// Login records that a client has logged in to the remote console or logged out.
func (t *Teehistorian) Login(id game.PlayerID, l TeehistorianLogin) {
	c := &t.clients[id]
	if !c.here || l.Level == c.Login.Level {
		return
	}
	if c.Login = l; l.Level > 0 {
		t.login(teehistorian.ExtraAuthLogin, id)
	} else {
		t.extra(teehistorian.ExtraAuthLogout, int32(id))
	}
}

func (t *Teehistorian) login(kind message.UUID, id game.PlayerID) {
	l := &t.clients[id].Login
	t.raw(kind, appendText(packer.AppendInts(nil, []int32{int32(id), l.Level}), l.Name))
}

// note records a consequence of a command.
func (t *Teehistorian) note(n *game.DDRaceNote) {
	kind := teehistorian.ExtraSaved
	switch team := int32(n.Team); n.Kind {
	case game.NoteSwap:
		t.extra(teehistorian.ExtraSwap, int32(n.Players[0]), int32(n.Players[1]))
		return
	case game.NoteView:
		t.extra(teehistorian.ExtraView, int32(n.Players[0]), vec.Round(n.Pos.X), vec.Round(n.Pos.Y))
		return
	case game.NoteSaveFailed:
		t.extra(teehistorian.ExtraSaveFailed, team)
		return
	case game.NoteLoadFailed:
		t.extra(teehistorian.ExtraLoadFailed, team)
		return
	case game.NoteLoaded:
		kind = teehistorian.ExtraLoaded
	}
	id, _ := message.ParseUUID(n.SaveID) // saves of other servers may have other ids
	t.raw(kind, appendText(append(packer.AppendInt(nil, int32(n.Team)), id[:]...), n.Save))
}

// seat records that a player joins or leaves the spectators.
func (t *Teehistorian) seat(d *game.DDRaceTick, id game.PlayerID) {
	c := &t.clients[id]
	if spectator := d.Spectators.Has(id); c.here && spectator != c.spectator {
		c.spectator = spectator
		cmd := game.Command{Kind: game.CmdSetTeam, Player: id, Team: game.TeamRed}
		if spectator {
			cmd.Team = game.TeamSpectators
		}
		t.message(&cmd)
	}
}

func (t *Teehistorian) message(cmd *game.Command) {
	if c := &t.clients[cmd.Player]; c.side != nil {
		c.side.SendCommand(cmd)
	}
}

// messageSender records the messages of a client.
type messageSender struct {
	t  *Teehistorian
	id game.PlayerID
}

// Queue implements bridge.Sender.
func (s messageSender) Queue(payload []byte, _ bool) {
	s.t.begin(teehistorian.Message, s.id).Data = payload
	s.t.write()
}

// FlushSoon implements bridge.Sender.
func (messageSender) FlushSoon() {}

// console records a command of a mode or mod.
func (t *Teehistorian) console(cmd *game.Command, from int32) {
	args := strings.Split(cmd.Text, "\x00")
	t.run(cmd.Player, from, args[0], args[1:]...)
}

func (t *Teehistorian) run(id game.PlayerID, from int32, name string, args ...string) {
	r := t.begin(teehistorian.Command, id)
	r.Name, r.Args, r.Flags = name, args, from
	t.write()
}

// tuned records a change of the tuning.
func (t *Teehistorian) tuned(to *game.Tuning) {
	if to == nil {
		return
	}
	for i, v := range to {
		if v != t.tuning[i] {
			t.run(game.Nobody, teehistorian.FromRcon, "tune", physics.TuneParamName(i), hundredths(v))
		}
	}
	t.tuning = *to
}

// hundredths returns a text that the command tune reads as v hundredths. tune truncates numbers.
func hundredths(v int32) string {
	text := strconv.FormatFloat(float64(v)/100, 'f', 2, 64)
	if f, _ := strconv.ParseFloat(text, 32); vec.Trunc(float32(f)*100) != v {
		text += "5"
	}
	return text
}

func (t *Teehistorian) input(in *ddrace.PlayerInput) {
	c, n := &t.clients[in.Player], &in.Input
	kind := teehistorian.InputNew
	if c.hasInput {
		kind = teehistorian.InputDiff
	}
	c.hasInput = true
	const playing = 1
	flags := n.Flags
	if flags == 0 {
		flags = playing
	}
	t.begin(kind, game.PlayerID(in.Player)).Input = teehistorian.Input{
		n.Direction, n.TargetX, n.TargetY, number(n.Jump), n.Fire, number(n.Hook), flags, n.WantedWeapon, n.NextWeapon, n.PrevWeapon,
	}
	t.write()
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func (t *Teehistorian) tee(d *game.DDRaceTick, id game.PlayerID) {
	c, kind := &t.clients[id], teehistorian.Moved
	alive := d.Alive.Has(id)
	switch {
	case !alive && !c.alive:
		return
	case !c.alive:
		kind = teehistorian.New
	case !alive:
		kind = teehistorian.Old
	}
	c.alive = alive
	if r := t.begin(kind, id); alive {
		r.Pos = teehistorian.Point{X: vec.Round(d.Pos[id].X), Y: vec.Round(d.Pos[id].Y)}
	}
	t.write()
}

// extra records an extra that consists of numbers.
func (t *Teehistorian) extra(id message.UUID, numbers ...int32) {
	t.raw(id, packer.AppendInts(nil, numbers))
}

// raw records an extra.
func (t *Teehistorian) raw(id message.UUID, data []byte) {
	r := t.begin(teehistorian.Extra, 0)
	r.ID, r.Data = id, data
	t.write()
}

// appendText appends a text in the format of extras.
func appendText(dst []byte, s string) []byte {
	s, _, _ = strings.Cut(s, "\x00")
	return append(append(dst, s...), 0)
}

// begin begins a record of the current tick. write writes it.
func (t *Teehistorian) begin(kind teehistorian.Kind, id game.PlayerID) *teehistorian.Record {
	t.rec = teehistorian.Record{Kind: kind, Tick: t.rec.Tick, Client: int32(id)}
	return &t.rec
}

func (t *Teehistorian) write() {
	if err := t.out.Write(&t.rec); err != nil && t.err == nil {
		t.err = err
	}
}

// Take appends the data recorded since its last call. An error is permanent and ends the recording.
func (t *Teehistorian) Take(dst []byte) ([]byte, error) {
	if err := t.out.Flush(); err != nil && t.err == nil {
		t.err = err
	}
	dst = append(dst, t.buf.Bytes()...)
	t.buf.Reset()
	return dst, t.err
}

// End records the end of the match.
func (t *Teehistorian) End() {
	t.begin(teehistorian.Finish, 0)
	t.write()
}
