package ddrace

// entities are all that is in the world besides tees. Lists are from the oldest to the newest; they are
// walked backwards, and what is added meanwhile is not reached.
type entities struct{}

// createEntities creates the entities of the map.
func (w *World) createEntities() {}

// tickEntities ticks projectiles, then lasers and what is in their list (lights, doors, draggers,
// turrets, plasma), then pickups.
func (w *World) tickEntities() {}

// removeEntities removes what ended in this tick.
func (w *World) removeEntities() {}
