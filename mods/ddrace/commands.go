package ddrace

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// choices are the choices that a player made with commands, and the ticks of some actions. Ticks
// are those of the simulation; 0 means never.
type choices struct {
	Timer        timerType
	NinjaJetpack bool
	PlainEyes    bool  // emoticons do not change the eyes
	Clock        int32 // tick of the last broadcast of the race time
	Killed       int32
	Paused       int32 // tick of the last change of the pause
	ForcePaused  int32 // tick at which an operator's pause ends
}

// timerType selects where a player sees their race time.
type timerType uint8

// The timer types, with the numbers of sv_default_timer_type.
const (
	timerGame timerType = iota
	timerBroadcast
	timerBoth
	timerNone
	numTimers
)

var timerNames = [numTimers]string{"gametimer", "broadcast", "both", "none"}

// declareCommands declares the commands for a player's own race and view.
func (m *Mode) declareCommands(setup *game.Setup) {
	for _, c := range []game.CommandSpec{
		{Name: "kill", Help: "Kills your tee even if sv_kill_protection protects it", Run: m.commandKill},
		{Name: "rescue", Help: "Returns you to your last place on the ground", Run: m.commandRescue},
		{Name: "r", Help: "Returns you to your last place on the ground", Run: m.commandRescue},
		{Name: "tp", Private: true, Params: "?r[player name]", Help: "In practice: teleports you to your view, or to a player", Run: m.commandTele},
		{Name: "teleport", Private: true, Params: "?r[player name]", Help: "In practice: teleports you to your view, or to a player", Run: m.commandTele},
		{Name: "pause", Private: true, Params: "?r[player name]", Help: "Frees your camera while your tee stays", Run: m.commandPause},
		{Name: "spec", Private: true, Params: "?r[player name]", Help: "Frees your camera; your tee disappears if that is allowed", Run: m.commandSpec},
		{Name: "time", Help: "Shows your time", Run: m.commandTime},
		{Name: "saytime", Private: true, Params: "?r[player name]", Help: "Tells you your race time, or a player's", Run: m.commandSayTime},
		{Name: "saytimeall", Help: "Tells all players your race time", Run: m.commandSayTimeAll},
		{Name: "timer", Private: true, Params: "?s['gametimer'|'broadcast'|'both'|'none'|'default']", Help: "Sets where you see your race time",
			Run: m.commandTimer},
		{Name: "showothers", Params: "?i['0'|'1'|'2']", Help: "Sets whether you see tees of other teams", Run: m.commandShowOthers},
		{Name: "showall", Params: "?i['0'|'1']", Help: "Sets whether you see distant tees", Run: m.commandShowAll},
		{Name: "specteam", Params: "?i['0'|'1']", Help: "Sets whether a free camera sees only your team", Run: m.commandSpecTeam},
		{Name: "ninjajetpack", Params: "?i['0'|'1']", Help: "Sets whether a jetpack looks like a ninja", Run: m.commandNinjaJetpack},
		{Name: "eyeemote", Private: true, Params: "?s['on'|'off'|'toggle']", Help: "Sets whether emoticons change the eyes of your tee",
			Run: m.commandEyeEmote},
		{Name: "timecp", Private: true, Params: "?r[player name]", Help: "Compares your checkpoints with those of a player's best race", Run: m.commandTimeCP},
		{Name: "me", Params: "r[text]", Help: "Says in the chat what you do", Run: m.commandMe},
		{Name: "settings", Private: true, Params: "?s[setting]", Help: "Shows the rules of this server", Run: m.commandSettings},
	} {
		setup.ChatCommand(c)
	}
}

// chosen returns the choices of a player.
func (m *Mode) chosen(id game.PlayerID) *choices { return &m.state.Players[id] }

// named returns the player with exactly this name.
func named(tx *game.Tx, name string) (game.PlayerID, bool) {
	for p := range tx.Players() {
		if p.Name() == name {
			return p.ID(), true
		}
	}
	return game.Nobody, false
}

// toggle returns the argument of a command as a switch. Without an argument it returns the opposite
// of now.
func toggle(c *game.CommandCall, now bool) bool {
	if len(c.Args) == 0 {
		return !now
	}
	return c.Int(0) != 0
}

// protected reports whether the race of a player is so long that a key press must not end it
// (sv_kill_protection).
func (m *Mode) protected(w *ddrace.World, id game.PlayerID) bool {
	t := w.AliveTee(int(id))
	return t != nil && m.vars.KillProtection != 0 && t.Race == ddrace.RaceStarted &&
		(w.Tick()-t.StartTick)/game.TickRate >= 60*m.vars.KillProtection
}

// OnSelfKill kills the tee of a player at their own wish. It refuses in a long race and shortly
// after the last death.
func (m *Mode) OnSelfKill(ctx *game.Ctx, id game.PlayerID) {
	player := ctx.Player(id)
	w, p := ctx.DDRace(), m.chosen(id)
	switch {
	case p.Killed != 0 && p.Killed+m.vars.KillDelay*game.TickRate > w.Tick(), player.Camera().Pause() != game.NotPaused:
	case m.protected(w, id):
		player.Say("Kill Protection enabled. If you really want to kill, type /kill")
	default:
		p.Killed = w.Tick()
		return
	}
	ctx.Cancel()
}

// JoinTeam refuses players who want to leave a long race or who have paused. A change by an
// operator ends a pause.
func (m *Mode) JoinTeam(ctx *game.Ctx, r *game.TeamRequest) {
	switch {
	case r.Cause == game.JoinConnect:
	case r.Cause != game.JoinPlayer && (r.Team == game.TeamSpectators) == (r.From == game.TeamSpectators): // teehistorian files cannot record such a change
	case r.Cause != game.JoinPlayer:
		m.setPause(&ctx.Tx, r.Player, game.NotPaused)
	case m.protected(ctx.DDRace(), r.Player):
		r.Refusal = "Kill Protection enabled. If you really want to join the spectators, first type /kill"
		ctx.Cancel()
	case ctx.Player(r.Player).Camera().Pause() != game.NotPaused:
		r.Refusal = "Use /pause first then you can kill"
		ctx.Cancel()
	}
}

func (m *Mode) commandKill(ctx *game.Ctx, c *game.CommandCall) {
	if w := ctx.DDRace(); m.protected(w, c.Player) {
		w.Die(int(c.Player), ddrace.WeaponSelf)
	}
}

func (m *Mode) commandRescue(ctx *game.Ctx, c *game.CommandCall) {
	w, id := ctx.DDRace(), int(c.Player)
	switch {
	case w.AliveTee(id) == nil:
	case !m.rescues(ctx, c):
	case m.chosen(c.Player).ForcePaused != 0:
		m.sayForcePaused(ctx, c.Player)
	case is20(w) && w.SetRescue(id):
	default:
		if w.CanRescue(id) {
			m.setPause(&ctx.Tx, c.Player, game.NotPaused)
		}
		w.Rescue(id)
	}
}

// rescues reports whether a player may use rescue. If not, it tells the player.
func (m *Mode) rescues(ctx *game.Ctx, c *game.CommandCall) bool {
	w := ctx.DDRace()
	can := w.Settings().Rescue != 0 || w.Practises(w.Team(int(c.Player)))
	if !can {
		ctx.Player(c.Player).Say("Rescue is not enabled on this server and you're not in a team with /practice turned on. " +
			"Note that you can't earn a rank with practice enabled.")
	}
	return can
}

func (m *Mode) commandTele(ctx *game.Ctx, c *game.CommandCall) { m.teleport(ctx, c, false) }

func (m *Mode) commandTeleCursor(ctx *game.Ctx, c *game.CommandCall) {
	m.teleport(ctx, c, ctx.Player(c.Player).Camera().Pause() == game.NotPaused)
}

// teleport teleports a player in practice: to the named player, or without a name to the crosshair
// of the tee (aims) or to the middle of the player's view.
func (m *Mode) teleport(ctx *game.Ctx, c *game.CommandCall, aims bool) {
	p := ctx.Player(c.Player)
	w, id := ctx.DDRace(), int(c.Player)
	if w.AliveTee(id) == nil {
		return
	}
	if !w.Practises(w.Team(id)) {
		p.Say(ddrace.NotInPractice)
		return
	}
	var to ddrace.Vec
	switch {
	case len(c.Args) == 0 && aims:
		to = w.Crosshair(id)
	case len(c.Args) == 0:
		to = viewOf(ctx, c.Player)
	default:
		other, ok := named(&ctx.Tx, c.Arg(0))
		if !ok {
			p.Say("No player with this name found.")
			return
		}
		t := w.AliveTee(int(other))
		if t == nil {
			return
		}
		to = t.Pos
	}
	w.TeleportInPractice(id, to)
}

// viewOf returns the middle of a player's view, as the goal of a teleport.
func viewOf(ctx *game.Ctx, id game.PlayerID) ddrace.Vec {
	p := ctx.Player(id)
	at := p.Camera().Pos()
	if p.Camera().Pause() != game.NotPaused || ctx.DDRace().AliveTee(int(id)) == nil {
		ctx.NoteDDRace(game.DDRaceNote{Kind: game.NoteView, Players: [2]game.PlayerID{id}, Pos: at}) // the view is not at the tee
	}
	return at
}

func (m *Mode) commandPause(ctx *game.Ctx, c *game.CommandCall) { m.pause(ctx, c, game.PauseInPlace) }

func (m *Mode) commandSpec(ctx *game.Ctx, c *game.CommandCall) {
	w, id := ctx.DDRace(), int(c.Player)
	kind := game.PauseInPlace
	if w.Settings().Pauseable != 0 || is20(w) && w.AliveTee(id) != nil && w.Practises(w.Team(id)) {
		kind = game.PauseVanished
	}
	m.pause(ctx, c, kind)
}

// pause pauses a player, or ends the pause. With a name in the command the player watches that
// player.
func (m *Mode) pause(ctx *game.Ctx, c *game.CommandCall, kind game.PauseKind) {
	w, id, p := ctx.DDRace(), c.Player, m.chosen(c.Player)
	if p.ForcePaused != 0 {
		m.sayForcePaused(ctx, id)
		return
	}
	now := ctx.Player(id).Camera().Pause()
	at, found := named(&ctx.Tx, c.Arg(0))
	if now != game.NotPaused && len(c.Args) == 0 || now == kind && found && ctx.Player(id).Camera().Watches() == at {
		kind = game.NotPaused
	}
	often := m.vars.PauseFrequency * game.TickRate
	back := kind != game.PauseVanished && now == game.PauseVanished && w.Tee(int(id)) == nil
	if back && p.Paused != 0 && p.Paused+often > w.Tick() {
		ctx.Player(id).Say("Can't /spec that quickly.")
		return
	}
	m.setPause(&ctx.Tx, id, kind)
	if kind != game.NotPaused && found && at != id {
		ctx.Player(id).Camera().Watch(at)
	}
}

// setPause pauses a player or ends the pause, and stores the tick. It reports whether the player
// has a tee.
func (m *Mode) setPause(tx *game.Tx, id game.PlayerID, kind game.PauseKind) bool {
	p := tx.Player(id)
	changes := kind != p.Camera().Pause()
	if changes {
		m.chosen(id).Paused = tx.DDRace().Tick()
	}
	hasTee := p.Camera().SetPause(kind)
	if changes && hasTee && m.vars.PauseMessages != 0 {
		what := "speced"
		if kind == game.NotPaused {
			what = "resumed"
		}
		tx.Say(fmt.Sprintf("'%s' %s", p.Name(), what))
	}
	return hasTee
}

// raceTime formats the time since the start of a tee's race, or since its spawn if it does not
// race.
func raceTime(w *ddrace.World, t *ddrace.Tee) string {
	s := (w.Tick() - t.StartTick) / game.TickRate
	if s < 3600 {
		return fmt.Sprintf("%02d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

func (m *Mode) commandTime(ctx *game.Ctx, c *game.CommandCall) {
	if t := ctx.DDRace().AliveTee(int(c.Player)); t != nil {
		ctx.Player(c.Player).Broadcast("Your time is " + raceTime(ctx.DDRace(), t))
		// The next broadcast of the clock waits until this text is gone.
		m.chosen(c.Player).Clock = ctx.DDRace().Tick() + (10-m.vars.TimeInterval)*game.TickRate
	}
}

func (m *Mode) commandSayTime(ctx *game.Ctx, c *game.CommandCall) {
	id, whose := c.Player, "Your"
	if len(c.Args) > 0 {
		var ok bool
		if id, ok = named(&ctx.Tx, c.Arg(0)); !ok {
			return
		}
		whose = ctx.Player(id).Name() + "'s"
	}
	if t := ctx.DDRace().AliveTee(int(id)); t != nil && t.Race == ddrace.RaceStarted {
		ctx.Player(c.Player).Say(fmt.Sprintf("%s current race time is %s", whose, raceTime(ctx.DDRace(), t)))
	}
}

func (m *Mode) commandSayTimeAll(ctx *game.Ctx, c *game.CommandCall) {
	if t := ctx.DDRace().AliveTee(int(c.Player)); t != nil && t.Race == ddrace.RaceStarted {
		ctx.Say(fmt.Sprintf("%s's current race time is %s", ctx.Player(c.Player).Name(), raceTime(ctx.DDRace(), t)))
	}
}

func (m *Mode) commandTimer(ctx *game.Ctx, c *game.CommandCall) {
	player := ctx.Player(c.Player)
	p := m.chosen(c.Player)
	if len(c.Args) > 0 {
		kind := numTimers
		for i, name := range timerNames {
			if name == c.Arg(0) {
				kind = timerType(i)
			}
		}
		if c.Arg(0) == "default" {
			kind = timerType(m.vars.TimerType)
		}
		if kind == numTimers {
			player.Say("Unknown parameter. Accepted values: default, gametimer, broadcast, both, none")
			return
		}
		m.setTimer(&ctx.Tx, c.Player, kind)
	}
	switch p.Timer {
	case timerNone:
		player.Say("Timer isn't displayed.")
	default:
		player.Say("Timer is displayed in " + [...]string{"game/round timer.", "broadcast.",
			"both game/round timer and broadcast."}[min(p.Timer, timerBoth)])
	}
}

// setTimer sets where a player sees the clock.
func (m *Mode) setTimer(tx *game.Tx, id game.PlayerID, kind timerType) {
	player := tx.Player(id)
	p := m.chosen(id)
	shown := func(t timerType) bool { return t == timerBroadcast || t == timerBoth }
	if shown(p.Timer) && !shown(kind) {
		player.Broadcast("")
	}
	p.Timer = kind
	player.SetHideClock(kind == timerBroadcast || kind == timerNone)
}

// showClocks broadcasts the race time to the players who chose that.
func (m *Mode) showClocks(ctx *game.Ctx) {
	w := ctx.DDRace()
	for player := range ctx.Players() {
		p := m.chosen(player.ID())
		if p.Timer != timerBroadcast && p.Timer != timerBoth || p.Clock+m.vars.TimeInterval*game.TickRate > w.Tick() {
			continue
		}
		if t := w.AliveTee(int(player.ID())); t != nil && t.Race == ddrace.RaceStarted {
			player.Broadcast(raceTime(w, t))
			p.Clock = w.Tick()
		}
	}
}

func (m *Mode) commandShowOthers(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	if m.vars.ShowOthers == 0 {
		p.Say("Showing players from other teams is disabled")
		return
	}
	switch show := game.ShowOthers(min(max(c.Int(0), 0), int32(game.ShowOthersTeam))); {
	case len(c.Args) > 0:
		p.Camera().SetShowOthers(show)
	case p.Camera().ShowOthers() == game.ShowOthersOff:
		p.Camera().SetShowOthers(game.ShowOthersOn)
	default:
		p.Camera().SetShowOthers(game.ShowOthersOff)
	}
}

func (m *Mode) commandShowAll(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	on := toggle(c, p.Camera().ShowAll())
	if len(c.Args) > 0 && on == p.Camera().ShowAll() {
		return
	}
	p.Camera().SetShowAll(on)
	if on {
		p.Say("You will now see all tees on this server, no matter the distance")
	} else {
		p.Say("You will no longer see all tees on this server")
	}
}

func (m *Mode) commandSpecTeam(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	p.Camera().SetSpecTeam(toggle(c, p.Camera().SpecTeam()))
}

func (m *Mode) commandNinjaJetpack(ctx *game.Ctx, c *game.CommandCall) {
	p := m.chosen(c.Player)
	p.NinjaJetpack = toggle(c, p.NinjaJetpack)
	if t := ctx.DDRace().AliveTee(int(c.Player)); t != nil {
		t.NinjaJetpack = p.NinjaJetpack
	}
}

func (m *Mode) commandEyeEmote(ctx *game.Ctx, c *game.CommandCall) {
	player := ctx.Player(c.Player)
	p := m.chosen(c.Player)
	switch strings.ToLower(c.Arg(0)) {
	case "on":
		p.PlainEyes = false
	case "off":
		p.PlainEyes = true
	case "toggle":
		p.PlainEyes = !p.PlainEyes
	}
	if p.PlainEyes {
		player.Say("You don't have any eye emotes, remember to bind some. (until you die)")
	} else {
		player.Say("You can now use the preset eye emotes.")
	}
}

// emoticonEyes are the eyes for each emoticon, in the order of the messages.
var emoticonEyes = [...]game.Emote{
	game.EmotePain, game.EmoteSurprise, game.EmoteHappy, game.EmoteBlink, game.EmoteBlink, game.EmoteHappy, game.EmotePain, game.EmoteSurprise,
	game.EmotePain, game.EmoteAngry, game.EmoteAngry, game.EmoteAngry, game.EmoteBlink, game.EmoteSurprise, game.EmoteHappy, game.EmoteSurprise,
}

// OnEmoticon sets the eyes of a tee for two seconds, to fit an emoticon.
func (m *Mode) OnEmoticon(ctx *game.Ctx, id game.PlayerID, emoticon int32) {
	if m.vars.EmotionalTees != 0 && !m.chosen(id).PlainEyes {
		ctx.Player(id).SetEmote(emoticonEyes[emoticon], 2*game.TickRate)
	}
}

func (m *Mode) commandTimeCP(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	if m.vars.HideScore != 0 {
		p.Say("Showing the checkpoint times is not allowed on this server.")
		return
	}
	ctx.Rank(game.RankRequest{Op: game.RankBest, By: c.Player, Name: cmp.Or(c.Arg(0), p.Name())})
}

func (m *Mode) commandMe(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	if m.vars.SlashMe == 0 {
		p.Say("/me is disabled on this server")
		return
	}
	ctx.Say(fmt.Sprintf("### '%s' %s", p.Name(), c.Arg(0)))
}

func (m *Mode) commandSettings(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	s := ctx.DDRace().Settings()
	choose := func(on bool, yes, no string) {
		if !on {
			yes = no
		}
		p.Say(yes)
	}
	switch c.Arg(0) {
	case "":
		p.Say("to check a server setting say /settings and setting's name, setting names are:")
		p.Say("teams, cheats, collision, hooking, endlesshooking, me, ")
		p.Say("hitting, oldlaser, timeout, votes, pause and scores")
	case "teams":
		what := [...]string{"Teams are not available on this server", "Teams are available on this server",
			"You have to be in a team to play on this server", "Teams are not available on this server"}
		p.Say(what[s.Team&3] + " and all of your team will die if the team is locked")
	case "cheats":
		choose(m.vars.TestCommands != 0, "Cheats are enabled on this server", "Cheats are disabled on this server")
	case "collision":
		choose(s.Tuning[ddrace.PlayerCollision] != 0, "Players can collide on this server", "Players can't collide on this server")
	case "hooking":
		choose(s.Tuning[ddrace.PlayerHooking] != 0, "Players can hook each other on this server", "Players can't hook each other on this server")
	case "endlesshooking":
		choose(s.EndlessDrag != 0, "Players hook time is unlimited", "Players hook time is limited")
	case "hitting":
		choose(s.Hit != 0, "Players weapons affect others", "Players weapons has no affect on others")
	case "oldlaser":
		choose(s.OldLaser != 0, "Lasers can hit you if you shot them and they pull you towards the bounce origin (Like DDRace Beta)",
			"Lasers can't hit you if you shot them, and they pull others towards the shooter")
	case "me":
		choose(m.vars.SlashMe != 0, "Players can use /me commands the famous IRC Command", "Players can't use the /me command")
	case "pause":
		choose(s.Pauseable != 0, "/spec will pause you and your tee will vanish", "/spec will pause you but your tee will not vanish")
	case "scores":
		choose(m.vars.HideScore != 0, "Scores are private on this server", "Scores are public on this server")
	default:
		p.Say("no matching settings found, type /settings to view them")
	}
}
