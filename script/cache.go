package script

import (
	"fmt"

	"github.com/arnodel/golua/code"
)

// Cache keeps what scripts were compiled to, for the next time: a script that is reloaded is compiled beside the game, when
// its file is checked, and not again within the tick. Several goroutines may use it.
type Cache interface {
	// Load returns what was stored under a key, nil if that is gone.
	Load(key string) *Compiled
	// Store stores it. A cache should keep the last few.
	Store(key string, c *Compiled)
}

// Compiled is what a script was compiled to.
type Compiled struct {
	unit  *code.Unit
	lines map[string]int
}

// compiled returns what the source is compiled to.
func (v *vm) compiled(cache Cache) (*Compiled, error) {
	if cache == nil {
		return v.compileSource()
	}
	key := fmt.Sprintf("%d %s\x00%s", v.meter.version, v.name, v.source)
	if c := cache.Load(key); c != nil {
		return c, nil
	}
	c, err := v.compileSource()
	if err == nil {
		cache.Store(key, c)
	}
	return c, err
}
