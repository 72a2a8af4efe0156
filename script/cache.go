package script

import (
	"fmt"

	"github.com/arnodel/golua/code"
)

// Cache keeps compiled scripts. The server checks and compiles a changed file outside the tick; the
// reload inside the tick then takes the compiled script from the cache. A Cache must be safe for
// concurrent use.
type Cache interface {
	// Load returns the script stored under a key, or nil if the cache does not have it.
	Load(key string) *Compiled
	// Store stores a script under a key. A cache should keep the last few scripts.
	Store(key string, c *Compiled)
}

// Compiled is a compiled script.
type Compiled struct {
	unit  *code.Unit
	lines map[string]int
}

// compiled returns the compiled source, from the cache if possible.
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
