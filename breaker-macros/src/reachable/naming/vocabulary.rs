//! The vocabulary: the role of each word in the name of an error. A name that is judged wrongly is fixed here.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::fault::FaultKind;
use super::role::Role;

use FaultKind::{Connection, Malformed, RateLimit, Server, Timeout};
use Role::{
    Adjunct, Answer, Blank, Complaint, Damage, Deadline, Declared, Definite, Excess, Filler, Final, Format, Found,
    Goods, Header, Homonym, InService, Installation, Lack, Limit, Line, Loss, Machinery, Missing, Not, Objection,
    Outage, Part, Party, Required, Resource, Sound, State, System,
};

/// The words of each role, separated by commas. A `*` at the end matches any inflection, at the beginning any
/// beginning, and as a separate word any word. An entry of several words matches these words in a row. A word outside the list is a thing of the user's and
/// leads like any other.
pub(crate) const VOCABULARY: &[(Role, &str)] = &[
    // Waiting, and the end of waiting.
    (
        Role::Timeout,
        "*timeout*, *timout*, tmout, timed out, time out, time outs, times out, timing out, *timedout, etime, \
         context deadline exceeded",
    ),
    (Deadline, "deadline exceeded, deadline elapsed, time limit exceeded, timelimit exceeded"),
    (
        Role::Fault(Timeout),
        "elapsed, deadline, time limit, timelimit, time exceeded, time expired, timer expired, took too long, \
         took longer, waited too, ran too long, running too long, blocked too long, duration exceeded, gave up, \
         overran, too slow, watchdog, max time",
    ),
    (Homonym(Timeout), "out of time, time is up, time up, times up, time ran out"),
    (Sound(Timeout), "in time"),
    (State(Timeout), "overdue, late, too late, latency, wait, waiting, delayed, frozen"),
    // Reaching the machine, keeping the connection, negotiating.
    (
        Role::Fault(Connection),
        "connect, connects, connecting, *connection*, connected, connectivity, disconnect*, reconnect*, unconnected, \
         unconnectable, conn, dial*, socket*, tcp, udp, quic, rst, socks*, mdns, no route, no path, nameserver, \
         resolve*, resolving, no such host, host not found, name resolution, host resolution, name lookup, \
         host lookup, address lookup, mx lookup, dns not found, nameserver not found, peer not found, hostname not found, \
         backend not found, resolver found nothing, nxdomain, nx domain, servfail, unreach*, reachab*, unroutable, \
         firewall blocked, by firewall, peer, reach, reaching, be reached, could not reach, transport*, responder*, \
         respond, responded, responding, replied, communication*, no answer, no reply, no response, not answer, \
         did not answer, answered, answering, unanswered, got nothing, nothing received, nothing came, nothing from, \
         no signal, silence, could not contact, cannot contact, unable to contact, failed to contact, ping*, pong*, \
         heartbeat*, keepalive*, keep alive, broken pipe, pipe, epipe, enotfound, enotconn, eaddrinuse, \
         eaddrnotavail, ewouldblock, eio, eintr, enotsock, enonet, enolink, ecomm, eshutdown, eremoteio, eai again, \
         hangup, hang up, hung up, goaway, go away, file handle, addr not available, address not available, \
         addr in use, would block, write zero, server gone, server has gone, gone away, going away, went away, \
         abnormal*, negotiated, negotiation, econnrefused, econnreset, econnaborted, enetdown, enetunreach, \
         enetreset, ehostdown, ehostunreach, eproto, esocket, wsaeconnrefused, wsaeconnreset, wsaeconnaborted, \
         wsaenetdown, wsaenetunreach, wsaehostdown, wsaehostunreach, wsaenotconn, no broker*, lost contact, \
         establish, establishment, establishing, address resolution, peer gone, captive portal, bye, nat traversal, \
         hole punch*",
    ),
    (Resource, "network*, proxy, proxies, vpn, tunnel*, dns"),
    (Homonym(Connection), "net, not reached, internet, intranet, trust"),
    // Trust in the machine that was reached. No thing after these is an excuse.
    (
        Definite(Connection),
        "tls*, dtls*, mtls*, starttls, ssl*, mutual tls, openssl, rustls, handshak*, alpn, sni, certificate*, cert, \
         certs, truststore, x509, crl, ocsp, pinning, proxy auth, proxy authentication, proxy authorization, \
         host key, key exchange, client hello, server hello, close notify, unknown ca, unknown issuer, \
         unknown authority, self signed, stateless reset, premature*, cipher, ciphers, ciphersuite*, \
         inadequate security, kex",
    ),
    (Final(Connection), "unresolved, unresolvable"),
    (
        State(Connection),
        "refused, refuse, closed, closing, close, closure, unverified, eof, cleared, resolution, dispatch*, \
         end of stream, end of file, already closed, already aborted, already terminated",
    ),
    (
        Loss,
        "aborted, abort, terminated, reset, lost, loss, dropped, drop, broken, broke, torn, interrupt*, severed, \
         vanished, disappeared",
    ),
    (
        Role::Fault(Server),
        "no capacity, insufficient capacity, backpressure, back pressure, congest*, saturat*, contention, try later, \
         again later, overload*, under load, high load, heavy load, back later, load shed*, internally, fatal, \
         bad status, not implemented, unimplemented, degraded, data loss, dataloss, shutdown, shut down, \
         shutting down, restart*, reboot*, starting up, warming up, loading, bootstrap*, draining, circuit, \
         bulkhead, backlog, oom, disk full, disk space, memory limit, no space, out of space, out of resources, \
         insufficient resource*, not enough resource*, resources exceeded, quorum, failover, failing over, \
         not primary, no primary, not master, no master, not leader, no leader, electing, election in progress, \
         rebalance*, stepdown, stepped down, maintenance, downtime, outage, brownout, blackout, crash*, panic*, \
         malfunction*, breakdown, disrupt*, inoperative, inoperable, meltdown, bug, segfault, stack overflow, \
         assertion, dependency fail*, null pointer, null reference, not controller, not accepting, overwhelmed, \
         swamped, maxed out, queue full, pool full, buffer full, mempool full, deadlock*, serv fail, excessive load, \
         hardware, rejected execution, too many open files, out of file, out of handles, drained",
    ),
    (
        Role::Fault(RateLimit),
        "too many concurrent, too many inflight, too many in flight, too many simultaneous, too many active, \
         too fast, too often, too frequent*, too soon, throughput, bandwidth, concurrency, back off, backoff, \
         slow down, slowdown, over quota, flood*, rate limit*, ratelimit*, rate exceeded, throttl*, your calm, \
         hourly, minutely, secondly, minute limit, query limit, call limit, request limit, rate too high, burst, \
         spike, qps, rps, concurrent requests, requests limit",
    ),
    (
        Definite(Server),
        "5xx, cloudflare, not enough replicas, bad gateway, not enough node*, insufficient node*, \
         insufficient replica*",
    ),
    (
        Definite(RateLimit),
        "per second, per minute, too many connections, too many requests, request rate, max concurrent",
    ),
    (Final(Server), "internal, retry*, try again*"),
    (
        State(Server),
        "recovery, at capacity, over capacity, overcapacity, sick, stuck, flapping, out of, capacity, temporar*, \
         transient*, halted, inconsistency, stopped, full, read only, readonly, dead, died, killed, evicted, \
         starting",
    ),
    (Limit, "limit exceeded, limits exceeded, limit reached, limit hit, quota"),
    (Sound(Server), "ready, live, started, initialized, initialised, running"),
    (InService, "available, healthy, alive, serving, living, online, operational, synced, listening"),
    (System(Connection), "host, hostname"),
    (
        System(Server),
        "server, servers, srv, svr, backend, leader, coordinator, storage, memory, slave, slaves, master, masters, \
         disk, leadership",
    ),
    (Outage(RateLimit), "requests, calls, queries, commands, operations, lookups, retries, sessions"),
    (Outage(Timeout), "slow, unresponsive, stalled, stall, hung, hanging, silent"),
    (
        Outage(Server),
        "busy, down, unavailable, availability, exhausted, exhaustion, shortage, depleted, stockout, not up, offline, \
         unhealthy, unstable, unready, recovering, syncing, stopping, lag, lagging, behind, booting, \
         warming, initializing, initialising, overflow, overflowed, overrun",
    ),
    (
        Goods,
        "rate, redirect uri, redirect url, product, item, sku, variant, article, stock, inventory, seat, slot, date, \
         name, username, nickname, email, number, address, method, plan, offer, price, currency, country, region, \
         feature, option, driver, room, funds, balance, credit, credits, order, coupon, voucher, quantity, \
         appointment, discount, payment, handle, alias, title, media, document, account, user, ticket, file, url, \
         shipping, delivery, phone, domain, point in time, size, image, storage quota, disk quota, backup, lock, \
         level, window, mailbox, member, invoice, subscription, card, video, photo, song, track, book, flight, \
         hotel, language, location, color, colour, tier, template, report, path, id, ids, arn, iban, contents, fare, \
         map, pointer, budget, policy, query string, content, body parameter, body field, form body, \
         header parameter, vehicle, car, table",
    ),
    (Party, "*ee, player, friend, callback, customer, cardholder, buyer, guest, approval, confirmation, consent"),
    // Reading a response, and its formats. No thing after these is an excuse.
    (
        Definite(Malformed),
        "pars*, unpars*, deseriali*, seriali*, decod*, undecod*, encod*, unmarshal*, marshal*, decompress*, unpack*, \
         inflate, decrypt*, unintelligible, too much data, short read, short write, ebadmsg, eilseq, garbled, \
         mangled, garbage, gibberish, rubbish, nonsense, wellformed, well formed, corrupt*, trailing, leftover, \
         junk, stray, unclosed, unterminated, unbalanced, unexpected*, crc*, underflow, lexer, serde*, delimiter, \
         discriminant, subprotocol*, sub protocol*, codec, opcode*, op code, framing, httparse, datagram, unmasked, \
         octet, bitmap, websocket*, web socket*, packet*, frame*, chunk*, fragment*, bit, bits, protocol*, \
         magic number, magic byte*, http version, length prefix, record mac, flow control, wrong content type, \
         deser, hashsum, parity, wire format, wire type, extra data, extra byte*",
    ),
    (
        Format,
        "json*, xml*, yaml*, html*, bson*, csv, cbor, msgpack, protobuf, proto, prost, utf, utf8, utf16, unicode, \
         ascii, base64, gzip, brotli, deflate, zstd, zlib, charset, soap, wsdl, toml, avro, thrift, bincode, asn1, \
         ber, der, pem, hex, varint, trailer*, checksum, location header, encoding*",
    ),
    (Homonym(Malformed), "envelope, mask*, magic, syntax, serialization failure"),
    (Header, "header*"),
    (Role::Fault(Malformed), "compression"),
    (
        Part,
        "ack, nack, response*, resp, reply, replies, body, content range, content disposition, last modified, \
         payload length, status line, status code, continuation, redirect*, multipart*, boundary, greeting",
    ),
    (
        Declared,
        "host header, accept header, accept encoding, accept language, accept charset, content type, content length, \
         content encoding, content md5, authorization header, authentication header, auth header, token header, \
         signature header, key header, security header",
    ),
    (
        State(Malformed),
        "data, bad message, invalid message, incomplete message, out of order, conversion, upgrade, schema, byte, \
         bytes, buffer, buf, unknown message, out of sync, desynchronized",
    ),
    (Damage, "unread*, malformed, truncated, incomplete, partial"),
    (Found, "found, notfound, gone"),
    (
        Answer,
        "length required, exceeded storage, unexpected state, exist*, denied, forbidden, conflict*, declined, \
         deleted, removed, archived, disabled, suspended, banned, locked, duplicate*, precondition, permission*, \
         allowed, disallowed, prohibited, unauthorized, modified, in use, immutable, inactive, deactivated, \
         refunded, pending, acceptable, ineligible, restricted, unprocessable, unknown command, unknown operation, \
         unknown query, unknown connection, unknown channel, unknown session, unknown stream, unknown pool, \
         body required, unsupported response type, connection revoked, connection expired, taken down, missing body, \
         missing boundary, too late to *, taken, reserved, registered, unregistered, configured, enabled, no such *, attached, \
         assigned, associated, enrolled, subscribed, provisioned, already, duplicate *, conflicting *, in past, \
         in the past, in future, in the future, storage exceeded, insufficient quota, unknown client, \
         unrecognized client",
    ),
    (
        Objection,
        "invalid, unsupported, supported, wrong, incorrect, illegal, too small, too short, too high, too low, \
         out of range, unset, negative, zero",
    ),
    (Missing, "missing"),
    (Required, "required"),
    (Excess, "too large, too big, too long, too many, too much, oversized"),
    (
        Complaint,
        "bad, early, marked, declared, reported, became, none, cannot, cant, can, could, couldnt, unable, mismatch*, \
         match, incompatible, insufficient, expired, revoked, untrusted, rejected, rejection, blocked, empty, \
         exceeded, exceeds, too few, too, must, is, was, be, has, have, needed, violation, violated, valid, more, \
         less, max, min, maximum, minimum, stale, large, small, long, short, length, longer, limited, many, much, \
         yet, enough, find, got, sent, received, arrived, came, come, established, opened, bound, joined, \
         acknowledged, complete, completed, finished, done, used up, returned, given, reached, did, does, do, over, \
         side, mode, initial, requested, queue, queued, in progress, discovered",
    ),
    (Lack, "no, without, lacks"),
    (Not, "not, non, never, isnt, wasnt, arent"),
    (Role::Unknown, "unknown, unrecognized, unrecognised"),
    (Role::Request, "request"),
    // Words of every call, and names of libraries and services.
    (
        Blank,
        "not ok, not successful, not success, non 2xx, not 2xx, not sent, could not send, cancel*, http, https, \
         http1, http2, http3, h1, h2, h3, smtp, imap, pop3, sip, ldap, ftp, sftp, ssh, mqtt, amqp, coap, modbus, er, \
         cr, grpc, graphql, graph, ql, web, oauth, other, others, generic, general, misc, miscellaneous, custom, \
         common, global, 4xx, unspecified, undefined, unclassified, uncategorized, uncategorised, unhandled, \
         uncaught, undocumented, some, something, things, core, std, io, os, lib, library, sdk, client, secure, \
         third, party, external, vendor, local, operation, call, command, query, execution, execute, executing, \
         process, processing, perform, performing, handling, send, sending, receive, receiving, recv, read, reading, \
         write, writing, fetch, fetching, load, pool, step, try, idle, open, opening, status, code, result, version, \
         payload, upload, download, output, input, thread, unsuccessful, success, this, that, it, all, any, prefix, \
         ms, millis, secs, seconds, req, cmd, subchannel, now, later, still, currently, attempt, reqwest, hyper, \
         ureq, isahc, tungstenite, tonic, tokio, anyhow, eyre, sqlx, aws, s3, azure, gcp, google, stripe, shopify, \
         slack, salesforce, hubspot, twilio, github, crm, ws, wss, message, inbound, outbound",
    ),
    (Line, "channel, link, line, session, stream, streaming, feed, trunk, wire"),
    // Programs at the other end.
    (
        Machinery,
        "api, rest, rpc, service, remote, upstream, downstream, gateway, system, subsystem, engine, worker, runtime, \
         origin, uplink, downlink, daemon, resolver, dispatcher, indexer, cdn, sql, redis, kafka, nats, postgres, \
         mysql, mongo, elastic, elasticsearch, rabbit, rabbitmq, cache",
    ),
    (
        Installation,
        "scheduler, router, switch, relay, connector, controller, balancer, listener, pod, modem, registry, manager, \
         kernel, sidecar, mesh, orchestrator, supervisor, datacenter, hypervisor, mainframe, replica, replicas, \
         cluster, node, nodes, shard, shards, broker, brokers, provider, integration, adapter, application, app, \
         platform, site, database, db",
    ),
    (Adjunct, "on, in, for, by, at, from, while, when, during, after, before"),
    (
        Filler,
        "error, errors, err, errs, exception, exceptions, failure, failures, fail, fails, failed, failing, fault, \
         faults, kind, kinds, reason, reasons, issue, issues, problem, problems, cause, occurred, happened, \
         encountered, went, an, the, to, of, with, and, or, as, please, locally, anymore, there, here, suddenly, \
         momentarily, shortly",
    ),
];

/// Returns the role of the first word in `words`, and the number of words that it takes. The longest entry wins.
pub(crate) fn look_up(words: &[String]) -> (Role, usize) {
    static INDEX: OnceLock<HashMap<&'static str, Vec<Entry>>> = OnceLock::new();
    let index = INDEX.get_or_init(index);
    let word = words[0].as_str();
    let exact = index.get(word).into_iter().flatten().filter(|entry| entry.follows(&words[1..]));
    // The vocabulary may contain only the beginning, the singular or the end of a word.
    let beginnings = (1..word.len())
        .rev()
        .filter_map(|end| Some((index.get(word.get(..end)?)?, word.split_at(end))))
        .flat_map(|(entries, parts)| entries.iter().map(move |entry| (entry, parts)))
        .filter(|(entry, (beginning, rest))| {
            entry.row.is_empty() && if entry.open { is_inflection(beginning, rest) } else { *rest == "s" }
        })
        .map(|(entry, _)| entry);
    let ends =
        (1..word.len()).filter_map(|start| index.get(word.get(start..)?)).flatten().filter(|entry| entry.compound);
    let unlisted = if word.starts_with(|first: char| first.is_ascii_digit()) {
        Role::Blank
    } else if word.contains(['a', 'e', 'i', 'o', 'u', 'y']) || !word.is_ascii() {
        Role::Thing
    } else {
        Role::Acronym
    };
    exact
        .max_by_key(|entry| (entry.row.len(), !entry.open))
        .or_else(|| beginnings.chain(ends).next())
        .map_or((unlisted, 1), |entry| (entry.role, 1 + entry.row.len()))
}

/// Endings of the inflections of a word: `decod` with `decode`, `decoding` and `decoders`, not `dial` with `dialect`.
const ENDINGS: &[&str] = &[
    "", "s", "e", "es", "d", "ed", "r", "er", "ers", "or", "ors", "y", "ly", "ily", "ing", "ings", "ion", "ions",
    "ation", "ations", "able", "eable", "le", "ility", "ability", "ze", "zed", "zes", "zer", "zing", "zation",
    "ization", "zable", "sable", "se", "sed", "sing", "sation", "al", "ent", "ence", "ure",
];

/// Whether `rest` after a beginning from the vocabulary is an ending. Its first letter may double the one before it
/// (`cancelled`).
fn is_inflection(beginning: &str, rest: &str) -> bool {
    let rest = rest.trim_end_matches(|last: char| last.is_ascii_digit());
    let undoubled = beginning.chars().next_back().and_then(|last| rest.strip_prefix(last));
    ENDINGS.contains(&rest) || undoubled.is_some_and(|rest| !rest.is_empty() && ENDINGS.contains(&rest))
}

/// Whether the vocabulary contains a word, alone or in a row, as it is or with a usual ending.
pub(crate) fn is_listed(word: &str) -> bool {
    static WORDS: OnceLock<HashMap<&'static str, bool>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut words = HashMap::new();
        for word in VOCABULARY.iter().flat_map(|(_, entries)| entries.split(", ")).flat_map(|entry| entry.split(' ')) {
            // `*` alone matches any word, so it is not searched for.
            if word == "*" {
                continue;
            }
            *words.entry(word.trim_matches('*')).or_default() |= word.ends_with('*');
        }
        words
    });
    let is_open = |beginning: &str| words.get(beginning) == Some(&true);
    let is_inflected = |end: usize| is_open(&word[..end]) && is_inflection(&word[..end], &word[end..]);
    words.contains_key(word) || (1..word.len()).filter(|end| word.is_char_boundary(*end)).any(is_inflected)
}

/// An entry of the vocabulary, stored under its first word.
struct Entry {
    role: Role,
    /// The words that must follow.
    row: Vec<&'static str>,
    /// Whether the final word matches any word that begins with it.
    open: bool,
    /// Whether the word matches any word that ends with it.
    compound: bool,
}

impl Entry {
    fn follows(&self, words: &[String]) -> bool {
        let mut expected = self.row.iter().peekable();
        let mut words = words.iter();
        while let Some(part) = expected.next() {
            let Some(word) = words.next() else { return false };
            let is_open = self.open && expected.peek().is_none();
            let rest = word.strip_prefix(part);
            let fits =
                rest.is_some_and(|rest| rest.is_empty() || is_open && (part.is_empty() || is_inflection(part, rest)));
            if !fits {
                return false;
            }
        }
        true
    }
}

fn index() -> HashMap<&'static str, Vec<Entry>> {
    let mut index: HashMap<&'static str, Vec<Entry>> = HashMap::new();
    for (role, entries) in VOCABULARY {
        for entry in entries.split(", ") {
            let spelled = entry.trim_matches('*');
            let mut parts = spelled.split(' ');
            let first = parts.next().unwrap_or_default();
            index.entry(first).or_default().push(Entry {
                role: *role,
                row: parts.collect(),
                open: entry.ends_with('*'),
                compound: entry.starts_with('*'),
            });
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::VOCABULARY;

    #[test]
    fn every_entry_is_unique_and_can_match() {
        let mut seen = HashSet::new();
        for entry in VOCABULARY.iter().flat_map(|(_, entries)| entries.split(", ")) {
            let plain = entry.trim_matches(['*', ' ']);
            let words: Vec<&str> = plain.split(' ').collect();
            let sound = |word: &&str| {
                !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
            };
            assert!(words.iter().all(sound), "`{entry}` can never match");
            assert!(seen.insert(entry), "`{entry}` is listed twice");
        }
    }
}
