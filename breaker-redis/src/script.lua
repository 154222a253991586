-- One circuit of the fleet: reads its state, changes it where the operation may, and says what it is now.
--
-- KEYS[1]   the circuit's hash: s state, e era, n streak, o when it opened, u until when it is open, l until when a probe
--           has its lease. Moments are microseconds of this server's clock.
-- ARGV      1 operation, 2 era that the caller knows (empty: none), 3 channel, 4 name for the channel,
--           5 time to live in milliseconds, 6 and 7 what the operation needs, 8 who calls
-- Returns   "granted state era remaining streak now"; state is - where nothing is known.
--
-- Numbers are written by %.0f: Lua's own way keeps 14 digits, and an era has 16.

local CLOSED, OPEN, PROBING, HELD = 0, 1, 2, 3
-- A circuit that is held open waits for a person: ten years.
local FOREVER = 315360000000

local op, base = ARGV[1], tonumber(ARGV[2])
local a, b = tonumber(ARGV[6]), tonumber(ARGV[7])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local found = redis.call('HMGET', KEYS[1], 's', 'e', 'n', 'u', 'l')
local known = found[2] and true or false
local state, era = tonumber(found[1] or CLOSED), tonumber(found[2] or 0)
local streak, open_until, lease_until = tonumber(found[3] or 0), tonumber(found[4] or 0), tonumber(found[5] or 0)
-- The caller's news are of an older era: they change nothing.
local stale = base ~= nil and base < era
local granted = false

local function text(number)
    return string.format('%.0f', number)
end

local function describe()
    local remaining = 0
    if state == OPEN then
        remaining = math.max(open_until - now, 0)
    elseif state == PROBING then
        remaining = math.max(lease_until - now, 0)
    end
    local shown = known and text(state) or '-'
    return shown .. ' ' .. text(era) .. ' ' .. text(remaining) .. ' ' .. text(streak) .. ' ' .. text(now)
end

local function publish()
    -- Where an ACL refuses the channel, the state has been written all the same.
    redis.pcall('PUBLISH', ARGV[3], ARGV[4] .. ' ' .. ARGV[8] .. ' ' .. describe())
end

local function keep()
    local life = tonumber(ARGV[5])
    if state == HELD then
        life = FOREVER
    elseif state == OPEN then
        life = life + math.ceil(math.max(open_until - now, 0) / 1000)
    elseif state == PROBING then
        life = life + math.ceil(math.max(lease_until - now, 0) / 1000)
    end
    redis.call('PEXPIRE', KEYS[1], text(life))
end

-- Every change of state has an era that no other ever had, even after the server lost everything.
local function turn(to)
    if to == OPEN and state ~= OPEN then
        redis.call('HSET', KEYS[1], 'o', text(now))
    end
    state, known = to, true
    era = math.max(era + 1, now)
    streak = 0
    redis.call('HSET', KEYS[1], 's', text(state), 'e', text(era), 'n', '0', 'u', text(open_until), 'l', text(lease_until))
    keep()
    publish()
end

local function open(cooldown)
    open_until, lease_until = now + cooldown, 0
    turn(OPEN)
end

local function close()
    open_until, lease_until = 0, 0
    turn(CLOSED)
end

-- The verdict of a probe counts if nobody else was given leave since.
local holds = known and state == PROBING and base == era

if op == 'fail' then
    if state == CLOSED and not stale then
        if streak + 1 >= a then
            open(b)
        elseif known then
            streak = streak + 1
            redis.call('HSET', KEYS[1], 'n', text(streak))
            keep()
            -- Others have to know that an answer is news from now on.
            if streak == 1 then
                publish()
            end
        else
            known, era, streak = true, now, 1
            redis.call('HSET', KEYS[1], 's', '0', 'e', text(era), 'n', '1', 'u', '0', 'l', '0')
            keep()
            publish()
        end
    end
elseif op == 'answer' then
    if known and state == CLOSED and streak > 0 and not stale then
        streak = 0
        redis.call('HSET', KEYS[1], 'n', '0')
        keep()
    end
elseif op == 'open' then
    if state == CLOSED and not stale then
        open(a)
    end
elseif op == 'probe' then
    if known and ((state == OPEN and now >= open_until) or (state == PROBING and now >= lease_until)) then
        lease_until = now + a
        granted = true
        turn(PROBING)
    end
elseif op == 'won' then
    if holds then
        close()
    end
elseif op == 'lost' then
    if holds then
        open(a)
    end
elseif op == 'drop' then
    if holds then
        open_until, lease_until = now, 0
        turn(OPEN)
    end
elseif op == 'reset' then
    close()
elseif op == 'trip' then
    if state ~= HELD then
        open(a)
    end
elseif op == 'hold' then
    if state ~= HELD then
        open_until, lease_until = 0, 0
        turn(HELD)
    end
end

return (granted and '1' or '0') .. ' ' .. describe()
