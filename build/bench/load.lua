-- SPDX-License-Identifier: Apache-2.0
--
-- Requests that wrk sends:
--
--     wrk ... -s load.lua URL -- WHAT PLAN [THINK]
--
-- WHAT is get, list, static, create or bulk. PLAN is a Lua file written by
-- build/bench/run: the keys, with where the ids of their organizations lie, and
-- the sample tests for bulk. THINK, in milliseconds, is the mean pause of a
-- connection between an answer and its next request; pauses are exponential,
-- so that requests come as from many clients that know nothing of each other.
--
-- Requests are put together by the same few string operations whatever is
-- measured, so that the client costs the same beside a file and a service.

local number = 0

function setup(thread)
    thread:set("thread", number)
    number = number + 1
end

local plan, parts, what, turn
local sets = 0

-- The text of a request around the places that differ, marked @ in it.
local function split(method, path, key, body, more)
    local headers = { ["Authorization"] = "Bearer " .. key.key, ["Accept"] = "application/json" }
    if body then
        headers["Content-Type"] = "application/json"
    end
    for name, value in pairs(more or {}) do
        headers[name] = value
    end
    local text, pieces = wrk.format(method, path, headers, body), {}
    for piece in (text .. "@"):gmatch("([^@]*)@") do
        pieces[#pieces + 1] = piece
    end
    return pieces
end

-- A random one of the first samples of the key's organization.
local function sample_of(key, count)
    return key.first + key.step * math.random(0, count - 1)
end

local make = {}

function make.get(key)
    return split("GET", "/api/v1/samples/@", key)
end

function make.list(key)
    return split("GET", "/api/v1/samples?limit=50&cursor=@", key)
end

function make.static(key)
    return split("GET", "/answer.json?id=@", key)
end

function make.create(key)
    local body = '{"clientName":"' .. key.client .. '","materialTypeId":' .. key.material ..
        ',"projectId":' .. key.project .. ',"collectionDate":"' .. plan.today ..
        '","priority":"routine","notes":"Bottle 2 of 3","testDefinitionIds":[' ..
        key.definitions .. "]}"
    return split("POST", "/api/v1/samples", key, body, { ["Idempotency-Key"] = "bench-@" })
end

-- A body for each set of a thousand sample tests of this thread; the result
-- stands as four characters in place of four.
function make.bulk(key)
    local bodies = {}
    for _, set in ipairs(key.sets) do
        sets = sets + 1
        if sets % 2 == thread % 2 then
            local body = '{"updates":[{"sampleTestId":' ..
                table.concat(set, ',"result":"@@@@"},{"sampleTestId":') ..
                ',"result":"@@@@"}]}'
            bodies[#bodies + 1] = wrk.format("POST", "/api/v1/sample-tests/bulk-results",
                { ["Authorization"] = "Bearer " .. key.key,
                  ["Content-Type"] = "application/json" }, body)
        end
    end
    return bodies
end

local send = {}

function send.get()
    local i = math.random(#parts)
    return parts[i][1] .. sample_of(plan.keys[i], plan.keys[i].count) .. parts[i][2]
end

function send.list()
    local i = math.random(#parts)
    return parts[i][1] .. sample_of(plan.keys[i], plan.keys[i].pages) .. parts[i][2]
end

send.static = send.get

function send.create()
    local pieces = parts[math.random(#parts)]
    turn = turn + 1
    return pieces[1] .. plan.run .. "-" .. thread .. "-" .. turn .. pieces[2]
end

-- Another value each time round, within every specification.
function send.bulk()
    turn = turn + 1
    local body = parts[turn % #parts + 1]
    local value = 500 + (plan.offset + math.floor(turn / #parts)) % 280
    return (body:gsub("@@@@", string.format("%d.%02d", math.floor(value / 100), value % 100)))
end

function init(args)
    what = args[1]
    plan = dofile(args[2])
    math.randomseed(plan.seed + 7919 * thread)
    parts, turn = {}, 0
    for _, key in ipairs(plan.keys) do
        if what == "bulk" then
            for _, body in ipairs(make.bulk(key)) do
                parts[#parts + 1] = body
            end
        else
            parts[#parts + 1] = make[what](key)
        end
    end
    request = send[what]
    local think = tonumber(args[3])
    if think then
        function delay()
            local pause = -think * math.log(1 - math.random())
            return math.floor(pause + math.random())
        end
    end
end

function done(summary, latency)
    local failed = summary.errors
    io.write(string.format(
        "\nmeasured requests=%d microseconds=%d refused=%d connect=%d read=%d write=%d " ..
        "timeout=%d p50=%d p99=%d max=%d\n",
        summary.requests, summary.duration, failed.status,
        failed.connect, failed.read, failed.write, failed.timeout,
        latency:percentile(50), latency:percentile(99), latency.max))
end
