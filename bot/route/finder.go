package route

const (
	// finderWork limits the work of a Finder, in typical ticks.
	finderWork = 60_000_000
	// waysEvery is the work between two ways, in typical ticks. If simulating a way takes long,
	// more work passes before the next way.
	waysEvery = 200_000
)

// Finder searches for ways that lead farther and farther, in small steps. Bots can run the ways
// found so far while the search continues.
type Finder struct {
	cfg    Config
	search *Search
	left   int // distance left at the end of the last way, -1 before the first
	next   int // work after which to make a better way
	ways   int // work for simulating ways
	limit  int // limit on all work
}

// NewFinder returns a finder. The error comes from ddrace.NewMap.
func NewFinder(cfg Config) (*Finder, error) {
	s, err := NewSearch(cfg)
	if err != nil {
		return nil, err
	}
	return &Finder{cfg: cfg, search: s, left: -1, limit: finderWork}, nil
}

// Work returns the work so far in typical ticks, including the simulation of ways; see
// [Search.Work].
func (f *Finder) Work() int { return f.search.Work() + f.ways }

// Run searches for about as much work as the given number of typical ticks. It returns a way that
// leads farther than the last one, or nil if there is none. over reports whether the search has
// ended.
func (f *Finder) Run(ticks int) (farther *Way, over bool) {
	f.search.Run(ticks)
	over = f.search.Done() || f.Work() >= f.limit
	if !over && f.Work() < f.next {
		return nil, false
	}
	f.next = f.Work() + waysEvery
	r := f.search.Route()
	if !r.Finished && f.left >= 0 && r.Left >= f.left {
		return nil, over
	}
	f.left = r.Left
	farther, err := NewWay(f.cfg, &r)
	if err != nil {
		return nil, true // cannot happen: the search uses the same map
	}
	f.ways += farther.work()
	f.next += 2 * farther.work()
	return farther, over
}
