package game

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// ErrHook means that a mode or mod is nil, or has a method that looks like a hook but fits none.
// Nothing would call such a method. [New] returns it.
var ErrHook = errors.New("game: invalid mode or mod")

// HookOrder is the order in which the world calls a hook of the mode and its mods.
type HookOrder uint8

const (
	// ModeFirst hooks: first the mode, then the mods in order.
	ModeFirst HookOrder = iota
	// ModsFirst hooks: the mods in order and then the mode, until a hook cancels or answers.
	ModsFirst
	// OnlyFirst rules: only the first mod that has the rule, or the mode if no mod has it.
	OnlyFirst
)

// HookInfo describes one method of a hook interface.
type HookInfo struct {
	Interface string // name of the interface, such as "DamageHook"
	Method    string // such as "OnDamage"
	Signature string // such as "OnDamage(*game.Ctx, *game.Damage)"
	Order     HookOrder
}

// hookSpec is a hook interface and the list in [hooks] of its implementations.
type hookSpec struct {
	iface reflect.Type
	order HookOrder
	// add adds a mode or mod that implements the interface.
	add func(h *hooks, impl any, of owner)
}

// hookTable has every hook and rule. Code and documentation are derived from it.
var hookTable = []hookSpec{
	listed(ModsFirst, func(h *hooks) *[]hookOf[DamageHook] { return &h.damage }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[DamageTakenHook] { return &h.damageTaken }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[DeathHook] { return &h.death }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[SelfKillHook] { return &h.selfKill }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[EmoticonHook] { return &h.emoticon }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[SpawnPicker] { return &h.spawnPicker }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[SpawnHook] { return &h.spawn }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[PickupHook] { return &h.pickup }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[ChatHook] { return &h.chat }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[InputHook] { return &h.input }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[FireHook] { return &h.fire }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[EnterHook] { return &h.enter }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[LeaveHook] { return &h.leave }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[RenameHook] { return &h.rename }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[TeamHook] { return &h.team }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[TickHook] { return &h.tick }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[EntityHook] { return &h.entity }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[TileHook] { return &h.tile }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[RoundStartHook] { return &h.roundStart }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[FlagReturnHook] { return &h.flagReturn }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[FinishHook] { return &h.finish }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[StateHook] { return &h.state }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[StateSaver] { return &h.savers }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[StorageHook] { return &h.storage }),
	single(func(h *hooks) *hookOf[WinRule] { return &h.winRule }),
	single(func(h *hooks) *hookOf[PlayersRule] { return &h.playersRule }),
	single(func(h *hooks) *hookOf[RoundRule] { return &h.roundRule }),
	single(func(h *hooks) *hookOf[BalanceRule] { return &h.balanceRule }),
	single(func(h *hooks) *hookOf[UnevenRule] { return &h.unevenRule }),
	single(func(h *hooks) *hookOf[StartRule] { return &h.startRule }),
	single(func(h *hooks) *hookOf[PurityRule] { return &h.purityRule }),
	listed(ModeFirst, func(h *hooks) *[]hookOf[GameTypeNamer] { return &h.namers }),
	listed(ModsFirst, func(h *hooks) *[]hookOf[JoinRule] { return &h.join }),
}

// listed is a hook that is called of all that have it.
func listed[H any](order HookOrder, list func(*hooks) *[]hookOf[H]) hookSpec {
	return hookSpec{reflect.TypeFor[H](), order, func(h *hooks, impl any, of owner) {
		l := list(h)
		*l = append(*l, hookOf[H]{impl.(H), of})
	}}
}

// single is a rule that is asked of one.
func single[R comparable](rule func(*hooks) *hookOf[R]) hookSpec {
	return hookSpec{reflect.TypeFor[R](), OnlyFirst, func(h *hooks, impl any, of owner) {
		if r := rule(h); !r.isSet() {
			*r = hookOf[R]{impl.(R), of}
		}
	}}
}

// Hooks returns all hooks of modes and mods, one HookInfo for each method.
func Hooks() []HookInfo {
	var all []HookInfo
	for _, s := range hookTable {
		for i := range s.iface.NumMethod() {
			m := s.iface.Method(i)
			all = append(all, HookInfo{s.iface.Name(), m.Name, m.Name + signature(m.Type, 0), s.order})
		}
	}
	return all
}

// HookSubset is for types that have the methods of more hooks than they use, such as a type that
// runs scripts. [New] and [Tx.HooksChanged] call UsesHook once for each hook.
type HookSubset interface {
	// UsesHook reports whether the world must call the hook with this method.
	UsesHook(method string) bool
}

// resolveHooks finds the hooks of the mode and the mods that are not switched off.
func (w *World) resolveHooks() error {
	type candidate struct {
		impl any
		of   owner
	}
	var mods []candidate
	for i, m := range w.mods {
		if err := checkHooks(m); err != nil {
			return err
		}
		if of := ownerOf(i); !w.isOff(of) {
			mods = append(mods, candidate{m, of})
		}
	}
	if err := checkHooks(w.mode); err != nil {
		return err
	}
	modeFirst := append([]candidate{{w.mode, theMode}}, mods...)
	modsFirst := append(mods, modeFirst[0])
	w.hooks = hooks{}
	for _, s := range hookTable {
		candidates := modeFirst
		if s.order != ModeFirst {
			candidates = modsFirst
		}
		for _, c := range candidates {
			if reflect.TypeOf(c.impl).Implements(s.iface) && usesHook(c.impl, s.iface) {
				s.add(&w.hooks, c.impl, c.of)
			}
		}
	}
	return nil
}

func usesHook(v any, iface reflect.Type) bool {
	subset, ok := v.(HookSubset)
	return !ok || subset.UsesHook(iface.Method(0).Name)
}

// checkHooks returns an error for a mode or mod with a method that looks like a hook and is none.
func checkHooks(v any) error {
	t := reflect.TypeOf(v)
	if t == nil {
		return fmt.Errorf("%w: a mod is nil", ErrHook)
	}
	all := t // with the methods that only a pointer to it has
	if t.Kind() != reflect.Pointer {
		all = reflect.PointerTo(t)
	}
	for i := range all.NumMethod() {
		m := all.Method(i)
		iface, want := findHook(m.Name)
		if iface == nil {
			if len(m.Name) <= 2 || !strings.EqualFold(m.Name[:2], "On") {
				continue
			}
			near := nearestHook(m.Name)
			switch isWord := strings.IndexFunc(m.Name[2:], unicode.IsLower) == 0; { // such as Once
			case near != "" && (!isWord || strings.EqualFold(m.Name, near)):
				return fmt.Errorf("%w: %v.%s: unknown hook; did you mean %s? Other methods must not begin with On", ErrHook, t, m.Name, near)
			case !isWord:
				return fmt.Errorf("%w: %v.%s: unknown hook; other methods must not begin with On", ErrHook, t, m.Name)
			}
			continue
		}
		switch got := signature(m.Type, 1); {
		case got != want:
			return fmt.Errorf("%w: %v.%s%s: the method of %s is %s%s", ErrHook, t, m.Name, got, iface.Name(), m.Name, want)
		case !all.Implements(iface):
			return fmt.Errorf("%w: %v.%s: the type lacks another method of %s", ErrHook, t, m.Name, iface.Name())
		case !t.Implements(iface):
			return fmt.Errorf("%w: %v.%s: only a pointer to the type has this method; pass a pointer", ErrHook, t, m.Name)
		}
	}
	return nil
}

// nearestHook returns the hook with the name most similar to a method's, or "". It counts the
// letters between the equal beginning and the equal end of two names.
func nearestHook(method string) (nearest string) {
	fewest := len(method)/2 + 1
	name := strings.ToLower(method)
	for _, s := range hookTable {
		for i := range s.iface.NumMethod() {
			hook := s.iface.Method(i).Name
			h := strings.ToLower(hook)
			begin, end, short := 0, 0, min(len(h), len(name))
			for begin < short && h[begin] == name[begin] {
				begin++
			}
			for end < short-begin && h[len(h)-1-end] == name[len(name)-1-end] {
				end++
			}
			if differ := max(len(h), len(name)) - begin - end; differ < fewest {
				nearest, fewest = hook, differ
			}
		}
	}
	return nearest
}

// findHook returns the hook interface that has a method, and the method's signature.
func findHook(method string) (iface reflect.Type, want string) {
	for _, s := range hookTable {
		if m, ok := s.iface.MethodByName(method); ok {
			return s.iface, signature(m.Type, 0)
		}
	}
	return nil, ""
}

// signature returns the parameters and results of a method, without the first skip parameters.
func signature(t reflect.Type, skip int) string {
	var b strings.Builder
	b.WriteByte('(')
	for i := skip; i < t.NumIn(); i++ {
		if i > skip {
			b.WriteString(", ")
		}
		b.WriteString(t.In(i).String())
	}
	b.WriteByte(')')
	for i := range t.NumOut() {
		b.WriteString([]string{" ", ", "}[min(i, 1)])
		b.WriteString(t.Out(i).String())
	}
	return b.String()
}
