package teeverify

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
)

// harmless are the variables of DDNet-Server 16.4 and 20.1 that do not change how tees move.
//
//go:embed harmless.txt
var harmless string

// followed are the variables that the simulation reads from a header, besides those of
// [ddrace.Variables].
var followed = strings.Fields(`sv_kill_delay sv_kill_protection sv_pause_frequency sv_rejoin_team_0 sv_rescue sv_savegames
	sv_sql_queries_delay sv_team_change_delay sv_endless_super_hook sv_team0mode sv_practice_by_default`)

// unknownVariables returns the variables of a header that may change how tees move and that the
// simulation does not follow.
func unknownVariables(h *teehistorian.Header) (names []string) {
	known := strings.Fields(harmless)
	for _, name := range slices.Sorted(maps.Keys(h.Config)) {
		if !ddrace.IsSetting(name) && !slices.Contains(followed, name) && !slices.Contains(known, name) && len(names) < maxUnknown {
			names = append(names, name)
		}
	}
	return names
}

// maxUnknown limits the names of a result that come from the file.
const maxUnknown = 100
