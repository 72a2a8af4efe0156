package server

import (
	"strings"
	"unicode/utf8"

	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/storage"
)

// Problems returns a sentence for each setting that the server could not follow, such as an unknown
// game type. Players can join, but the match differs from the configuration.
func (s *Server) Problems() []string {
	var all []string
	if text := s.mods.Problem(); text != "" {
		all = append(all, text)
	}
	if text := s.maps.Problem(); text != "" {
		all = append(all, text)
	}
	all = append(all, s.mods.PanickedMods()...)
	for _, text := range []string{s.econ.Problem(), s.logs.Problem()} {
		if text != "" {
			all = append(all, text)
		}
	}
	if err := s.storage.Err(); err != nil && !storage.IsAway(err) {
		all = append(all, err.Error())
	}
	if err := s.access.Bans.Store.Stored(0); err != nil {
		all = append(all, err.Error())
	}
	if text := s.record.Problem(); text != "" {
		all = append(all, "matches are not recorded (sv_replay): "+text)
	}
	return all
}

// warnings returns the sentences of [Status.Warnings].
func warnings(s *Server) []string {
	if err := s.storage.Err(); storage.IsAway(err) {
		return []string{err.Error()}
	}
	return nil
}

// announceProblems prints problems that players would notice. It does so at the end of the start,
// where operators see the lines.
func (s *Server) announceProblems() {
	if text := s.mods.Report(); text != "" {
		s.printInFrame(text)
	}
	if text := s.maps.TakeProblem(); text != "" {
		s.printInFrame(text)
	}
}

// printInFrame prints a warning that is seen between many lines.
func (s *Server) printInFrame(text string) {
	frame := "+" + strings.Repeat("-", max(utf8.RuneCountInString(text)-2, 0)) + "+"
	s.print(console.Standard, "server", frame)
	s.print(console.Warning, "server", text)
	s.print(console.Standard, "server", frame)
}
