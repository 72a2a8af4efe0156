package game

import (
	"strings"
	"unicode/utf8"
)

// The maximum length of a chat line in code points, without and with LongLine. The limit in bytes
// is the same for both.
const (
	maxChatLen     = 127
	maxLongLen     = 255
	maxChatLenByte = utf8.UTFMax * maxChatLen
)

// LongLine is the Value of a CmdSay that allows lines of up to 255 code points instead of 127, as
// DDNet does. With spam protection, the next line may follow after one second for each 32 code
// points instead of each 20.
const LongLine int32 = 1

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

// trimChatText cuts a line at a number of code points and removes trailing white space.
// It also returns the number of code points before that removal.
func trimChatText(s string, most int32) (text string, length int32) {
	end := 0
	for i := 0; i < len(s) && s[i] != 0 && length < most; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			r = -1
		}
		if i+n > maxChatLenByte {
			break
		}
		i += n
		if !isInvisible(r) {
			end = i
		}
		length++
	}
	return s[:end], length
}

// trim returns the text of a chat line, or "" for none. With spam protection, spacing is the number
// of ticks until the next line is allowed.
func (cmd *Command) trim() (text string, spacing int32) {
	most := int32(maxChatLen)
	if cmd.Value == LongLine {
		most = maxLongLen
	}
	text, length := trimChatText(cmd.Text, most)
	spacing = TickRate * (length / 20)
	if cmd.Value == LongLine {
		spacing = TickRate * ((length + 31) / 32)
	}
	return text, max(spacing, TickRate)
}

// TakesChat reports whether a player's chat line would pass the spam protection in the next tick.
func (w *World) TakesChat(cmd *Command) bool {
	p := w.playing(cmd.Player)
	if p == nil {
		return false
	}
	text, spacing := cmd.trim()
	return text != "" && !(w.rules.SpamProtection && p.lastChat != 0 && p.lastChat+spacing > w.tick+1)
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
	if p == nil || cmd.Chat > ChatWhisper {
		return
	}
	text, spacing := cmd.trim()
	if text == "" || w.isSpam(p.lastChat, spacing) {
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
		// An unknown command is not sent to other players, since it can contain a password.
		name, _, _ := strings.Cut(line.Text, " ")
		w.addEvent(Event{Kind: EvChat, To: MaskOne(cmd.Player), Player: Nobody, Target: Nobody, Chat: ChatAll,
			Text: "No such command: " + name + ". Try /help"})
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
		to = PlayerMask{}
		for i := range w.players {
			if p := &w.players[i]; p.inGame && p.team == w.players[l.From].team && w.sim.isMate(l.From, PlayerID(i)) {
				to.Add(PlayerID(i))
			}
		}
	case ChatWhisper:
		to = MaskOne(l.From).Or(MaskOne(l.Target))
	}
	w.sim.beforeChat()
	w.addEvent(Event{Kind: EvChat, To: to, Player: l.From, Target: l.Target, Chat: l.Mode, Text: l.Text})
}
