-- The tables above come from the schema of the messages. This part reads packets with them.

local bytes, sub = string.byte, string.sub
local band, bor, rshift, tobit = bit.band, bit.bor, bit.rshift, bit.tobit

-- Fields ---------------------------------------------------------------------------------------

-- A protocol has the version's tables and its ProtoFields, by their filter names.
local function new_protocol(name, title, tables)
  local p = {proto = Proto(name, title), name = name, tables = tables, fields = {}, list = {}}
  function p.add(kind, short, label, ...)
    local key = name .. "." .. short
    local field = ProtoField[kind](key, label, ...)
    p.fields[short] = field
    p.list[#p.list + 1] = field
    return field
  end
  p.add("uint8", "flags", "Flags", base.HEX)
  p.add("bool", "control", "Control message")
  p.add("bool", "resend", "Asks for vital chunks again")
  p.add("bool", "compressed", "Compressed")
  p.add("bool", "connless", "Connectionless")
  p.add("uint16", "ack", "Acknowledged sequence number")
  p.add("uint8", "chunks", "Number of chunks")
  p.add("uint32", "token", "Token", base.HEX)
  p.add("uint32", "response", "Token for the answer", base.HEX)
  p.add("string", "packet", "Control or connectionless message")
  p.add("string", "reason", "Reason")
  p.add("string", "text", "Text")
  p.add("bytes", "data", "Data")
  p.add("uint16", "extra", "Number of the extended header")
  p.add("bool", "vital", "Vital")
  p.add("bool", "resent", "Sent again")
  p.add("uint16", "size", "Size in bytes")
  p.add("uint16", "seq", "Sequence number")
  p.add("string", "message", "Message")
  p.add("bool", "system", "System message")
  p.add("bytes", "uuid", "UUID")
  p.add("int32", "int", "Integer")
  p.add("int32", "base", "Tick of the base")
  p.add("int32", "checksum", "Checksum of the result")
  p.add("int32", "items", "Items")
  p.add("string", "item", "Item")
  p.add("string", "change", "Change")
  p.add("uint16", "item_id", "Id of the item")
  p.error = ProtoExpert.new(name .. ".error", "Error", expert.group.MALFORMED, expert.severity.ERROR)
  p.lost = ProtoExpert.new(name .. ".lost", "Not in the capture", expert.group.SEQUENCE, expert.severity.NOTE)
  return p
end

-- Enumerations become tables from the value to its name.
local function value_names(enum)
  local names = {}
  for i, name in ipairs(enum.names) do
    names[enum.first + i - 1] = name
  end
  return names
end

local function declare(p, prefix, fields)
  for _, f in ipairs(fields) do
    local short = prefix .. "." .. f.n:lower()
    f.short = short
    local kind = f.t
    if kind == "struct" then
      declare(p, prefix, p.tables.structs[f.struct])
    elseif p.fields[short] then
      -- two messages that differ only by case
    elseif kind == "string" then
      p.add("string", short, f.n, base.NONE, f.doc)
    elseif kind == "bool" then
      p.add("bool", short, f.n, base.NONE, nil, nil, f.doc)
    elseif kind == "enum" then
      local enum = p.tables.enums[f.enum]
      if enum.flags then
        f.flags = enum.names
        p.add("uint32", short, f.n, base.HEX, nil, nil, f.doc)
      else
        p.add("int32", short, f.n, base.DEC, value_names(enum), nil, f.doc)
      end
    elseif kind == "int" or kind == "tick" or kind == "ints" then
      p.add("int32", short, f.n, base.DEC, nil, nil, f.doc)
    elseif kind == "custom" and f.wire ~= "raw[32]" then
      if f.wire == "int n, n × string" then
        p.add("string", short, f.n, base.NONE, f.doc)
      else
        p.add("int32", short, f.n, base.DEC, nil, nil, f.doc)
      end
    else
      p.add("bytes", short, f.n, base.NONE, f.doc)
    end
  end
end

local function declare_all(p)
  for _, group in ipairs({p.tables.system, p.tables.game, p.tables.extended}) do
    for _, m in pairs(group) do
      declare(p, m.name:lower(), m.fields)
    end
  end
  for _, group in ipairs({p.tables.objects, p.tables.extended_objects}) do
    for _, o in pairs(group) do
      declare(p, "snap." .. o.name:lower(), o.fields)
    end
  end
  p.proto.fields = p.list
  p.proto.experts = {p.error, p.lost}
end

local seven = new_protocol("tw7", "Teeworlds 0.7", tables7)
local six = new_protocol("tw6", "Teeworlds 0.6 and DDNet", tables6)
declare_all(seven)
declare_all(six)

-- Huffman ----------------------------------------------------------------------------------------

local root = {}
for i = 1, #huffman, 2 do
  local code, n, node = huffman[i], huffman[i + 1], root
  for b = 0, n - 2 do
    local branch = band(rshift(code, b), 1)
    node[branch] = node[branch] or {}
    node = node[branch]
  end
  node[band(rshift(code, n - 1), 1)] = (i - 1) / 2
end

-- decompress returns the text of a compressed string from position at on, and the position after it.
-- It returns nil if the text has no end or is longer than most bytes.
local function decompress(s, at, most)
  local out, n, node = {}, 0, root
  for i = at, #s do
    local b = bytes(s, i)
    for _ = 1, 8 do
      node = node[b % 2]
      b = (b - b % 2) / 2
      if type(node) == "number" then
        if node == 256 then
          return table.concat(out), i + 1
        end
        n = n + 1
        if n > most then
          return nil
        end
        out[n] = string.char(node)
        node = root
      end
    end
  end
  return nil
end

-- Reading ----------------------------------------------------------------------------------------

-- A reader has a string, the position of its next byte, and a Tvb with the same bytes, if any.
local function reader(s, tvb, first)
  return {s = s, at = first or 1, tvb = tvb}
end

local function range(r, from)
  if r.tvb then
    return r.tvb(from - 1, r.at - from)
  end
end

-- int reads a variable length integer. It returns nil if the data ends within it.
local function int(r)
  local s, at = r.s, r.at
  local b = bytes(s, at)
  if not b then
    return nil
  end
  local negative = band(b, 0x40) ~= 0
  local v, scale = band(b, 0x3f), 64
  for i = 1, 4 do
    if b < 0x80 then
      break
    end
    at = at + 1
    b = bytes(s, at)
    if not b then
      return nil
    end
    v = v + band(b, i == 4 and 0x0f or 0x7f) * scale
    scale = scale * 128
  end
  r.at = at + 1
  v = tobit(v)
  return negative and bit.bnot(v) or v
end

local function text(r)
  local e = r.s:find("\0", r.at, true)
  if not e then
    return nil
  end
  local v = sub(r.s, r.at, e - 1)
  r.at = e + 1
  return v
end

local function raw(r, n)
  if n < 0 or r.at + n - 1 > #r.s then
    return nil
  end
  local v = sub(r.s, r.at, r.at + n - 1)
  r.at = r.at + n
  return v
end

local function hex(s)
  return (s:gsub(".", function(c) return ("%02x"):format(bytes(c)) end))
end

-- flag_names returns the names of the flags that are set.
local function flag_names(names, v)
  local set = {}
  for i, name in ipairs(names) do
    if band(rshift(v, i - 1), 1) == 1 then
      set[#set + 1] = name
    end
  end
  return table.concat(set, " ")
end

local function show_int(p, tree, f, where, v)
  if not tree then
    return
  end
  local field = p.fields[f.short]
  if f.t == "bool" then
    tree:add(field, where, v ~= 0)
  elseif f.flags then
    local item = tree:add(field, where, v % 4294967296)
    item:append_text(" " .. flag_names(f.flags, v))
  else
    tree:add(field, where, v)
  end
end

-- read_int and read_text read one number or text of a field. They return an error, or nil and the value.
local function read_int(p, r, f, tree)
  local from = r.at
  local v = int(r)
  if not v then
    return "the message ends before " .. f.n
  end
  show_int(p, tree, f, range(r, from), v)
  return nil, v
end

local function read_text(p, r, f, tree)
  local from = r.at
  local v = text(r)
  if not v then
    return "the text " .. f.n .. " has no end"
  end
  if tree then
    tree:add(p.fields[f.short], range(r, from), v)
  end
  return nil, v
end

-- value reads one element of a field. It returns an error, or nil and the value if it is a single one.
local function value(p, r, f, tree)
  local from, field, kind = r.at, p.fields[f.short], f.t
  if kind == "int" or kind == "tick" or kind == "bool" or kind == "enum" then
    return read_int(p, r, f, tree)
  elseif kind == "string" then
    return (read_text(p, r, f, tree))
  elseif kind == "custom" and f.wire == "int n, n × string" then
    local n = int(r)
    if not n then
      return "the message ends before " .. f.n
    end
    for _ = 1, n do
      local err = read_text(p, r, f, tree)
      if err then
        return err
      end
    end
  elseif kind == "ints" or kind == "custom" and f.wire ~= "raw[32]" then
    -- To the end of the message: any number, or "0, 1 or 3 × int". "Size/4 × int" is before the last field.
    local most = 3
    if kind == "ints" then
      most = math.huge
    elseif f.wire:find("Size", 1, true) then
      most = math.floor((f.size or 40) / 4)
    end
    local n = 0
    while n < most and r.at <= #r.s do
      local err = read_int(p, r, f, tree)
      if err then
        return err
      end
      n = n + 1
    end
  else
    local n = #r.s - r.at + 1
    if kind == "data" then
      n = int(r)
      from = r.at
      if not n then
        return "the message ends before the size of " .. f.n
      end
    elseif kind == "raw" then
      n = f.size
    elseif kind == "uuid" then
      n = 16
    elseif kind == "custom" then
      if n == 0 then
        return nil -- an old server without a hash
      end
      n = 32
    end
    local v = raw(r, n)
    if not v then
      return ("%s has %d bytes, but %d are left"):format(f.n, n, #r.s - from + 1)
    end
    if tree and n > 0 then
      tree:add(field, range(r, from))
    end
    return nil, v
  end
end

-- read_fields reads fields and adds them to tree, if any. It returns an error, or nil and the values of
-- single fields by name.
local function read_fields(p, r, fields, tree, values)
  for _, f in ipairs(fields) do
    if f.t == "struct" then
      for _ = 1, f.count or 1 do
        local err = read_fields(p, r, p.tables.structs[f.struct], tree, values)
        if err then
          return err
        end
      end
    else
      if f.optional and r.at > #r.s then
        return nil
      end
      if f.wire and f.wire:find("Size", 1, true) then
        f.size = values["Size"]
      end
      for _ = 1, (f.count or 1) * (f.inner or 1) do
        local err, v = value(p, r, f, tree)
        if err then
          return err
        end
        values[f.n] = v
      end
    end
  end
  return nil
end

-- find_message returns the description of the message that begins at the reader, which tables it is from,
-- and its id. Programs of DDNet send their own messages over 0.7 in the form of 0.6.
local function find_message(p, r)
  local id = int(r)
  if not id then
    return nil, p
  end
  local system = band(id, 1) == 1
  id = bit.arshift(id, 1)
  if id == 0 and #r.s > 16 then
    local uuid = raw(r, 16)
    local m = uuid and six.tables.extended[hex(uuid)]
    if m then
      return m, six, uuid, system
    end
    return {name = "unknown UUID", fields = {}, unknown = true}, six, uuid, system
  end
  local m = (system and p.tables.system or p.tables.game)[id]
  return m, p, nil, system
end

-- decodes reports whether a chunk is a message without an error and without bytes left.
local function decodes(p, s)
  local r = reader(s)
  local m, from = find_message(p, r)
  if not m then
    return false
  end
  return m.unknown or read_fields(from, r, m.fields, nil, {}) == nil and r.at == #r.s + 1
end

-- Chunks -----------------------------------------------------------------------------------------

-- next_chunk reads the header of a chunk, where the second byte has so many bits of the size. It returns
-- nil if the payload ends within the chunk.
local function next_chunk(r, bits)
  local b0, b1 = bytes(r.s, r.at, r.at + 1)
  if not b1 then
    return nil
  end
  local c = {from = r.at, vital = band(b0, 0x40) ~= 0, resent = band(b0, 0x80) ~= 0}
  local low = 2 ^ bits
  c.size = band(b0, 0x3f) * low + b1 % low
  local header = 2
  if c.vital then
    local b2 = bytes(r.s, r.at + 2)
    if not b2 then
      return nil
    end
    c.seq = band(bor((b1 - b1 % low) * 4, b2), 0x3ff)
    header = 3
  end
  c.first = r.at + header
  if c.first + c.size - 1 > #r.s then
    return nil
  end
  c.data = sub(r.s, c.first, c.first + c.size - 1)
  r.at = c.first + c.size
  return c
end

-- chunk_list returns the chunks of a payload, the position after them, and whether all are complete.
local function chunk_list(s, count, bits)
  local r, list = reader(s), {}
  for i = 1, count do
    local c = next_chunk(r, bits)
    if not c then
      return list, r.at, false
    end
    list[i] = c
  end
  return list, r.at, true
end

-- Snapshots --------------------------------------------------------------------------------------

local most_snapshots = 200 -- per connection; clients acknowledge within three seconds

-- read_delta reads a delta and returns the items of the snapshot and the list of its changes.
local function read_delta(p, s, old)
  local r = reader(s)
  local gone, updated, zero = int(r), int(r), int(r)
  if not zero or gone < 0 or updated < 0 or gone > #s or updated > #s then
    return nil, "the delta has no header"
  end
  local now, changes = {}, {}
  for key, item in pairs(old) do
    now[key] = item
  end
  for _ = 1, gone do
    local key = int(r)
    if not key then
      return nil, "the delta ends within the items that are gone"
    end
    changes[#changes + 1] = {key = key, gone = true, before = now[key]}
    now[key] = nil
  end
  for _ = 1, updated do
    local kind, id = int(r), int(r)
    if not id then
      return nil, "the delta ends before an item"
    end
    local o = p.tables.objects[kind]
    local n = o and not o.dynamic and o.size or int(r)
    if not n or n < 0 or n > #s then
      return nil, "the delta ends before an item"
    end
    local key = bor(bit.lshift(kind, 16), band(id, 0xffff))
    local before, ints = now[key], {}
    for i = 1, n do
      local d = int(r)
      if not d then
        return nil, "the delta ends within an item"
      end
      ints[i] = tobit((before and before[i] or 0) + d)
    end
    now[key] = ints
    changes[#changes + 1] = {key = key, ints = ints, before = before}
  end
  return now, changes
end

local function checksum(items)
  local sum = 0
  for _, ints in pairs(items) do
    for _, v in ipairs(ints) do
      sum = tobit(sum + v)
    end
  end
  return sum
end

-- take_snapshot follows the snapshots of a connection. It returns what the packet shows: a table with
-- base, changes, count, kinds and error; or nil for a part.
local function take_snapshot(p, c, m, values, data)
  local tick, base_tick = values.Tick, values.Tick - values.DeltaTick
  local parts, part = values.Parts or 1, values.Part or 0
  if parts > 1 then
    if c.part_tick ~= tick then
      c.part_tick, c.parts, c.have = tick, {}, 0
    end
    if parts > 64 or part < 0 or part >= parts or c.parts[part] then
      return nil
    end
    c.parts[part], c.have = data, c.have + 1
    if c.have < parts then
      return nil
    end
    data = c.parts[0]
    for i = 1, parts - 1 do
      data = data .. (c.parts[i] or "")
    end
    c.parts, c.have = {}, 0
  end
  local result = {base = base_tick, changes = {}}
  local old = base_tick == -1 and {} or c.snapshots[base_tick]
  if not old then
    result.lost = ("its base, tick %d, is not in the capture"):format(base_tick)
    return result
  end
  local now, changes = old, {}
  if m.name ~= "SNAPEMPTY" then
    now, changes = read_delta(p, data or "", old)
    if not now then
      result.error = changes
      return result
    end
    local sum = checksum(now)
    if sum ~= values.CRC then
      result.error = ("the checksum of the snapshot is %d, not %d"):format(sum, values.CRC)
      return result
    end
    result.checksum = sum
  end
  result.changes, result.count = changes, 0
  result.kinds = {}
  for key, ints in pairs(now) do
    result.count = result.count + 1
    if rshift(key, 16) == 0 and p == six and #ints == 4 then
      local uuid = ("%08x%08x%08x%08x"):format(ints[1] % 4294967296, ints[2] % 4294967296, ints[3] % 4294967296, ints[4] % 4294967296)
      result.kinds[band(key, 0xffff)] = p.tables.extended_objects[uuid]
    end
  end
  if not c.snapshots[tick] then
    c.ticks[#c.ticks + 1] = tick
  end
  c.snapshots[tick] = now
  if #c.ticks > most_snapshots then
    c.snapshots[table.remove(c.ticks, 1)] = nil
  end
  return result
end

local function show_snapshot(p, tree, where, result)
  if result.error then
    tree:add_proto_expert_info(p.error, result.error)
    return
  elseif result.lost then
    tree:add_proto_expert_info(p.lost, result.lost)
    return
  end
  tree:add(p.fields.base, where, result.base):set_generated()
  if result.checksum then
    tree:add(p.fields.checksum, where, result.checksum):set_generated()
  end
  tree:add(p.fields.items, where, result.count):set_generated()
  for _, change in ipairs(result.changes) do
    local kind, id = band(rshift(change.key, 16), 0xffff), band(change.key, 0xffff)
    local o = result.kinds[kind] or p.tables.objects[kind]
    local name = o and o.name or ("type " .. kind)
    local item = tree:add(p.fields.item, where, name)
    item:set_generated()
    local what = change.gone and "gone" or change.before and "changed" or "new"
    item:append_text((" %d, %s"):format(id, what))
    item:add(p.fields.item_id, where, id):set_generated()
    item:add(p.fields.change, where, what):set_generated()
    local i = 1
    for _, f in ipairs(not change.gone and o and o.fields or {}) do
      for _ = 1, (f.count or 1) * (f.inner or 1) do
        if change.ints[i] then
          show_int(p, item, f, where, change.ints[i])
        end
        i = i + 1
      end
    end
    for j = i, #(change.ints or {}) do
      item:add(p.fields.int, where, change.ints[j])
    end
  end
end

-- Connections ------------------------------------------------------------------------------------

-- connections has a table per pair of addresses: the version, the place of the token in 0.6, and snapshots.
-- frames has, for each frame, the results of the first look at it, because Wireshark may show
-- frames in any order later.
local connections, frames = {}, {}

local function reset(c)
  c.snapshots, c.ticks, c.parts, c.have = {}, {}, {}, 0
end

local function connection(pinfo)
  local a = tostring(pinfo.src) .. " " .. pinfo.src_port
  local b = tostring(pinfo.dst) .. " " .. pinfo.dst_port
  local key = a < b and a .. " " .. b or b .. " " .. a
  if not connections[key] then
    connections[key] = {}
    reset(connections[key])
  end
  return connections[key]
end

local clear = {"connless6", "connless7", "control7", "halflife"}

-- classify returns the kind of a datagram by its first bytes: one of clear, "data", or nil.
local function classify(s)
  local b0, b1, b2, b3, b4 = bytes(s, 1, 5)
  if not b2 then
    return nil
  end
  if b3 and b0 == 255 and b1 == 255 and b2 == 255 and b3 == 255 then
    if not b4 then
      return nil
    elseif b4 ~= 255 then
      return "halflife"
    end
    return #s >= 6 and "connless6" or nil
  elseif band(b0, 0x20) ~= 0 then
    if band(b0, 3) == 1 then
      return #s >= 9 and "connless7" or nil
    end
    return #s >= 6 and "connless6" or nil
  elseif band(b0, 0x04) ~= 0 then
    return #s >= 8 and "control7" or nil
  end
  return "data"
end

local function clearly6(s)
  local b0, _, b2 = bytes(s, 1, 3)
  return band(b0, 0x04) == 0 and (band(b0, 0xc0) ~= 0 or band(b0, 0x10) ~= 0 and b2 == 0)
end

local function clearly7(s)
  local b0, _, b2 = bytes(s, 1, 3)
  return #s >= 7 and band(b0, 0xc0) == 0 and (band(b0, 0x04) ~= 0 or band(b0, 0x10) ~= 0 and b2 ~= 0)
end

local function connect6(s)
  local b0, _, b2, b3 = bytes(s, 1, 4)
  return clearly6(s) and band(b0, 0x10) ~= 0 and b2 == 0 and (bytes(s, band(b0, 0x08) ~= 0 and 8 or 4) == 1)
end

local function payload7(s)
  local b0 = bytes(s, 1)
  if band(b0, 0x10) ~= 0 then
    return decompress(s, 8, 1391)
  end
  return sub(s, 8), #s + 1
end

local function payload6(s)
  local b0 = bytes(s, 1)
  local first = band(b0, 0x08) ~= 0 and 8 or 4
  if band(b0, 0x80) ~= 0 then
    return decompress(s, first, 1397)
  end
  return sub(s, first), #s + 1
end

-- complete reports whether all chunks of a packet can be decoded.
local function complete(p, s)
  if #s < (p == seven and 8 or 4) then
    return false
  end
  local payload = (p == seven and payload7 or payload6)(s)
  local count = bytes(s, 3)
  if not payload or count == 0 then
    return false
  end
  local list, after, whole = chunk_list(payload, count, p == seven and 6 or 4)
  local rest = #payload - after + 1
  if not whole or rest ~= 0 and (p == seven or rest ~= 4) then
    return false
  end
  for _, c in ipairs(list) do
    if not decodes(p, c.data) then
      return false
    end
  end
  return true
end

local function set_version(c, version, sure)
  c.sure = c.sure or sure
  if c.version ~= version then
    c.version, c.place = version, nil
    reset(c)
  end
end

-- detect finds the version of a connection, as "teeyard dump" does.
local function detect(c, kind, s)
  if kind == "control7" then
    set_version(c, seven, true)
  elseif connect6(s) then
    set_version(c, six, true)
  elseif c.sure then
    return
  elseif clearly6(s) then
    set_version(c, six, false)
  elseif clearly7(s) then
    set_version(c, seven, false)
  elseif not c.version then
    set_version(c, complete(seven, s) and seven or six, false)
  end
end

-- Packets ----------------------------------------------------------------------------------------

local function u32(s, at)
  local a, b, c, d = bytes(s, at, at + 3)
  return d and ((a * 256 + b) * 256 + c) * 256 + d
end

local control_names = {
  [seven] = {[0] = "KEEPALIVE", "CONNECT", "ACCEPT", [4] = "CLOSE", [5] = "TOKEN"},
  [six] = {[0] = "KEEPALIVE", "CONNECT", "CONNECTACCEPT", "ACCEPT", "CLOSE"},
}

-- message shows the message of a chunk, and returns its name.
local function show_message(p, c, s, tvb, first, tree, frame)
  local r = reader(s, tvb and tvb(first - 1, #s):tvb())
  local m, from, uuid, system = find_message(p, r)
  if not m then
    tree:add_proto_expert_info(p.error, "unknown message")
    tree:add(p.fields.message, r.tvb(), "?")
    return "?"
  end
  tree:set_text(m.name)
  tree:add(p.fields.message, range(r, 1), m.name)
  tree:add(p.fields.system, range(r, 1), system):set_generated()
  if uuid then
    tree:add(p.fields.uuid, r.tvb(r.at - 17, 16))
  end
  local values = {}
  local err = read_fields(from, r, m.fields, tree, values)
  if m.unknown then
    if r.at <= #s then
      tree:add(p.fields.data, r.tvb(r.at - 1))
    end
  elseif err then
    tree:add_proto_expert_info(p.error, err)
  elseif r.at <= #s then
    tree:add_proto_expert_info(p.error, ("%d bytes too many"):format(#s - r.at + 1))
  end
  if m.name == "MAP_CHANGE" and not frame.done then
    reset(c)
  end
  if not err and m.snapshot then
    frame.count = frame.count + 1
    if not frame.done then
      frame.results[frame.count] = take_snapshot(p, c, m, values, values.Data) or false
    end
    local result = frame.results[frame.count]
    if result then
      show_snapshot(p, tree, r.tvb(), result)
    end
  end
  return m.name
end

local function show_chunks(p, c, s, tvb, count, tree, frame, names)
  local list, after, whole = chunk_list(s, count, p == seven and 6 or 4)
  for _, chunk in ipairs(list) do
    local t = tree:add(p.proto, tvb(chunk.from - 1, chunk.first - chunk.from + chunk.size), "Chunk")
    local head = tvb(chunk.from - 1, chunk.first - chunk.from)
    if chunk.size == 0 then
      t:add_proto_expert_info(p.error, "an empty chunk")
      names[#names + 1] = "?"
      t:add(p.fields.message, head, "?")
    else
      names[#names + 1] = show_message(p, c, chunk.data, tvb, chunk.first, t, frame)
    end
    t:add(p.fields.vital, head, chunk.vital)
    t:add(p.fields.resent, head, chunk.resent)
    t:add(p.fields.size, head, chunk.size)
    if chunk.vital then
      t:add(p.fields.seq, head, chunk.seq)
    end
  end
  if not whole then
    tree:add_proto_expert_info(p.error, ("the header announces %d chunks, but %d are complete"):format(count, #list))
  end
  return after
end

-- place_token finds out where packets of a 0.6 connection have the token, if the handshake is not in the capture.
local function place_token(c, s, b0, count)
  if c.place then
    return
  end
  local rest
  if band(b0, 0x08) ~= 0 then
    c.place = "header"
    return
  elseif band(b0, 0x10) ~= 0 then
    rest = #s - 1
    if bytes(s, 1) == 4 then
      local n = rest
      rest = (n == 4 and bytes(s, #s) ~= 0 or n > 4 and bytes(s, #s - 4) == 0) and 4 or 0
    end
  else
    local _, after, whole = chunk_list(s, count, 4)
    if not whole then
      return
    end
    rest = #s - after + 1
  end
  c.place = rest == 0 and "none" or rest == 4 and "trailer" or nil
end

-- offer6 returns the place of the token that a handshake of 0.6 announces.
local function offer6(s, b0)
  if band(b0, 0x08) ~= 0 then
    return "header"
  elseif sub(s, 2, 5) == "TKEN" then
    return "trailer"
  end
  return "none"
end

-- show_flags adds the header of a packet with or without a token.
local function show_header(p, s, tvb, tree, flags)
  local b0, b1, b2 = bytes(s, 1, 3)
  tree:add(p.fields.flags, tvb(0, 1), b0 - b0 % 4)
  tree:add(p.fields.control, tvb(0, 1), band(b0, flags.control) ~= 0)
  tree:add(p.fields.resend, tvb(0, 1), band(b0, flags.resend) ~= 0)
  tree:add(p.fields.compressed, tvb(0, 1), band(b0, flags.compressed) ~= 0)
  tree:add(p.fields.ack, tvb(0, 2), b0 % 4 * 256 + b1)
  tree:add(p.fields.chunks, tvb(2, 1), b2)
end

local function show_reason(p, s, tvb, tree)
  if #s > 1 then
    local e = s:find("\0", 2, true) or #s + 1
    tree:add(p.fields.reason, tvb(1), sub(s, 2, e - 1))
  end
end

local flags7 = {control = 0x04, resend = 0x08, compressed = 0x10}
local flags6 = {control = 0x10, resend = 0x40, compressed = 0x80}

-- uncompressed returns the payload of a packet with a Tvb of it, and the position after the packet.
local function uncompressed(p, s, tvb, first, is_compressed, tree)
  if not is_compressed then
    local payload = sub(s, first)
    return payload, #payload > 0 and tvb(first - 1):tvb() or nil, #s + 1
  end
  local payload, after = decompress(s, first, p == seven and 1391 or 1397)
  if not payload then
    tree:add_proto_expert_info(p.error, "the compressed data has no end, or is too long")
    return nil, nil, #s + 1
  end
  return payload, #payload > 0 and ByteArray.new(payload, true):tvb("Decompressed") or nil, after
end

local function show7(c, s, tvb, tree, frame, names)
  local p, b0 = seven, bytes(s, 1)
  if #s < 7 then
    tree:add_proto_expert_info(p.error, "too short for a packet")
    return #s + 1
  end
  show_header(p, s, tvb, tree, flags7)
  tree:add(p.fields.token, tvb(3, 4))
  local payload, data, after = uncompressed(p, s, tvb, 8, band(b0, 0x10) ~= 0, tree)
  if not payload then
    return after
  end
  local count = bytes(s, 3)
  if band(b0, 0x04) ~= 0 then
    if #payload == 0 or count ~= 0 then
      tree:add_proto_expert_info(p.error, "not a control message")
      return after
    end
    local id = bytes(payload, 1)
    local name = control_names[p][id] or ("control " .. id)
    names[#names + 1] = name
    tree:add(p.fields.packet, data(0, 1), name)
    if name == "CONNECT" or name == "TOKEN" then
      local token = u32(payload, 2)
      if token then
        tree:add(p.fields.response, data(1, 4))
      end
      if name == "CONNECT" and not frame.done and c.own ~= token then
        c.own = token
        reset(c)
      end
    elseif name == "CLOSE" then
      show_reason(p, payload, data, tree)
      c.own = nil
    elseif not control_names[p][id] then
      tree:add_proto_expert_info(p.error, "unknown control message")
    end
    return after
  end
  local rest = show_chunks(p, c, payload, data, count, tree, frame, names)
  if rest <= #payload and data then
    tree:add_proto_expert_info(p.error, ("%d bytes follow the last chunk"):format(#payload - rest + 1))
    tree:add(p.fields.data, data(rest - 1))
  end
  return after
end

local function show6(c, s, tvb, tree, frame, names)
  local p, b0 = six, bytes(s, 1)
  local first = band(b0, 0x08) ~= 0 and 8 or 4
  if #s < first - 1 then
    tree:add_proto_expert_info(p.error, "too short for a packet")
    return #s + 1
  end
  show_header(p, s, tvb, tree, flags6)
  if first == 8 then
    tree:add(p.fields.token, tvb(3, 4))
  end
  local payload, data, after = uncompressed(p, s, tvb, first, band(b0, 0x80) ~= 0, tree)
  if not payload then
    return after
  end
  local count, control = bytes(s, 3), band(b0, 0x10) ~= 0
  if control and (#payload == 0 or count ~= 0 or band(b0, 0x80) ~= 0) then
    tree:add_proto_expert_info(p.error, "not a control message")
    return after
  end
  local name
  if control then
    local id = bytes(payload, 1)
    name = control_names[p][id] or ("control " .. id)
    names[#names + 1] = name
    tree:add(p.fields.packet, data(0, 1), name)
    if not control_names[p][id] then
      tree:add_proto_expert_info(p.error, "unknown control message")
    end
    if name == "CONNECT" or name == "CONNECTACCEPT" then
      if not frame.done then
        c.place = name == "CONNECTACCEPT" and offer6(payload, b0) or nil
        if name == "CONNECTACCEPT" then
          reset(c)
        end
      end
      if offer6(payload, b0) == "trailer" and #payload >= 9 then
        tree:add(p.fields.token, data(5, 4))
      end
      return after
    end
  end
  if not frame.done then
    place_token(c, payload, b0, count)
    frame.places[#frame.places + 1] = c.place or "none"
  end
  frame.packets = frame.packets + 1
  local place = frame.places[frame.packets]
  if place == "trailer" and #payload >= (control and 5 or 4) then
    tree:add(p.fields.token, data(#payload - 4, 4))
    payload = sub(payload, 1, -5)
  end
  if control then
    if name == "CLOSE" then
      show_reason(p, payload, data, tree)
    end
    return after
  end
  local rest = show_chunks(p, c, payload, data, count, tree, frame, names)
  if rest <= #payload then
    tree:add_proto_expert_info(p.error, ("%d bytes follow the last chunk"):format(#payload - rest + 1))
    tree:add(p.fields.data, data(rest - 1, #payload - rest + 1))
  end
  return after
end

-- show_connless shows a connectionless message: four bytes ff, four letters, and data.
local function show_connless(p, s, tvb, first, tree, names)
  local name = sub(s, first, first + 7)
  if #name < 8 or sub(name, 1, 4) ~= "\255\255\255\255" then
    tree:add_proto_expert_info(p.error, "unknown message")
    return
  end
  name = sub(name, 5)
  names[#names + 1] = name
  tree:add(p.fields.packet, tvb(first - 1, 8), name)
  first = first + 8
  if first > #s then
    return
  end
  if name == "inf3" or name == "iext" or name == "iex+" then
    local r = reader(s, tvb, first)
    if p == seven then
      local from = r.at
      local v = int(r)
      if v then
        tree:add(p.fields.int, range(r, from), v)
      end
    end
    while r.at <= #s do
      local from = r.at
      local v = text(r)
      if not v then
        break
      end
      tree:add(p.fields.text, range(r, from), v)
    end
    first = r.at
  end
  if first <= #s then
    tree:add(p.fields.data, tvb(first - 1))
  end
end

-- Half-Life --------------------------------------------------------------------------------------

local halflife = Proto("halflife", "Half-Life query, rcon and master")
local hl = {
  message = ProtoField.string("halflife.message", "Message"),
  text = ProtoField.string("halflife.text", "Text"),
  challenge = ProtoField.uint32("halflife.challenge", "Challenge"),
  protocol = ProtoField.uint8("halflife.protocol", "Protocol"),
  name = ProtoField.string("halflife.name", "Name"),
  map = ProtoField.string("halflife.map", "Map"),
  dir = ProtoField.string("halflife.dir", "Folder of the game"),
  game = ProtoField.string("halflife.game", "Game"),
  players = ProtoField.uint8("halflife.players", "Players"),
  most = ProtoField.uint8("halflife.max_players", "Most players"),
  address = ProtoField.string("halflife.address", "Address"),
  server = ProtoField.string("halflife.server", "Server of a master's list"),
  player = ProtoField.string("halflife.player", "Player"),
  rule = ProtoField.string("halflife.rule", "Rule"),
  data = ProtoField.bytes("halflife.data", "Data"),
}
halflife.fields = {hl.message, hl.text, hl.challenge, hl.protocol, hl.name, hl.map, hl.dir, hl.game, hl.players, hl.most,
  hl.address, hl.server, hl.player, hl.rule, hl.data}
local hl_error = ProtoExpert.new("halflife.error", "Error", expert.group.MALFORMED, expert.severity.ERROR)
halflife.experts = {hl_error}

local function show_text(r, field, tree)
  local from, v = r.at, text(r)
  if v and r.at > from then
    tree:add(field, range(r, from), v)
  end
  return v
end

local function show_byte(r, field, tree)
  local v = bytes(r.s, r.at)
  if v then
    r.at = r.at + 1
    tree:add(field, range(r, r.at - 1), v)
  end
  return v
end

-- Answers begin with a letter.
local hl_answers = {
  I = {"A2S_INFO answer", function(r, tree)
    show_byte(r, hl.protocol, tree)
    show_text(r, hl.name, tree)
    show_text(r, hl.map, tree)
    show_text(r, hl.dir, tree)
    show_text(r, hl.game, tree)
    r.at = r.at + 2
    show_byte(r, hl.players, tree)
    show_byte(r, hl.most, tree)
  end},
  m = {"details answer", function(r, tree)
    show_text(r, hl.address, tree)
    show_text(r, hl.name, tree)
    show_text(r, hl.map, tree)
    show_text(r, hl.dir, tree)
    show_text(r, hl.game, tree)
    show_byte(r, hl.players, tree)
    show_byte(r, hl.most, tree)
    show_byte(r, hl.protocol, tree)
  end},
  D = {"players answer", function(r, tree)
    r.at = r.at + 1
    while r.at <= #r.s do
      r.at = r.at + 1
      if not show_text(r, hl.player, tree) then
        break
      end
      r.at = r.at + 8
    end
  end},
  E = {"rules answer", function(r, tree)
    r.at = r.at + 2
    while r.at <= #r.s and show_text(r, hl.rule, tree) do
      show_text(r, hl.text, tree)
    end
  end},
  A = {"challenge answer", function(r, tree)
    if r.at + 3 <= #r.s then
      tree:add_le(hl.challenge, r.tvb(r.at - 1, 4))
      r.at = r.at + 4
    end
  end},
  j = {"ping answer"},
  l = {"print", function(r, tree) show_text(r, hl.text, tree) end},
  T = {"A2S_INFO", function(r, tree)
    show_text(r, hl.text, tree)
    if r.at + 3 <= #r.s then
      tree:add_le(hl.challenge, r.tvb(r.at - 1, 4))
      r.at = r.at + 4
    end
  end},
  U = {"A2S_PLAYER"},
  V = {"A2S_RULES"},
  W = {"A2S_SERVERQUERY_GETCHALLENGE"},
  f = {"master list", function(r, tree)
    r.at = r.at + 1
    while r.at + 5 <= #r.s do
      local a, b, c, d, e, f = bytes(r.s, r.at, r.at + 5)
      r.at = r.at + 6
      tree:add(hl.server, range(r, r.at - 6), ("%d.%d.%d.%d:%d"):format(a, b, c, d, e * 256 + f))
    end
  end},
}

-- Requests and answers that are words.
local hl_words = {"details", "players", "rules", "ping", "info", "infostring", "getchallenge", "challenge", "rcon", "infostringresponse", "log"}

local function show_halflife(s, tvb, tree, names)
  local r = reader(s, tvb, 5)
  local word = s:match("^%a+", 5)
  local known
  for _, w in ipairs(hl_words) do
    known = known or word == w and w
  end
  local letter = sub(s, 5, 5)
  local answer = hl_answers[letter]
  local name = known or answer and answer[1] or "?"
  names[#names + 1] = name
  if known then
    r.at = 5 + #word
    tree:add(hl.message, range(r, 5), name)
    if r.at <= #s then
      tree:add(hl.text, tvb(r.at - 1), (sub(s, r.at):gsub("%z.*", "")))
    end
    return
  end
  r.at = 6
  tree:add(hl.message, range(r, 5), name)
  if not answer then
    tree:add_proto_expert_info(hl_error, "unknown message")
  elseif answer[2] then
    answer[2](r, tree)
  elseif #s >= 9 and (letter == "U" or letter == "V") then
    tree:add_le(hl.challenge, tvb(5, 4))
    r.at = 10
  end
  if r.at <= #s then
    tree:add(hl.data, tvb(r.at - 1))
  end
end

-- Dissectors -------------------------------------------------------------------------------------

-- new_frame returns the memory of a frame: done after the first look, and the results of that.
local function frame_of(pinfo)
  local frame = frames[pinfo.number]
  if not frame then
    frame = {results = {}, places = {}, versions = {}, done = false}
    frames[pinfo.number] = frame
  end
  frame.count, frame.packets, frame.parts = 0, 0, 0
  return frame
end

local function dissect(tvb, pinfo, root_tree)
  local s = tvb:raw()
  local kind = classify(s)
  if not kind then
    return 0
  end
  local names = {}
  if kind == "halflife" then
    pinfo.cols.protocol = "Half-Life"
    show_halflife(s, tvb, root_tree:add(halflife, tvb()), names)
  else
    local c, frame = connection(pinfo), frame_of(pinfo)
    while true do
      kind = classify(s)
      if not kind or kind == "halflife" then
        break
      end
      frame.parts = frame.parts + 1
      if not frame.done and (kind == "data" or kind == "control7") then
        detect(c, kind, s)
      end
      frame.versions[frame.parts] = frame.versions[frame.parts] or kind == "connless6" and six or kind == "connless7" and seven or c.version
      local p = frame.versions[frame.parts]
      local tree = root_tree:add(p.proto, tvb())
      pinfo.cols.protocol = p == seven and "Teeworlds 0.7" or "Teeworlds 0.6"
      local after = #s + 1
      if kind == "connless6" then
        tree:add(p.fields.connless, tvb(0, 1), true)
        if sub(s, 1, 2) == "xe" then
          tree:add(p.fields.extra, tvb(2, 2))
        end
        show_connless(p, s, tvb, 7, tree, names)
      elseif kind == "connless7" then
        tree:add(p.fields.connless, tvb(0, 1), true)
        tree:add(p.fields.token, tvb(1, 4))
        tree:add(p.fields.response, tvb(5, 4))
        show_connless(p, s, tvb, 10, tree, names)
      else
        after = (p == seven and show7 or show6)(c, s, tvb, tree, frame, names)
      end
      -- A capture on the server's machine may show several datagrams as one, with zeros between.
      while bytes(s, after) == 0 do
        after = after + 1
      end
      if after > #s then
        break
      end
      s, tvb = sub(s, after), tvb(after - 1):tvb()
    end
    frame.done = true
  end
  pinfo.cols.info = table.concat(names, ", ")
  return tvb:len()
end

-- Only the first protocol is registered; the others are shown by it.
function seven.proto.dissector(tvb, pinfo, tree) return dissect(tvb, pinfo, tree) end
function six.proto.dissector(tvb, pinfo, tree) return dissect(tvb, pinfo, tree) end
function halflife.dissector(tvb, pinfo, tree) return dissect(tvb, pinfo, tree) end

-- A new capture begins with this.
function seven.proto.init()
  connections, frames = {}, {}
end

-- ours reports whether a datagram to or from any port certainly belongs to one of the protocols.
local function ours(s, pinfo)
  local kind = classify(s)
  if kind == "halflife" then
    local word = s:match("^%a+", 5)
    return hl_answers[sub(s, 5, 5)] ~= nil or word == "rcon" or word == "challenge"
  elseif kind == "connless6" then
    return sub(s, 7, 10) == "\255\255\255\255" and #s >= 14
  elseif kind == "connless7" then
    return sub(s, 10, 13) == "\255\255\255\255" and #s >= 17
  elseif not kind then
    return false
  end
  local a = tostring(pinfo.src) .. " " .. pinfo.src_port
  local b = tostring(pinfo.dst) .. " " .. pinfo.dst_port
  local known = connections[a < b and a .. " " .. b or b .. " " .. a]
  if known and known.version then
    return true
  elseif kind == "control7" then
    local b0, _, b2 = bytes(s, 1, 3)
    return b0 - b0 % 4 == 4 and b2 == 0 and bytes(s, 8) <= 5
  end
  return connect6(s) and #s >= 4 or complete(seven, s) or complete(six, s)
end

seven.proto:register_heuristic("udp", function(tvb, pinfo, tree)
  if not ours(tvb:raw(), pinfo) then
    return false
  end
  dissect(tvb, pinfo, tree)
  return true
end)

local ports = DissectorTable.get("udp.port")
for port = 8303, 8310 do
  ports:add(port, seven.proto)
end
for _, p in ipairs({seven.proto, six.proto, halflife}) do
  ports:add_for_decode_as(p)
end
