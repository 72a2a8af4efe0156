package game

import "slices"

// maxScreenText is the most bytes of a text on the screen.
const maxScreenText = 255

// SetScreenText shows a text of at most 255 bytes in the middle of the player's screen, until the
// next call. An empty text removes it. The text can change often, such as a countdown. While a
// broadcast or a text of the server itself is shown, it hides this text.
func (p Player) SetScreenText(text string) {
	if p.player() == nil {
		return
	}
	shown := &p.tx.w.people.of[p.id].screenText
	if len(text) > maxScreenText {
		text = cutString(text, maxScreenText)
	}
	if *shown != text {
		*shown = text
		p.tx.w.people.used = true
	}
}

// ScreenText returns the player's text from [Player.SetScreenText].
func (w *World) ScreenText(id PlayerID) string { return w.people.of[id].screenText }

// people holds the menus, texts and the vote that mode and mods show to players.
type people struct {
	used bool // is not zero
	of   [MaxPlayers]shown
	vote modVote
}

// shown is the display of one player.
type shown struct {
	screenText string
	menu       Menu
	lines      []string // of the menu
	menuTick   int32    // when the lines changed, plus 1; 0 if there never were any
}

// Menu is a menu that a mode or mod declared with [Setup.Menu]. It is a number and can be part of a
// [StateHook] state.
type Menu int32

const (
	maxMenuLines = 64
	maxMenuLine  = 63 // bytes, as clients have them
)

// Menu declares a menu. When a player chooses a line, choose is called with its index.
func (s *Setup) Menu(choose func(ctx *Ctx, id PlayerID, line int)) Menu {
	d := s.declare("Menu")
	d.menus = addCallback(d, "menu", d.menus, ownHook(s, choose), choose == nil)
	return Menu(len(d.menus))
}

// ShowMenu shows a menu of at most 64 lines of 63 bytes to the player, instead of the player's
// current menu. Clients show the lines at the top of their vote menu; calling a vote for a line
// chooses it, without a vote. If lines are equal, the first one is chosen. The menu stays until it
// is replaced or hidden, or the player leaves.
func (p Player) ShowMenu(m Menu, lines ...string) {
	if m <= 0 || int(m) > len(p.tx.w.declared.menus) {
		panic("game: invalid Menu; use one that Setup.Menu returned")
	}
	p.tx.setMenu(p.id, m, lines[:min(len(lines), maxMenuLines)])
}

// HideMenu hides the player's menu.
func (p Player) HideMenu() { p.tx.setMenu(p.id, 0, nil) }

func (tx *Tx) setMenu(id PlayerID, m Menu, lines []string) {
	if tx.player(id) == nil {
		return
	}
	s := &tx.w.people.of[id]
	s.menu = m
	if slices.Equal(s.lines, lines) {
		return
	}
	tx.w.people.used = true
	s.menuTick = tx.w.tick + 1
	s.lines = nil
	for _, l := range lines {
		if l = cutString(l, maxMenuLine); l == "" {
			l = " " // clients need something to show
		}
		s.lines = append(s.lines, l)
	}
}

// MenuLines returns the lines of a player's menu, and a version number that changes with the lines.
// The version is 0 if the player never had a menu. The slice must not be changed.
func (w *World) MenuLines(id PlayerID) (lines []string, version int32) {
	s := &w.people.of[id]
	return s.lines, s.menuTick
}

// ChooseLine returns the command that chooses a line of a player's menu.
func ChooseLine(id PlayerID, line string) Command {
	return Command{Kind: CmdMenu, Player: id, Target: Nobody, Text: line}
}

// applyMenu handles CmdMenu.
func (w *World) applyMenu(cmd *Command) {
	if !w.mayCommand(cmd.Player) {
		return
	}
	s := &w.people.of[cmd.Player]
	line := slices.Index(s.lines, cmd.Text)
	if line < 0 {
		return
	}
	choose := w.declared.menus[s.menu-1]
	w.callDeclared(choose.of, func(ctx *Ctx) { choose.hook(ctx, cmd.Player, line) })
}

// Vote is a vote that a mode or mod declared with [Setup.Vote]. It is a number and can be part of a
// [StateHook] state.
type Vote int32

// modVote is a vote of a mode or mod that runs, or waits until another has ended.
type modVote struct {
	vote   Vote // 0 for none
	caller PlayerID
	text   string
	tick   int32 // when it was called, plus 1
}

// Vote declares a vote. When the vote has ended, ended is called.
func (s *Setup) Vote(ended func(ctx *Ctx, passed bool)) Vote {
	d := s.declare("Vote")
	d.votes = addCallback(d, "vote", d.votes, ownHook(s, ended), ended == nil)
	return Vote(len(d.votes))
}

// StartVote starts a vote of all players about a text of at most 63 bytes. The caller votes yes; -1
// means the server. There is one vote of the mode and mods at a time: StartVote returns false while
// one runs. If players vote about something else, this vote begins after theirs.
func (tx *Tx) StartVote(v Vote, caller PlayerID, text string) bool {
	if v <= 0 || int(v) > len(tx.w.declared.votes) {
		panic("game: invalid Vote; use one that Setup.Vote returned")
	}
	if tx.w.people.vote.vote != 0 || caller != Nobody && tx.player(caller) == nil {
		return false
	}
	tx.w.people.used = true
	tx.w.people.vote = modVote{v, caller, cutString(text, maxMenuLine), tx.w.tick + 1}
	return true
}

// StopVote ends a running vote without a result.
func (tx *Tx) StopVote(v Vote) {
	if tx.w.people.vote.vote == v {
		tx.w.people.vote = modVote{}
	}
}

// ModVote is a running vote of a mode or mod; see [World.ModVote].
type ModVote struct {
	Caller PlayerID // player who called the vote, or Nobody
	Text   string
	// Number is different for each vote.
	Number int32
}

// ModVote returns the current vote of the mode or a mod, and false without one. The vote ends with
// [CmdVoteEnd].
func (w *World) ModVote() (ModVote, bool) {
	v := &w.people.vote
	return ModVote{v.caller, v.text, v.tick}, v.vote != 0
}

// EndVote returns the command that ends a vote of a mode or mod.
func EndVote(v ModVote, passed bool) Command {
	cmd := Command{Kind: CmdVoteEnd, Player: Nobody, Target: Nobody, Value: -v.Number}
	if passed {
		cmd.Value = v.Number
	}
	return cmd
}

// applyVoteEnd handles CmdVoteEnd.
func (w *World) applyVoteEnd(cmd *Command) {
	v := w.people.vote
	if v.vote == 0 || cmd.Value != v.tick && cmd.Value != -v.tick {
		return
	}
	w.people.vote = modVote{}
	ended := w.declared.votes[v.vote-1]
	w.callDeclared(ended.of, func(ctx *Ctx) { ended.hook(ctx, cmd.Value > 0) })
}

// forgetShown removes the texts and the menu of a player who leaves.
func (w *World) forgetShown(id PlayerID) {
	w.people.of[id] = shown{}
	if v := &w.people.vote; v.vote != 0 && v.caller == id {
		v.caller = Nobody
	}
}

// people visits the menus, texts and the vote shown to players.
func (v *visitor) people(w *World) {
	p := &w.people
	p.used = true
	for i := range p.of {
		if !w.players[i].connected {
			continue
		}
		s := &p.of[i]
		v.text(&s.screenText, maxScreenText)
		num(v, &s.menu)
		within(v, "menu", s.menu, 0, Menu(len(w.declared.menus)))
		num(v, &s.menuTick)
		v.hashed(len(s.lines))
		length(v, &s.lines, maxMenuLines)
		for j := range s.lines {
			v.text(&s.lines[j], maxMenuLine)
		}
		if v.op == restoring && len(s.lines) > 0 && s.menu == 0 {
			v.fail("a player has lines without a menu")
		}
	}
	num(v, &p.vote.vote)
	within(v, "vote", p.vote.vote, 0, Vote(len(w.declared.votes)))
	num(v, &p.vote.caller)
	within(v, "caller of a vote", p.vote.caller, Nobody, MaxPlayers-1)
	v.text(&p.vote.text, maxMenuLine)
	num(v, &p.vote.tick)
}
