package client

import (
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
)

// maxListEntries limits each of the lists that a server sends.
const maxListEntries = 4096

// serverLists are the lists that a server sends.
type serverLists struct {
	commands []bridge.CommandInfo
	maps     []string
	chat     []bridge.CommandInfo
	votes    []string
}

func (l *serverLists) reset() { l.votes, l.chat = nil, nil }

func addCommand(to *[]bridge.CommandInfo, c bridge.CommandInfo) {
	if i := slices.IndexFunc(*to, func(o bridge.CommandInfo) bool { return o.Name == c.Name }); i >= 0 {
		(*to)[i] = c
	} else if len(*to) < maxListEntries {
		*to = append(*to, c)
	}
}

func removeCommand(from *[]bridge.CommandInfo, name string) {
	*from = slices.DeleteFunc(*from, func(c bridge.CommandInfo) bool { return c.Name == name })
}

func addEntry(to *[]string, text string) {
	if len(*to) < maxListEntries {
		*to = append(*to, text)
	}
}

func removeEntry(from *[]string, text string) {
	if i := slices.Index(*from, text); i >= 0 {
		*from = slices.Delete(*from, i, i+1)
	}
}

// OnRconCommand adds a command of the remote console.
func (s *gameHandler) OnRconCommand(c *bridge.CommandInfo) {
	addCommand(&s.lists.commands, *c)
	s.GameHandler.OnRconCommand(c)
}

// OnRconCommandRemoved removes a command of the remote console.
func (s *gameHandler) OnRconCommandRemoved(name string) {
	removeCommand(&s.lists.commands, name)
	s.GameHandler.OnRconCommandRemoved(name)
}

// OnMapListEntry adds or removes a map.
func (s *gameHandler) OnMapListEntry(name string, gone bool) {
	if gone {
		removeEntry(&s.lists.maps, name)
	} else {
		addEntry(&s.lists.maps, name)
	}
	s.GameHandler.OnMapListEntry(name, gone)
}

// OnChatCommand adds or removes a chat command.
func (s *gameHandler) OnChatCommand(c *bridge.CommandInfo, gone bool) {
	if gone {
		removeCommand(&s.lists.chat, c.Name)
	} else {
		addCommand(&s.lists.chat, *c)
	}
	s.GameHandler.OnChatCommand(c, gone)
}

// OnVoteOptions adds vote options.
func (s *gameHandler) OnVoteOptions(add []string, clear bool) {
	if clear {
		s.lists.votes = nil
	}
	for _, text := range add {
		addEntry(&s.lists.votes, text)
	}
	s.GameHandler.OnVoteOptions(add, clear)
}

// OnVoteOptionRemoved removes a vote option.
func (s *gameHandler) OnVoteOptionRemoved(text string) {
	removeEntry(&s.lists.votes, text)
	s.GameHandler.OnVoteOptionRemoved(text)
}

// OnOther also empties the list of maps when a new list begins.
func (s *gameHandler) OnOther(e event.Event) {
	if list, ok := e.(event.ListBegin); ok && list.Of == "maps" {
		s.lists.maps = nil
	}
	s.GameHandler.OnOther(e)
}
