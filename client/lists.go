package client

import (
	"slices"

	"github.com/teeyard/teeyard/bridge"
)

// maxList bounds the lists a server may send.
const maxList = 4096

// lists are what a server offers to choose from.
type lists struct {
	commands []bridge.CommandInfo
	maps     []string
	chat     []bridge.CommandInfo
	votes    []string
}

func (l *lists) forget() { l.votes, l.chat = nil, nil }

func addCommand(to *[]bridge.CommandInfo, c bridge.CommandInfo) {
	if i := slices.IndexFunc(*to, func(o bridge.CommandInfo) bool { return o.Name == c.Name }); i >= 0 {
		(*to)[i] = c
	} else if len(*to) < maxList {
		*to = append(*to, c)
	}
}

func removeCommand(from *[]bridge.CommandInfo, name string) {
	*from = slices.DeleteFunc(*from, func(c bridge.CommandInfo) bool { return c.Name == name })
}

func addText(to *[]string, text string) {
	if len(*to) < maxList {
		*to = append(*to, text)
	}
}

func removeText(from *[]string, text string) {
	if i := slices.Index(*from, text); i >= 0 {
		*from = slices.Delete(*from, i, i+1)
	}
}

// OnRconCommand adds a command of the remote console.
func (s story) OnRconCommand(c *bridge.CommandInfo) { addCommand(&s.lists.commands, *c) }

// OnRconCommandRemoved takes one away.
func (s story) OnRconCommandRemoved(name string) { removeCommand(&s.lists.commands, name) }

// OnMapListEntry adds a map of the server, or takes it away.
func (s story) OnMapListEntry(name string, gone bool) {
	if gone {
		removeText(&s.lists.maps, name)
	} else {
		addText(&s.lists.maps, name)
	}
}

// OnChatCommand adds a command of the chat, or takes it away.
func (s story) OnChatCommand(c *bridge.CommandInfo, gone bool) {
	if gone {
		removeCommand(&s.lists.chat, c.Name)
	} else {
		addCommand(&s.lists.chat, *c)
	}
}

// OnVoteOptions adds what can be voted on.
func (s story) OnVoteOptions(add []string, clear bool) {
	if clear {
		s.lists.votes = nil
	}
	for _, text := range add {
		addText(&s.lists.votes, text)
	}
}

// OnVoteOptionRemoved takes it away.
func (s story) OnVoteOptionRemoved(text string) { removeText(&s.lists.votes, text) }
