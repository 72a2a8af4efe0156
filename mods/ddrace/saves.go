package ddrace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
)

// saves is the state of saving, loading and swapping. Ticks are those of the simulation.
type saves struct {
	Of       [numTeams]saving
	Next     [game.MaxPlayers]int32 // first tick in which the player may save or load again
	SwapWith [game.MaxPlayers]uint8 // 1 + the player to swap with, 0 for none
	LastSwap [numTeams]int32        // tick of the team's last swap request
}

// saving is a pending request of a team to the ranks. While it is pending, no player can join the
// team, and members who die stay in it.
type saving struct {
	Request int32 // ID of the request, 0 for none
	By      int8
	Tries   uint8
	Num     uint8
	IDs     [game.MaxPlayers]int8 // the player of each saved tee
}

// saveTries is how many codes are tried. The first one is the player's.
const saveTries = 4

// noGameID stands for a missing game ID, because DDNet's format of saves requires one.
const noGameID = "00000000-0000-0000-0000-000000000000"

// codeWords are the words of generated codes. A code of three words is one of 970,299.
var codeWords = strings.Fields(`
	acorn amber anvil apple arrow atlas bacon badge baker basil beach berry birch bison blaze bloom board brick brook brush
	cabin camel candy cargo cedar chalk charm chess cider cliff cloud clover coast cobra comet coral crane crest crown daisy
	dance delta diary dough dream drift drums eagle earth ember fable fairy feast fence ferry field flame flute focus forest
	frost fruit giant glass globe grape grass guava guide habit hazel heart hedge honey horse hotel igloo ivory jelly jewel
	juice kayak koala label lemon light lilac linen llama lotus lunar mango maple march melon metal mirror model moose`)

// declareSaves declares the commands save, load and swap.
func (m *Mode) declareSaves(setup *game.Setup) {
	for _, c := range []game.CommandSpec{
		{Name: "save", Params: "?r[code]", Help: "Saves your team, for /load with the code", Run: m.commandSave},
		{Name: "load", Private: true, Params: "?r[code]", Help: "Loads a saved team; without a code, counts your saves", Run: m.commandLoad},
		{Name: "swap", Private: true, Params: "?r[player name]", Help: "Asks a player of your team to swap tees", Run: m.commandSwap},
	} {
		setup.ChatCommand(c)
	}
	setup.ChatCommand(for20(game.CommandSpec{Name: "cancelswap", Help: "Withdraws your request to swap", Run: m.commandCancelSwap}))
}

// isSaving reports whether a team waits for an answer of the ranks.
func (m *Mode) isSaving(team uint8) bool {
	return team < numTeams && m.state.Saves.Of[team].Request != 0
}

// mayAsk reports whether a player may save or load now. If saving is disabled, it tells the player.
func (m *Mode) mayAsk(ctx *game.Ctx, c *game.CommandCall) bool {
	w, next := ctx.DDRace(), &m.state.Saves.Next[c.Player]
	if m.vars.SaveGames == 0 {
		ctx.Player(c.Player).Say("Save-function is disabled on this server")
		return false
	}
	if w.Tick() < *next || m.isSaving(w.Team(int(c.Player))) {
		return false
	}
	*next = w.Tick() + game.TickRate
	return true
}

func (m *Mode) commandSave(ctx *game.Ctx, c *game.CommandCall) {
	if !m.mayAsk(ctx, c) {
		return
	}
	w := ctx.DDRace()
	team := w.Team(int(c.Player))
	say := func(text string) { ctx.Player(c.Player).Say(text) }
	switch {
	case is20(w) && w.Practises(team):
		say("Team save disabled for teams in practice mode")
		return
	case w.AsZero(team):
		say("Team can't be saved while in team 0 mode")
		return
	case !w.RacesTogether(team):
		say("You have to be in a team (from 1-63)")
		return
	case m.state.Teams.State[team] != teamStarted:
		say("Your team has not started yet")
		return
	case w.BlocksSave(team):
		say("Team can't be saved while a dragger is active")
		return
	}
	saved, ids, ok := w.SaveTeam(team, m.vars.SavePenalty*game.TickRate)
	if !ok {
		say("To save all players in your team have to be alive and not in '/spec'")
		return
	}
	of := &m.state.Saves.Of[team]
	*of = saving{By: int8(c.Player), Num: uint8(len(ids))}
	saved.State = int32(m.state.Teams.State[team])
	var names []string
	for i, id := range ids {
		player := game.PlayerID(id)
		t := &saved.Tees[i]
		t.Name, t.GameID, t.Paused = ctx.Player(player).Name(), noGameID, int32(ctx.Player(player).Camera().Pause())
		t.Started, t.Finished = m.state.Teams.Started.Has(player), m.state.Teams.Finished.Has(player)
		of.IDs[i] = int8(id)
		names = append(names, t.Name)
	}
	code := c.Arg(0)
	if code == "" {
		code = newCode(&ctx.Tx)
	}
	of.Request = ctx.Rank(game.RankRequest{Op: game.RankSave, By: game.Nobody, Code: code, Text: string(saved.Append(nil)), Names: names})
	if of.Request == 0 {
		say("This save-code is too long")
		return
	}
	m.killTeam(w, team, -1, -1)
}

// newCode returns a random code. It is most likely not in use.
func newCode(tx *game.Tx) string {
	words := make([]string, 3)
	for i := range words {
		words[i] = codeWords[tx.Rand(len(codeWords))]
	}
	return strings.Join(words, " ")
}

func (m *Mode) commandLoad(ctx *game.Ctx, c *game.CommandCall) {
	p := ctx.Player(c.Player)
	if !m.mayAsk(ctx, c) {
		return
	}
	w := ctx.DDRace()
	team := w.Team(int(c.Player))
	switch {
	case len(c.Args) == 0:
		ctx.Rank(game.RankRequest{Op: game.RankSaves, By: c.Player, Name: p.Name()})
	case !w.RacesTogether(team) && !w.AsZero(team):
		p.Say("You have to be in a team (from 1-63)")
	case m.state.Teams.State[team] != teamOpen:
		p.Say("Team can't be loaded while racing")
	case w.AsZero(team):
		p.Say("Team can't be loaded while in team 0 mode")
	case is20(w) && w.Practises(team):
		p.Say("Team can't be loaded while practice is enabled")
	default:
		m.state.Saves.Of[team] = saving{By: int8(c.Player), Request: ctx.Rank(game.RankRequest{Op: game.RankSaved, By: game.Nobody, Code: c.Arg(0)})}
	}
}

// storedSave handles an answer of the ranks about saves. It returns false for other answers.
func (m *Mode) storedSave(ctx *game.Ctx, a *game.RankAnswer) bool {
	if a.Op != game.RankSave && a.Op != game.RankSaved && a.Op != game.RankLoad {
		return false
	}
	team := slices.IndexFunc(m.state.Saves.Of[:], func(s saving) bool { return s.Request == a.ID })
	if team < 0 {
		return true // the answer to a request from before a restart
	}
	switch a.Op {
	case game.RankSave:
		m.saved(ctx, uint8(team), a)
	case game.RankSaved:
		m.found(ctx, uint8(team), a)
	case game.RankLoad:
		m.load(ctx, uint8(team), a)
	}
	return true
}

// saved ends the saving of a team, or tries another code if the code is in use.
func (m *Mode) saved(ctx *game.Ctx, team uint8, a *game.RankAnswer) {
	of := &m.state.Saves.Of[team]
	by := game.PlayerID(of.By)
	if a.Save == nil {
		a.Save = &game.RankSaveState{}
	}
	if a.Found {
		ctx.NoteDDRace(game.DDRaceNote{Kind: game.NoteSaved, Team: team, SaveID: a.Save.ID, Save: a.Save.Text})
		m.sayToTeam(team, "Team successfully saved by %s. Use '/load %s' to continue", ctx.Player(by).Name(), a.Code)
		m.endSaving(ctx.DDRace(), team)
		return
	}
	if of.Tries++; a.Err == "" && of.Tries < saveTries {
		r := game.RankRequest{Op: game.RankSave, By: game.Nobody, Code: newCode(&ctx.Tx), Text: a.Save.Text}
		if s, err := ddrace.ParseSavedTeam(a.Save.Text); err == nil {
			for i := range s.Tees {
				r.Names = append(r.Names, s.Tees[i].Name)
			}
		}
		if id := ctx.Rank(r); id != 0 {
			of.Request = id
			return
		}
	}
	ctx.NoteDDRace(game.DDRaceNote{Kind: game.NoteSaveFailed, Team: team})
	if a.Err != "" {
		m.sayToTeam(team, "Your team could not be saved: %s", a.Err)
	} else {
		m.sayToTeam(team, "This save-code already exists")
	}
	if s, err := ddrace.ParseSavedTeam(a.Save.Text); err == nil {
		m.restore(ctx, team, s, true)
	} else {
		m.endSaving(ctx.DDRace(), team)
	}
}

// endSaving ends the race of a team that has been saved.
func (m *Mode) endSaving(w *ddrace.World, team uint8) {
	m.state.Saves.Of[team] = saving{}
	if w.Settings().ForcedSolo() {
		m.state.Teams.State[team] = teamOpen
		m.resetRound(w, team)
		return
	}
	each(members(w, team), func(id int) { w.SetTeam(id, 0) })
}

// found handles the save of a code. If the team may load it, it requests the save from the ranks.
func (m *Mode) found(ctx *game.Ctx, team uint8, a *game.RankAnswer) {
	of := &m.state.Saves.Of[team]
	by := game.PlayerID(of.By)
	why := ""
	var saved *ddrace.SavedTeam
	switch delay := int64(m.vars.SaveDelay); {
	case a.Err != "":
		why = "Unable to load savegame: " + a.Err
	case !a.Found || a.Save == nil:
		why = "No such savegame for this map"
	default:
		var err error
		if saved, err = ddrace.ParseSavedTeam(a.Save.Text); err != nil {
			why = "Unable to load savegame: data corrupted"
			break
		}
		if !slices.ContainsFunc(saved.Tees, func(t ddrace.SavedTee) bool { return t.Name == ctx.Player(by).Name() }) {
			why = "This save exists, but you are not part of it. Make sure you use the same name as you had when saving."
			break
		}
		if a.Save.Age >= 0 && a.Save.Age < delay {
			why = fmt.Sprintf("You have to wait %d seconds until you can load this savegame", delay-a.Save.Age)
			break
		}
		why = m.match(ctx, team, saved)
	}
	if why == "" {
		if of.Request = ctx.Rank(game.RankRequest{Op: game.RankLoad, By: game.Nobody, Code: a.Code, SaveID: a.Save.ID}); of.Request != 0 {
			return
		}
		why = "Unable to load savegame: too many requests"
	}
	m.loadFailed(ctx, team, why)
}

// match finds a player in the team for each saved tee. It returns an error text for players who are
// missing or do not belong to the save.
func (m *Mode) match(ctx *game.Ctx, team uint8, s *ddrace.SavedTeam) (why string) {
	of := &m.state.Saves.Of[team]
	all := members(ctx.DDRace(), team)
	if n := ctx.DDRace().Members(team); n > len(s.Tees) {
		return fmt.Sprintf("Too many players in this team, should be %d", len(s.Tees))
	}
	each(all, func(id int) {
		name := ctx.Player(game.PlayerID(id)).Name()
		if why == "" && !slices.ContainsFunc(s.Tees, func(t ddrace.SavedTee) bool { return t.Name == name }) {
			why = fmt.Sprintf("'%s' doesn't belong to this team", name)
		}
	})
	of.Num = uint8(len(s.Tees))
	for i := range s.Tees {
		of.IDs[i] = -1
		each(all, func(id int) {
			if ctx.Player(game.PlayerID(id)).Name() == s.Tees[i].Name {
				of.IDs[i] = int8(id)
			}
		})
		if why == "" && of.IDs[i] < 0 {
			why = fmt.Sprintf("'%s' has to be in this team", s.Tees[i].Name)
		}
	}
	return why
}

// load restores the save that the team has taken from the ranks.
func (m *Mode) load(ctx *game.Ctx, team uint8, a *game.RankAnswer) {
	if !a.Found || a.Save == nil {
		why := "loaded on a different server"
		if a.Err != "" {
			why = a.Err
		}
		m.loadFailed(ctx, team, "Unable to load savegame: "+why)
		return
	}
	s, err := ddrace.ParseSavedTeam(a.Save.Text)
	if err != nil || ctx.DDRace().Members(team) == 0 {
		m.putBack(ctx, team, a)
		return
	}
	ctx.NoteDDRace(game.DDRaceNote{Kind: game.NoteLoaded, Team: team, SaveID: a.Save.ID, Save: a.Save.Text})
	m.sayToTeam(team, "Loading successfully done")
	m.restore(ctx, team, s, false)
}

// putBack saves a loaded save again, because its team has left.
func (m *Mode) putBack(ctx *game.Ctx, team uint8, a *game.RankAnswer) {
	m.state.Saves.Of[team] = saving{}
	ctx.Rank(game.RankRequest{Op: game.RankSave, By: game.Nobody, Code: a.Code, Text: a.Save.Text, Names: a.Save.Who})
	ctx.NoteDDRace(game.DDRaceNote{Kind: game.NoteLoadFailed, Team: team})
}

// loadFailed tells the player who asked for a save why it cannot be loaded.
func (m *Mode) loadFailed(ctx *game.Ctx, team uint8, why string) {
	by := game.PlayerID(m.state.Saves.Of[team].By)
	m.state.Saves.Of[team] = saving{}
	ctx.NoteDDRace(game.DDRaceNote{Kind: game.NoteLoadFailed, Team: team})
	if ctx.Player(by).Connected() {
		ctx.Player(by).Say(why)
	}
}

// restore restores the saved tees of all members who are still in the team. fresh is true if saving
// failed, so that no time has passed.
func (m *Mode) restore(ctx *game.Ctx, team uint8, s *ddrace.SavedTeam, fresh bool) {
	w, of, t := ctx.DDRace(), &m.state.Saves.Of[team], &m.state.Teams
	ids := make([]int, min(int(of.Num), len(s.Tees)))
	for i := range ids {
		if ids[i] = int(of.IDs[i]); ids[i] >= 0 && (!w.InGame(ids[i]) || w.Team(ids[i]) != team || ctx.Player(game.PlayerID(ids[i])).Name() != s.Tees[i].Name) {
			ids[i] = -1
		}
	}
	if len(ids) != len(s.Tees) || w.Members(team) == 0 {
		*of = saving{}
		return
	}
	w.LoadTeam(team, s, ids, fresh)
	*of = saving{}
	t.State[team], t.KillTick[team] = min(max(teamState(s.State), teamOpen), teamFinished), -1
	for i, id := range ids {
		if id < 0 {
			continue
		}
		if !fresh {
			m.state.Began[id] = ctx.Tick()
		}
		player := game.PlayerID(id)
		t.Started.Remove(player)
		t.Finished.Remove(player)
		if s.Tees[i].Started {
			t.Started.Add(player)
		}
		if s.Tees[i].Finished {
			t.Finished.Add(player)
		}
		m.setPause(&ctx.Tx, player, game.PauseKind(s.Tees[i].Paused))
	}
	if t.State[team] == teamUnfinishable {
		t.KillTick[team] = w.Tick() + unfinishableTicks
	}
}

func (m *Mode) commandSwap(ctx *game.Ctx, c *game.CommandCall) {
	w, s, id := ctx.DDRace(), &m.state.Saves, int(c.Player)
	team := w.Team(id)
	player, found := named(&ctx.Tx, c.Arg(0))
	other := int(player)
	racing := func(id int) bool {
		t := w.AliveTee(id)
		return t != nil && t.Race == ddrace.RaceStarted
	}
	why := ""
	switch {
	case m.vars.Swap == 0:
		why = "Swap is disabled on this server."
	case team >= numTeams:
		why = "Join a team to use swap feature, which means you can swap positions with each other."
	case !found:
		why = "Player not found"
	case other == id:
		why = "Can't swap with yourself"
	case w.Team(other) != team:
		why = "Player is on a different team"
	case !w.RacesTogether(team) && !(racing(id) && racing(other)):
		why = "You and other player need to have started the map"
	case w.RacesTogether(team) && m.state.Teams.State[team] < teamStarted:
		why = "Need to have started the map to swap with a player."
	case m.isSaving(team) || w.AliveTee(id) == nil || w.AliveTee(other) == nil:
		why = "You and other player need to have started the map"
	case s.SwapWith[id] == uint8(other)+1 && s.SwapWith[other] != uint8(id)+1:
		why = fmt.Sprintf("You have already requested to swap with %s.", ctx.Player(game.PlayerID(other)).Name())
	case s.SwapWith[other] != uint8(id)+1:
		m.requestSwap(ctx, id, other, team)
	default:
		why = m.swap(ctx, id, other, team)
	}
	if why != "" {
		ctx.Player(c.Player).Say(why)
	}
}

func (m *Mode) commandCancelSwap(ctx *game.Ctx, c *game.CommandCall) {
	w, s, p := ctx.DDRace(), &m.state.Saves, ctx.Player(c.Player)
	other := game.PlayerID(s.SwapWith[c.Player]) - 1
	switch {
	case m.vars.Swap == 0:
		p.Say("Swap is disabled on this server.")
		return
	case w.Settings().ForcedSolo():
		p.Say("Swap is not available on forced solo servers.")
		return
	case other < 0 || !w.InGame(int(other)):
		p.Say("You do not have a pending swap request.")
		return
	}
	target := ctx.Player(other)
	p.Say(fmt.Sprintf("You have canceled swap with %s.", target.Name()))
	target.Say(fmt.Sprintf("%s has canceled swap with you.", p.Name()))
	if team := w.Team(int(c.Player)); team != 0 {
		rest := members(w, team).Without(game.MaskOne(c.Player)).Without(game.MaskOne(other))
		m.sayTo(rest, fmt.Sprintf("%s has canceled swap with %s.", p.Name(), target.Name()))
	}
	s.SwapWith[c.Player] = 0
}

func (m *Mode) requestSwap(ctx *game.Ctx, id, other int, team uint8) {
	name, target := ctx.Player(game.PlayerID(id)).Name(), ctx.Player(game.PlayerID(other)).Name()
	ctx.Player(game.PlayerID(id)).Say(fmt.Sprintf("You have requested to swap with %s.", target))
	ctx.Player(game.PlayerID(other)).Say(fmt.Sprintf("%s has requested to swap with you. "+
		"To complete the swap process please wait %d seconds and then type /swap %s.", name, m.vars.SaveDelay, name))
	if team != 0 {
		rest := members(ctx.DDRace(), team).Without(game.MaskOne(game.PlayerID(id))).Without(game.MaskOne(game.PlayerID(other)))
		m.sayTo(rest, fmt.Sprintf("%s has requested to swap with %s.", name, target))
	}
	m.state.Saves.SwapWith[id] = uint8(other) + 1
	m.state.Saves.LastSwap[team] = ctx.DDRace().Tick()
}

// swap exchanges the tees of two players. It returns a text if that is not possible.
func (m *Mode) swap(ctx *game.Ctx, id, other int, team uint8) (why string) {
	w, s, t := ctx.DDRace(), &m.state.Saves, &m.state.Teams
	since := (w.Tick() - s.LastSwap[team]) / game.TickRate
	if since < m.vars.SaveDelay {
		return fmt.Sprintf("You have to wait %d seconds until you can swap.", m.vars.SaveDelay-since)
	}
	all := members(w, team)
	each(all, func(id int) { s.SwapWith[id] = 0 })
	if since >= m.vars.SaveDelay+m.vars.SwapTimeout {
		return fmt.Sprintf("Your swap request timed out %d seconds ago. Use /swap again to re-initiate it.", since-m.vars.SwapTimeout)
	}
	a, b := game.PlayerID(id), game.PlayerID(other)
	paused, otherPaused := ctx.Player(a).Camera().Pause(), ctx.Player(b).Camera().Pause()
	m.setPause(&ctx.Tx, a, game.NotPaused)
	m.setPause(&ctx.Tx, b, game.NotPaused)
	w.SwapTees(id, other, m.vars.SavePenalty*game.TickRate)
	ctx.NoteDDRace(game.DDRaceNote{Kind: game.NoteSwap, Players: [2]game.PlayerID{a, b}})
	began := min(m.state.Began[a], m.state.Began[b])
	m.state.Began[a], m.state.Began[b] = began, began
	m.setPause(&ctx.Tx, a, otherPaused)
	m.setPause(&ctx.Tx, b, paused)
	if team != 0 && !w.AsZero(team) {
		start := w.AliveTee(id).StartTick
		each(all, func(mate int) {
			if tee := w.AliveTee(mate); tee != nil && mate != id && mate != other {
				tee.StartTick = start
			}
		})
	}
	for _, mask := range []*game.PlayerMask{&t.Started, &t.Finished} {
		switch one, two := mask.Has(a), mask.Has(b); {
		case one && !two:
			mask.Remove(a)
			mask.Add(b)
		case two && !one:
			mask.Remove(b)
			mask.Add(a)
		}
	}
	m.sayToTeam(team, "%s has swapped with %s.", ctx.Player(a).Name(), ctx.Player(b).Name())
	return ""
}

// forget removes the requests of a player who leaves, and the requests of others to swap with that
// player.
func (s *saves) forget(id int) {
	s.Next[id], s.SwapWith[id] = 0, 0
	for i := range s.SwapWith {
		if s.SwapWith[i] == uint8(id)+1 {
			s.SwapWith[i] = 0
		}
	}
	for team := range s.Of {
		for i := range s.Of[team].IDs {
			if s.Of[team].Request != 0 && s.Of[team].IDs[i] == int8(id) {
				s.Of[team].IDs[i] = -1
			}
		}
	}
}
