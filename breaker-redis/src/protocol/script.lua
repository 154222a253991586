-- One operation on the circuit of one connection: reads its state, changes it where the operation may, and returns the
-- new state. The server runs the script as one atomic step.
--
-- KEYS[1]   The circuit's hash. Moments are microseconds of this server's clock, so the processes need no common clock.
--             s  state: 0 closed, 1 open, 2 probing, 3 held open
--             e  era: the number of this state, which grows with each change of state (the fencing token)
--             n  streak: failures in a row, in the closed state
--             u  end of the cooldown, in the open state
--             l  end of the probe's lease, in the probing state
--             o  time of the last opening, for people who look at the hash; the script does not read it
--           A circuit without a hash is unknown: the operations treat it as closed, but the reply does not.
-- ARGV      1 operation, 2 era that the caller knows (empty: none), 3 channel, 4 encoded name of the circuit,
--           5 time to live in milliseconds, 6 and 7 arguments of the operation, 8 identifier of the calling process
-- Returns   "granted state era remaining streak now". granted is 1 if the caller may probe; state is - if unknown;
--           remaining is the rest of the cooldown or lease.
-- Publishes "name caller state era remaining streak now" on the channel after each change of state, and after a
--           failure that begins a streak.
--
-- The new state, by operation and by the state before ("." changes nothing):
--
--   operation, arguments    unknown    closed                  open                  probing               held open
--   read                    .          .                       .                     .                     .
--   fail threshold cooldown closed (1) streak + 1; open at     .                     .                     .
--                                      the threshold
--   answer                  .          streak = 0              .                     .                     .
--   open cooldown           open       open                    .                     .                     .
--   probe lease             .          .                       probing (2)           probing (2)           .
--   won                     .          .                       .                     closed (3)            .
--   lost cooldown           .          .                       .                     open (3)              .
--   drop                    .          .                       .                     open, cooldown 0 (3)  .
--   reset                   closed     closed                  closed                closed                closed
--   trip cooldown           open       open                    open                  open                  .
--   hold                    held open  held open               held open             held open             .
--
--   (1) with streak 1; open if the threshold is 1
--   (2) if the cooldown or the lease of the last grant is over. This is the grant, and its era identifies it.
--   (3) if the caller's era is that of the grant: not after the lease, if another probe was granted since.
--
-- fail, answer and open change nothing if the caller's era is older than the stored one, because the state has changed
-- since. reset, trip and hold are commands of an operator, so they ignore the era.
--
-- Numbers are written with %.0f, because Lua's default format keeps 14 digits and an era has 16.

local CLOSED, OPEN, PROBING, HELD = 0, 1, 2, 3
-- Milliseconds. A circuit that is held open waits for an operator, so it stays for ten years.
local TEN_YEARS = 315360000000

local operation, caller_era = ARGV[1], tonumber(ARGV[2])
local first, second = tonumber(ARGV[6]), tonumber(ARGV[7])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local found = redis.call('HMGET', KEYS[1], 's', 'e', 'n', 'u', 'l')
local known = found[2] and true or false
local state, era = tonumber(found[1] or CLOSED), tonumber(found[2] or 0)
local streak, open_until, lease_until = tonumber(found[3] or 0), tonumber(found[4] or 0), tonumber(found[5] or 0)
local stale = caller_era ~= nil and caller_era < era
local holds_grant = known and state == PROBING and caller_era == era
local granted = false

local function text(number)
    return string.format('%.0f', number)
end

local function remaining()
    if state == OPEN then
        return math.max(open_until - now, 0)
    elseif state == PROBING then
        return math.max(lease_until - now, 0)
    end
    return 0
end

local function describe()
    local shown = known and text(state) or '-'
    return shown .. ' ' .. text(era) .. ' ' .. text(remaining()) .. ' ' .. text(streak) .. ' ' .. text(now)
end

local function publish()
    -- pcall, because an ACL may refuse the channel. The state is written already and has to stay.
    redis.pcall('PUBLISH', ARGV[3], ARGV[4] .. ' ' .. ARGV[8] .. ' ' .. describe())
end

-- A cooldown or a lease may be longer than the time to live, so its rest is added.
local function set_expiry()
    local life = TEN_YEARS
    if state ~= HELD then
        life = tonumber(ARGV[5]) + math.ceil(remaining() / 1000)
    end
    redis.call('PEXPIRE', KEYS[1], text(life))
end

local function change_state(to)
    if to == OPEN and state ~= OPEN then
        redis.call('HSET', KEYS[1], 'o', text(now))
    end
    state, known = to, true
    -- A moment of the clock, so that an era is new even after the server has lost everything; and more than the last era,
    -- because two changes may fall into one microsecond.
    era = math.max(era + 1, now)
    streak = 0
    redis.call('HSET', KEYS[1], 's', text(state), 'e', text(era), 'n', '0', 'u', text(open_until), 'l', text(lease_until))
    set_expiry()
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

if operation == 'fail' then
    if state == CLOSED and not stale then
        if streak + 1 >= first then
            open(second)
        elseif known then
            streak = streak + 1
            redis.call('HSET', KEYS[1], 'n', text(streak))
            set_expiry()
            -- A process reports an answer only while it knows of a failure.
            if streak == 1 then
                publish()
            end
        else
            known, era, streak = true, now, 1
            redis.call('HSET', KEYS[1], 's', '0', 'e', text(era), 'n', '1', 'u', '0', 'l', '0')
            set_expiry()
            publish()
        end
    end
elseif operation == 'answer' then
    if known and state == CLOSED and streak > 0 and not stale then
        streak = 0
        redis.call('HSET', KEYS[1], 'n', '0')
        set_expiry()
    end
elseif operation == 'open' then
    if state == CLOSED and not stale then
        open(first)
    end
elseif operation == 'probe' then
    if known and ((state == OPEN and now >= open_until) or (state == PROBING and now >= lease_until)) then
        lease_until = now + first
        granted = true
        change_state(PROBING)
    end
elseif operation == 'won' then
    if holds_grant then
        close()
    end
elseif operation == 'lost' then
    if holds_grant then
        open(first)
    end
elseif operation == 'drop' then
    if holds_grant then
        open(0)
    end
elseif operation == 'reset' then
    close()
elseif operation == 'trip' then
    if state ~= HELD then
        open(first)
    end
elseif operation == 'hold' then
    if state ~= HELD then
        open_until, lease_until = 0, 0
        change_state(HELD)
    end
end

return (granted and '1' or '0') .. ' ' .. describe()
