package route

const (
	// finderTicks is how many ticks a Finder simulates at most.
	finderTicks = 60_000_000
	// waysEvery is how many it simulates between two ways.
	waysEvery = 200_000
)

// Finder searches for ways that lead farther and farther, in small steps, for those who run while it is
// searching.
type Finder struct {
	cfg    Config
	search *Search
	left   int // of the last way, -1 before
	next   int // tick in which to look for a better one
}

// NewFinder returns a finder. The error is that of ddrace.NewMap.
func NewFinder(cfg Config) (*Finder, error) {
	s, err := NewSearch(cfg)
	if err != nil {
		return nil, err
	}
	return &Finder{cfg: cfg, search: s, left: -1}, nil
}

// Run searches for about that many simulated ticks. It returns a way that leads farther than the last one,
// nil if there is none, and whether the search is over.
func (f *Finder) Run(ticks int) (farther *Way, over bool) {
	f.search.Run(ticks)
	over = f.search.Done() || f.search.Ticks() >= finderTicks
	if !over && f.search.Ticks() < f.next {
		return nil, false
	}
	f.next = f.search.Ticks() + waysEvery
	r := f.search.Route()
	if !r.Finished && f.left >= 0 && r.Left >= f.left {
		return nil, over
	}
	f.left = r.Left
	farther, err := NewWay(f.cfg, &r)
	if err != nil {
		return nil, true // impossible: the search has the same map
	}
	return farther, over
}
