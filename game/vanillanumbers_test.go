package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/internal/vanilla"
)

// TestNumbersOfSimulation checks that the packages tee and vanilla number things as package game.
func TestNumbersOfSimulation(t *testing.T) {
	for i, n := range [][2]int{
		{tee.Max, game.MaxPlayers}, {tee.TickRate, game.TickRate}, {int(tee.Nobody), int(game.Nobody)}, {tee.NumWeapons, game.NumWeapons},
		{int(tee.WeaponWorld), int(game.WeaponWorld)}, {int(tee.WeaponHammer), int(game.WeaponHammer)}, {int(tee.WeaponGun), int(game.WeaponGun)},
		{int(tee.WeaponShotgun), int(game.WeaponShotgun)}, {int(tee.WeaponGrenade), int(game.WeaponGrenade)},
		{int(tee.WeaponLaser), int(game.WeaponLaser)}, {int(tee.WeaponNinja), int(game.WeaponNinja)},

		{int(tee.EmoteNormal), int(game.EmoteNormal)}, {int(tee.EmotePain), int(game.EmotePain)}, {int(tee.EmoteHappy), int(game.EmoteHappy)},
		{int(tee.EmoteSurprise), int(game.EmoteSurprise)}, {int(tee.EmoteAngry), int(game.EmoteAngry)},

		{int(tee.ControlMove), int(game.ControlMove)}, {int(tee.ControlJump), int(game.ControlJump)}, {int(tee.ControlHook), int(game.ControlHook)},
		{int(tee.ControlFire), int(game.ControlFire)}, {int(tee.ControlSelect), int(game.ControlSelect)}, {int(tee.ControlAll), int(game.ControlAll)},

		{int(tee.Solo), int(game.CharacterFlagSolo)}, {int(tee.NoCollision), int(game.CharacterFlagNoCollision)},
		{int(tee.EndlessHook), int(game.CharacterFlagEndlessHook)}, {int(tee.EndlessJump), int(game.CharacterFlagEndlessJump)},
		{int(tee.NoHammerHit), int(game.CharacterFlagNoHammerHit)}, {int(tee.NoShotgunHit), int(game.CharacterFlagNoShotgunHit)},
		{int(tee.NoGrenadeHit), int(game.CharacterFlagNoGrenadeHit)}, {int(tee.NoLaserHit), int(game.CharacterFlagNoLaserHit)},
		{int(tee.NoHook), int(game.CharacterFlagNoHook)}, {int(tee.Invincible), int(game.CharacterFlagInvincible)},
		{int(tee.FreezeForever), int(game.FreezeForever)},

		{int(vanilla.TeamSpectators), int(game.TeamSpectators)}, {int(vanilla.TeamRed), int(game.TeamRed)}, {int(vanilla.TeamBlue), int(game.TeamBlue)},
		{int(vanilla.PickupHealth), int(game.PickupHealth)}, {int(vanilla.PickupArmor), int(game.PickupArmor)},
		{int(vanilla.PickupGrenade), int(game.PickupGrenade)}, {int(vanilla.PickupShotgun), int(game.PickupShotgun)},
		{int(vanilla.PickupLaser), int(game.PickupLaser)}, {int(vanilla.PickupNinja), int(game.PickupNinja)},
		{int(vanilla.PickupGun), int(game.PickupGun)}, {int(vanilla.PickupHammer), int(game.PickupHammer)}, {int(vanilla.Once), int(game.Once)},

		{int(vanilla.SoundGunFire), int(game.SoundGunFire)}, {int(vanilla.SoundShotgunFire), int(game.SoundShotgunFire)},
		{int(vanilla.SoundGrenadeFire), int(game.SoundGrenadeFire)}, {int(vanilla.SoundHammerFire), int(game.SoundHammerFire)},
		{int(vanilla.SoundNinjaFire), int(game.SoundNinjaFire)}, {int(vanilla.SoundGrenadeExplode), int(game.SoundGrenadeExplode)},
		{int(vanilla.SoundNinjaHit), int(game.SoundNinjaHit)}, {int(vanilla.SoundLaserFire), int(game.SoundLaserFire)},
		{int(vanilla.SoundLaserBounce), int(game.SoundLaserBounce)}, {int(vanilla.SoundWeaponSwitch), int(game.SoundWeaponSwitch)},
		{int(vanilla.SoundPainShort), int(game.SoundPainShort)}, {int(vanilla.SoundPainLong), int(game.SoundPainLong)},
		{int(vanilla.SoundPickupHealth), int(game.SoundPickupHealth)}, {int(vanilla.SoundPickupArmor), int(game.SoundPickupArmor)},
		{int(vanilla.SoundPickupGrenade), int(game.SoundPickupGrenade)}, {int(vanilla.SoundPickupShotgun), int(game.SoundPickupShotgun)},
		{int(vanilla.SoundPickupNinja), int(game.SoundPickupNinja)}, {int(vanilla.SoundWeaponSpawn), int(game.SoundWeaponSpawn)},
		{int(vanilla.SoundWeaponNoAmmo), int(game.SoundWeaponNoAmmo)},
	} {
		if n[0] != n[1] {
			t.Errorf("number %d of the table is %d in the simulation, and %d in package game", i, n[0], n[1])
		}
	}
}
