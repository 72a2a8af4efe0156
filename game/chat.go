package game

import (
	"strings"
	"unicode/utf8"
)

// maxChatLen is the maximum length of a chat line in code points.
const maxChatLen = 127

// isInvisible reports whether clients treat a code point as white space.
func isInvisible(r rune) bool {
	switch {
	case r <= 0x20, r == 0xA0, r == 0x034F, r >= 0x2000 && r <= 0x200F, r >= 0x2028 && r <= 0x202F,
		r >= 0x205F && r <= 0x2064, r >= 0x206A && r <= 0x206F, r == 0x3000, r >= 0xFE00 && r <= 0xFE0F,
		r == 0xFEFF, r >= 0xFFF9 && r <= 0xFFFC:
		return true
	}
	return false
}

// trimChatText cuts a line at maxChatLen code points and removes trailing white space.
// It also returns the number of code points before that removal.
func trimChatText(s string) (text string, length int32) {
	end := 0
	for i := 0; i < len(s) && s[i] != 0 && length < maxChatLen; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			r = -1
		}
		i += n
		if !isInvisible(r) {
			end = i
		}
		length++
	}
	return s[:end], length
}

// isWithin reports whether fewer than the given ticks passed since last. The value 0
// of last means never.
func (w *World) isWithin(last, ticks int32) bool {
	return last != 0 && last+ticks > w.tick
}

// isSpam is isWithin for limits that apply only with spam protection.
func (w *World) isSpam(last, ticks int32) bool {
	return w.rules.SpamProtection && w.isWithin(last, ticks)
}

// applyChat handles CmdSay.
func (w *World) applyChat(cmd *Command) {
	if cmd.Player == Nobody {
		e := Event{Kind: EvChat, To: MaskAll, Player: Nobody, Target: Nobody, Chat: ChatAll, Text: cmd.Text}
		if cmd.Chat == ChatWhisper && cmd.Target >= 0 && cmd.Target < MaxPlayers {
			e.To = MaskOne(cmd.Target)
		}
		w.addEvent(e)
		return
	}
	p := w.playing(cmd.Player)
	if p == nil || cmd.Chat > ChatWhisper || w.isSpam(p.lastChat, TickRate) {
		return
	}
	text, length := trimChatText(cmd.Text)
	if text == "" || w.isSpam(p.lastChat, TickRate*(length/20)) {
		return
	}
	p.lastChat = w.tick

	mode := cmd.Chat
	if w.rules.TournamentMode == 2 && p.team == TeamSpectators && w.match.state == stateRunning && !p.admin {
		if mode != ChatWhisper {
			mode = ChatTeam
		} else if t := w.playing(cmd.Target); t == nil || t.team != TeamSpectators {
			mode = ChatNone
		}
	}
	if mode == ChatNone {
		return
	}
	line := ChatMessage{From: cmd.Player, Mode: mode, Target: Nobody, Text: text}
	if mode == ChatWhisper {
		if w.playing(cmd.Target) == nil {
			return
		}
		line.Target = cmd.Target
	}
	if !w.callChat(&line) {
		return
	}
	if (line.Mode == ChatAll || line.Mode == ChatTeam) && strings.HasPrefix(line.Text, "/") {
		// A command that nobody knows, perhaps with a password in it.
		name, _, _ := strings.Cut(line.Text, " ")
		w.addEvent(Event{Kind: EvChat, To: MaskOne(cmd.Player), Player: Nobody, Target: Nobody, Chat: ChatAll, Text: "No such command: " + name + ". Try /help"})
		return
	}
	w.sendChat(&line)
}

// sendChat emits the event of a chat line for its recipients.
func (w *World) sendChat(l *ChatMessage) {
	to := MaskAll
	switch l.Mode {
	case ChatNone:
		return
	case ChatTeam:
		to = 0
		for i := range w.players {
			if p := &w.players[i]; p.inGame && p.team == w.players[l.From].team && w.inRaceTeamOf(l.From, PlayerID(i)) {
				to |= MaskOne(PlayerID(i))
			}
		}
	case ChatWhisper:
		to = MaskOne(l.From) | MaskOne(l.Target)
	}
	w.beforeChat()
	w.addEvent(Event{Kind: EvChat, To: to, Player: l.From, Target: l.Target, Chat: l.Mode, Text: l.Text})
}

// inRaceTeamOf reports whether two players of the same team are also in the same team of DDRace, as
// far as they play.
func (w *World) inRaceTeamOf(a, b PlayerID) bool {
	return w.ddrace == nil || w.players[a].team == TeamSpectators || w.ddrace.world.Team(int(a)) == w.ddrace.world.Team(int(b))
}
