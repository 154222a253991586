-- One operation on one circuit of the fleet: reads its state, changes it where the operation is allowed to, and returns
-- the new state. The server runs the script as one atomic step.
--
-- KEYS[1]   the hash of the circuit: s state, e era, n streak, o time of the last opening, u end of the cooldown, l end of
--           the probe's lease. Times are microseconds of this server's clock.
-- ARGV      1 operation, 2 era that the caller knows (empty: none), 3 channel, 4 name for the channel,
--           5 time to live in milliseconds, 6 and 7 arguments of the operation, 8 sender
-- Returns   "granted state era remaining streak now"; the state is - where the circuit is unknown.
--
-- state     operation that changes it                                   new state
-- closed    fail, when the streak reaches the threshold; open           open
-- open      probe, after the cooldown                                   probing (granted)
-- probing   won, with the era of the grant                              closed
-- probing   lost, with the era of the grant                             open, for a cooldown
-- probing   drop, with the era of the grant                             open, with its cooldown over
-- probing   probe, after the lease                                      probing (granted to the caller)
-- any       reset                                                       closed
-- not held  trip; hold                                                  open; held
--
-- Each change of state takes a new era, the fencing token: an operation that is based on an older era has no effect.
-- Numbers are written with %.0f, because Lua's default keeps 14 digits and an era has 16.

local CLOSED, OPEN, PROBING, HELD = 0, 1, 2, 3
-- The time to live of a circuit that is held open, in milliseconds: ten years.
local FOREVER = 315360000000

local op, base = ARGV[1], tonumber(ARGV[2])
local a, b = tonumber(ARGV[6]), tonumber(ARGV[7])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local found = redis.call('HMGET', KEYS[1], 's', 'e', 'n', 'u', 'l')
local known = found[2] and true or false
local state, era = tonumber(found[1] or CLOSED), tonumber(found[2] or 0)
local streak, open_until, lease_until = tonumber(found[3] or 0), tonumber(found[4] or 0), tonumber(found[5] or 0)
-- The caller's report is based on an older era, so it has no effect.
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
    -- pcall, because an ACL may refuse the channel after the state was written.
    redis.pcall('PUBLISH', ARGV[3], ARGV[4] .. ' ' .. ARGV[8] .. ' ' .. describe())
end

local function refresh_expiry()
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

-- Changes the state. The new era is unique even if the server lost all data, because it is at least the current time.
local function change_state(to)
    if to == OPEN and state ~= OPEN then
        redis.call('HSET', KEYS[1], 'o', text(now))
    end
    state, known = to, true
    era = math.max(era + 1, now)
    streak = 0
    redis.call('HSET', KEYS[1], 's', text(state), 'e', text(era), 'n', '0', 'u', text(open_until), 'l', text(lease_until))
    refresh_expiry()
    publish()
end

local function open(cooldown)
    open_until, lease_until = now + cooldown, 0
    change_state(OPEN)
end

local function close()
    open_until, lease_until = 0, 0
    change_state(CLOSED)
end

-- The verdict of a probe counts only if no other grant was made since.
local holds = known and state == PROBING and base == era

if op == 'fail' then
    if state == CLOSED and not stale then
        if streak + 1 >= a then
            open(b)
        elseif known then
            streak = streak + 1
            redis.call('HSET', KEYS[1], 'n', text(streak))
            refresh_expiry()
            -- The other processes must report their next answer from now on.
            if streak == 1 then
                publish()
            end
        else
            known, era, streak = true, now, 1
            redis.call('HSET', KEYS[1], 's', '0', 'e', text(era), 'n', '1', 'u', '0', 'l', '0')
            refresh_expiry()
            publish()
        end
    end
elseif op == 'answer' then
    if known and state == CLOSED and streak > 0 and not stale then
        streak = 0
        redis.call('HSET', KEYS[1], 'n', '0')
        refresh_expiry()
    end
elseif op == 'open' then
    if state == CLOSED and not stale then
        open(a)
    end
elseif op == 'probe' then
    if known and ((state == OPEN and now >= open_until) or (state == PROBING and now >= lease_until)) then
        lease_until = now + a
        granted = true
        change_state(PROBING)
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
        change_state(OPEN)
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
        change_state(HELD)
    end
end

return (granted and '1' or '0') .. ' ' .. describe()
