package game

import (
	"fmt"
	"reflect"
)

// PerPlayer has a value for each player, indexed by PlayerID, such as the player's kills since
// their last death. If a [StateHook] state is a PerPlayer or has exported fields of this type, the
// world zeroes a player's value when the player leaves. T must be of a fixed size, as StateHook
// requires.
type PerPlayer[T any] [MaxPlayers]T

func (p *PerPlayer[T]) clearPlayer(id PlayerID) { clear(p[id : id+1]) }

// playerClearer is any PerPlayer.
type playerClearer interface{ clearPlayer(id PlayerID) }

// findPerPlayers returns the parts of a state that are PerPlayer.
func findPerPlayers(v reflect.Value) (found []playerClearer, err error) {
	p, ok := v.Addr().Interface().(playerClearer)
	if ok {
		return []playerClearer{p}, nil
	}
	if v.Kind() != reflect.Struct {
		return nil, nil
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			if reflect.PointerTo(f.Type).Implements(reflect.TypeFor[playerClearer]()) {
				return nil, fmt.Errorf("%w: field %s of %s is a PerPlayer and must be exported", ErrState, f.Name, v.Type())
			}
			continue
		}
		more, err := findPerPlayers(v.Field(i))
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}
