-- teeyard mod test runs every function whose name begins with test_, each in a match of its own.

function test_a_hit_gives_hearts()
  local ada, bob = test.join("ada", "bob")
  ada.health = 5
  test.shoot(ada, bob, "gun")
  test.expect(bob.health, 9, "health of bob")
  test.expect(ada.health, 6, "health of ada")

  test.set("sv_NAME", 3)
  test.shoot(ada, bob, "gun")
  test.expect(ada.health, 9, "health of ada after the second hit")
end

function test_command()
  local ada = test.join("ada")
  test.expect(test.say(ada, "/NAME"), "Hearts for each hit: 1")
end

function test_timer()
  local ada = test.join("ada")
  ada.health = 5
  test.run(20 * game.ticks_per_second)
  test.expect(ada.health, 6)
  test.expect_heard(ada, "A heart for everyone")
end
