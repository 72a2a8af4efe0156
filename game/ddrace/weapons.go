package ddrace

// switchWeapon handles the weapon selection of the latest input.
func (w *World) switchWeapon(t *Tee) {}

// fireWeapon fires if the latest input asks for it and the weapon has reloaded.
func (w *World) fireWeapon(t *Tee) {}

// tickWeapons runs one tick of the weapons: ninja, jetpack, reloading, held buttons.
func (w *World) tickWeapons(t *Tee) {}
