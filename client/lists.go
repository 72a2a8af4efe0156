package client

import (
	"slices"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// Command is one that a server offers, in its remote console or in the chat.
type Command struct {
	Name   string
	Params string // s string, i integer, f float, r rest of the line, ? optional
	Help   string
}

// maxList bounds the lists a server may send.
const maxList = 4096

// lists are what a server offers to choose from.
type lists struct {
	commands []Command
	maps     []string
	chat     []Command
	votes    []string
}

func (l *lists) forget() { l.votes, l.chat = nil, nil }

func addCommand(to *[]Command, c Command) {
	if i := slices.IndexFunc(*to, func(o Command) bool { return o.Name == c.Name }); i >= 0 {
		(*to)[i] = c
	} else if len(*to) < maxList {
		*to = append(*to, c)
	}
}

func removeCommand(from *[]Command, name []byte) {
	text := bridge7.Text(name)
	*from = slices.DeleteFunc(*from, func(c Command) bool { return c.Name == text })
}

func addText(to *[]string, b []byte) {
	if len(*to) < maxList {
		*to = append(*to, bridge7.Text(b))
	}
}

func removeText(from *[]string, b []byte) {
	if i := slices.Index(*from, bridge7.Text(b)); i >= 0 {
		*from = slices.Delete(*from, i, i+1)
	}
}

// take takes a message about a list.
func (l *lists) take(m msg7.Message) {
	switch m := m.(type) {
	case *msg7.RconCmdAdd:
		addCommand(&l.commands, Command{Name: bridge7.Text(m.Name), Params: bridge7.Text(m.Params), Help: bridge7.Text(m.Help)})
	case *msg7.RconCmdRem:
		removeCommand(&l.commands, m.Name)
	case *msg7.MaplistEntryAdd:
		addText(&l.maps, m.Name)
	case *msg7.MaplistEntryRem:
		removeText(&l.maps, m.Name)
	case *msg7.SvCommandInfo:
		addCommand(&l.chat, Command{Name: bridge7.Text(m.Name), Params: bridge7.Text(m.ArgsFormat), Help: bridge7.Text(m.HelpText)})
	case *msg7.SvCommandInfoRemove:
		removeCommand(&l.chat, m.Name)
	case *msg7.SvVoteClearOptions:
		l.votes = nil
	case *msg7.SvVoteOptionAdd:
		addText(&l.votes, m.Description)
	case *msg7.SvVoteOptionListAdd:
		for _, d := range m.Descriptions {
			addText(&l.votes, d)
		}
	case *msg7.SvVoteOptionRemove:
		removeText(&l.votes, m.Description)
	}
}
