package route

const (
	// finderWork is how much a Finder does at most, in usual ticks.
	finderWork = 60_000_000
	// waysEvery is how much it does between two ways, unless a way took more.
	waysEvery = 200_000
)

// Finder searches for ways that lead farther and farther, in small steps, for those who run while it is
// searching.
type Finder struct {
	cfg    Config
	search *Search
	left   int // of the last way, -1 before
	next   int // work after which to look for a better one
	ways   int // work for ways
	limit  int // of all work
}

// NewFinder returns a finder. The error is that of ddrace.NewMap.
func NewFinder(cfg Config) (*Finder, error) {
	s, err := NewSearch(cfg)
	if err != nil {
		return nil, err
	}
	return &Finder{cfg: cfg, search: s, left: -1, limit: finderWork}, nil
}

// Work returns how much was done, as [Search.Work] does, with the ways.
func (f *Finder) Work() int { return f.search.Work() + f.ways }

// Run searches for about as much work as so many usual ticks are. It returns a way that leads farther than the last one,
// nil if there is none, and whether the search is over.
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
		return nil, true // impossible: the search has the same map
	}
	f.ways += farther.work()
	f.next += 2 * farther.work()
	return farther, over
}
