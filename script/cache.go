package script

import (
	"slices"
	"sync"

	"github.com/arnodel/golua/code"
)

// Cache keeps what a few scripts were compiled to, for the next time: a script that is reloaded is compiled beside the
// game, when its file is checked, and not again within the tick. It can be used by many goroutines.
type Cache struct {
	mu   sync.Mutex
	list []compiled // the last one used at the end
}

// compiled is a script that was compiled.
type compiled struct {
	name, source string
	costs        int
	unit         *code.Unit
	lines        map[string]int
}

// maxCached is the number of scripts in a cache.
const maxCached = 16

func (c *Cache) find(name, source string, costs int) (compiled, bool) {
	if c == nil {
		return compiled{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.list, func(x compiled) bool { return x.name == name && x.source == source && x.costs == costs })
	if i < 0 {
		return compiled{}, false
	}
	x := c.list[i]
	c.list = append(slices.Delete(c.list, i, i+1), x)
	return x, true
}

func (c *Cache) keep(x compiled) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.list = append(c.list, x); len(c.list) > maxCached {
		c.list = slices.Delete(c.list, 0, 1)
	}
}
