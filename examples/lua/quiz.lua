-- Quiz: the server asks a sum in the chat. The first right answer scores a point.

local seconds = variable{name = "quiz_seconds", default = 20, min = 5, max = 600,
  help = "Seconds between two questions"}

state.answer = nil

function on_start()
  after(seconds.value * game.ticks_per_second, "ask")
end

function ask()
  local a, b = math.random(2, 20), math.random(2, 20)
  state.answer = a + b
  game.say("What is " .. a .. " + " .. b .. "?")
  after(seconds.value * game.ticks_per_second, "ask")
end

function on_chat(m)
  if state.answer and tonumber(m.text) == state.answer then
    state.answer = nil
    m.from:add_score(1)
    game.say(m.from.name .. " knows it")
  end
end

console_command{name = "quiz", help = "Asks a question now", run = function()
  ask()
  return "asked"
end}
