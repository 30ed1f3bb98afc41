-- Arguments: a file of requests, each after a line with its length; the first to send; and the text in requests that is
-- another id each time. Prints one line of JSON, with how often each time occurred.

local requests, turn, fresh = {}, 0, ""

local function new_id()
   local digits = {}
   for place = 1, 3 do
      digits[place] = string.format("%04x", math.random(0, 65535))
   end
   return string.format("%08x-%s-7%03x-8%03x-%s%s%04x", os.time() % 4294967296, digits[1], math.random(0, 4095),
      math.random(0, 4095), digits[2], digits[3], math.random(0, 65535))
end

function init(args)
   local file = assert(io.open(args[1], "rb"))
   turn = tonumber(args[2]) - 1 -- wrk makes one request more at the start, to look at it
   fresh = string.gsub(args[3], "-", "%%-")
   for length in file:lines() do
      requests[#requests + 1] = file:read(tonumber(length))
   end
   file:close()
   local seed = assert(io.open("/dev/urandom", "rb"))
   local a, b, c, d = string.byte(seed:read(4), 1, 4)
   seed:close()
   math.randomseed(a + 256 * (b + 256 * (c + 256 * d)))
   for place, request in ipairs(requests) do
      requests[place] = {request, string.find(request, fresh) ~= nil}
   end
   io.write("ready\n")
   io.flush()
end

function request()
   local one = requests[turn % #requests + 1]
   turn = turn + 1
   if one[2] then
      return (string.gsub(one[1], fresh, new_id))
   end
   return one[1]
end

function done(summary, latency)
   local errors, times = {}, {}
   for kind, number in pairs(summary.errors) do
      errors[#errors + 1] = string.format('"%s": %d', kind, number)
   end
   for place = 1, #latency do
      local spent, number = latency(place)
      times[place] = string.format("[%d, %d]", spent, number)
   end
   io.write(string.format('\n{"requests": %d, "microseconds": %d, "errors": {%s}, "times": [%s]}\n', summary.requests,
      summary.duration, table.concat(errors, ", "), table.concat(times, ", ")))
end
