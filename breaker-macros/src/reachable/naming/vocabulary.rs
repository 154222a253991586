//! The vocabulary: the role of each word in the name of an error. A name that is judged wrongly is fixed here.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::fault::FaultKind;

/// The role of a word in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A fault, whatever precedes it: `timeout`, `unreachable`, `deserialization`.
    Fault(FaultKind),
    /// A fault that not even a thing after it excuses: `CertNotValidForName`.
    Definite(FaultKind),
    /// A part of a message, and so a malformed message as the name of a variant. A type with such a name
    /// (`ErrorResponse`) is not one.
    Part,
    /// A state of a thing. It is a fault alone or after a fault, and an answer after anything else: `ConnectionClosed`
    /// and `Closed` are faults, `AccountClosed` is an answer.
    State(FaultKind),
    /// A state that is an answer only after [`Role::Goods`]: `StoreUnavailable` is a fault, `ItemUnavailable` an
    /// answer.
    Outage(FaultKind),
    /// A part of the remote system. It is judged like an outage, and a thing after it does not decide alone:
    /// `ServerMeltdown`.
    System(FaultKind),
    /// A thing that a business may have or lack.
    Goods,
    /// A thing of the user's: every word outside the vocabulary.
    Thing,
    /// A definite answer, whatever precedes it: `found`, `denied`.
    Answer,
    /// A complaint about the thing beside it, so that the thing decides: `not`, `mismatch`.
    Complaint,
    /// A complaint that can be about a setting: an `InvalidTimeout` does not mean a timeout.
    Objection,
    /// An objection that only a definite answer makes about data: a `MessageTooLarge` was understood.
    Excess,
    /// A word without a meaning alone, and a complaint about a thing beside it: `UnknownError`, `ProxyProfileUnknown`.
    Unknown,
    /// A word without a meaning: `http`, `request`, `other`.
    Blank,
    /// A word without a meaning that can be out of service: a `PaymentServiceUnavailable` is a fault.
    Machinery,
    /// A filler that is not counted: `error`, `failed`, `the`.
    Filler,
}

use FaultKind::{Connection, Malformed, Server, Timeout};
use Role::{
    Answer, Blank, Complaint, Definite, Excess, Filler, Goods, Machinery, Objection, Outage, Part, State, System,
};

/// The words of each role, separated by commas. A `*` matches any ending or any beginning, and as a separate word any
/// word. An entry of several words matches these words in a row. A word outside the list is a thing of the user's and
/// leads like any other.
pub(crate) const VOCABULARY: &[(Role, &str)] = &[
    // Waiting, and the end of waiting.
    (
        Role::Fault(Timeout),
        "*timeout*, *timout*, tmout, timed out, time out, time outs, times out, timing out, *timedout, etime, elapsed, deadline, time limit, \
         timelimit, in time, time exceeded, time expired, timer expired, took too long, took longer, waited too, \
         duration exceeded, gave up, overran, too slow, watchdog, max time",
    ),
    (
        State(Timeout),
        "overdue, late, too late, latency, wait, waiting, slow, delayed, unresponsive, stalled, stall, hung, frozen",
    ),
    // Reaching the machine, keeping the connection, negotiating.
    (
        Role::Fault(Connection),
        "connect, connects, connecting, *connection*, connected, connectivity, disconnect*, reconnect*, unconnected, \
         unconnectable, conn, dial*, network*, net, internet, intranet, socket*, tcp, udp, quic, proxy, proxies, \
         rst, socks*, dns, mdns, no route, nameserver, resolve*, resolving, unresolved, unresolvable, no such host, \
         host not found, domain not found, name resolution, host resolution, name lookup, host lookup, \
         address lookup, nxdomain, nx domain, servfail, unreach*, reachab*, unroutable, trust, firewall blocked, \
         by firewall, peer, reach, reaching, be reached, could not reach, not reached, transport*, tunnel*, vpn, \
         responder*, respond, responded, responding, replied, communication*, no answer, not answer, did not answer, \
         answered, answering, unanswered, got nothing, nothing received, ping*, pong*, heartbeat*, keepalive*, \
         keep alive, broken pipe, pipe, epipe, econn*, enotfound, enotconn, eproto*, esocket*, enet*, ehost*, eaddrinuse, eaddrnotavail, ewouldblock, eio, eintr, enotsock, \
         enonet, enolink, ecomm, eshutdown, eremoteio, eai again, wsae*, hangup, hang up, hung up, goaway, go away, \
         file handle, addr not available, address not available, addr in use, would block, write zero, server gone, \
         server has gone, gone away, going away, went away, abnormal*, negotiated, negotiation",
    ),
    // Trust in the machine that was reached. No thing after these is an excuse.
    (
        Definite(Connection),
        "tls*, dtls*, mtls*, starttls, ssl*, mutual tls, openssl, rustls, handshak*, alpn, sni, cipher*, \
         certificate*, cert, certs, truststore, x509, crl, ocsp, pinning, proxy auth*, host key, key exchange, \
         client hello, server hello, close notify, unknown ca, unknown issuer, unknown authority, self signed, stateless reset, \
         premature*",
    ),
    (
        State(Connection),
        "refused, refuse, reset, closed, closing, close, closure, aborted, abort, lost, loss, dropped, drop, broken, \
         broke, terminated, torn, interrupt*, severed, unverified, eof, cleared, resolution, dispatch*, \
         end of stream, end of file, already closed, already aborted, already terminated",
    ),
    (
        Role::Fault(Server),
        "too many concurrent, too many inflight, too many in flight, too many simultaneous, too many active, \
         too fast, too often, too frequent*, too soon, per second, per minute, throughput, bandwidth, concurrency, \
         overcapacity, at capacity, over capacity, no capacity, insufficient capacity, backpressure, back pressure, \
         congest*, saturat*, contention, slow down, slowdown, back off, backoff, retry*, try again*, try later, \
         again later, over quota, flood*, rate limit*, ratelimit*, rate exceeded, throttl*, overload*, under load, \
         high load, heavy load, back later, your calm, hourly, minutely, secondly, minute limit, query limit, \
         call limit, request limit, rate too high, load shed*, internal, internally, fatal, bad status, \
         not implemented, unimplemented, degraded, data loss, dataloss, shutdown, shut down, shutting down, \
         restart*, reboot*, starting up, warming up, loading, bootstrap*, draining, circuit, bulkhead, backlog, oom, \
         disk full, disk space, memory limit, no space, out of space, out of resources, insufficient resource*, \
         not enough resource*, resources exceeded, quorum, failover, failing over, not primary, no primary, \
         not master, no master, not leader, no leader, electing, election in progress, rebalance*, stepdown, \
         stepped down, maintenance, downtime, outage, brownout, blackout, crash*, panic*, malfunction*, breakdown, \
         disrupt*, inoperative, inoperable, meltdown, bug, segfault, stack overflow, assertion, dependency fail*, \
         burst, spike, qps, rps, concurrent requests, null pointer, null reference",
    ),
    (Definite(Server), "5xx, cloudflare, not enough replicas, bad gateway, too many requests"),
    (
        State(Server),
        "ready, unready, offline, out of, limit exceeded, limits exceeded, limit reached, limit hit, quota, \
         capacity, temporar*, transient*, overflowed, overflow, overrun, unhealthy, healthy, unstable, replica, \
         halted, inconsistency, stopped, stopping, full, cancel*, read only, readonly, recovering, recovery, \
         booting, warming, initializing, initialising, syncing, synced, dead, died, killed, operational",
    ),
    (System(Connection), "host, hostname"),
    (System(Server), "server, servers, srv, svr, backend, leader, coordinator, storage, memory"),
    (
        Outage(Server),
        "requests, calls, queries, commands, operations, lookups, retries, sessions, busy, down, unavailable, \
         available, availability, exhausted, exhaustion",
    ),
    (
        Goods,
        "rate, redirect uri, redirect url, product, item, sku, variant, article, stock, inventory, seat, slot, date, \
         name, username, nickname, email, number, address, method, plan, offer, price, currency, country, region, \
         feature, option, driver, room, funds, balance, credit, credits, order, coupon, voucher, quantity, \
         appointment, discount, payment, handle, alias, title, media, document, account, user, ticket, file, url, \
         shipping, delivery, phone, domain",
    ),
    // Reading a response, and its formats. No thing after these is an excuse.
    (
        Definite(Malformed),
        "pars*, unpars*, deseriali*, seriali*, decod*, undecod*, encod*, unmarshal*, marshal*, decompress*, unpack*, \
         inflate, decrypt*, unread*, unintelligible, too much data, short read, short write, ebadmsg, eilseq, \
         garbage, garbled, mangled, gibberish, malformed, wellformed, well formed, corrupt*, truncated, trailing, \
         leftover, junk, stray, unclosed, unterminated, unbalanced, unexpected*, checksum, crc*, magic, underflow, \
         syntax, lexer, json*, xml*, yaml*, html*, bson*, csv, cbor, msgpack, protobuf, proto, prost, serde*, utf, \
         utf8, utf16, unicode, ascii, base64, gzip, brotli, deflate, zstd, zlib, charset, soap, wsdl, toml, avro, \
         thrift, bincode, asn1, ber, der, pem, hex, varint, delimiter, discriminant, protocol*, subprotocol*, \
         sub protocol*, codec, opcode*, op code, framing, httparse, header*, trailer*, packet*, datagram, mask*, \
         unmasked, fragment*, bit, bits, octet, bitmap, frame*, chunk*, websocket*, web socket*",
    ),
    (Role::Fault(Malformed), "compression"),
    (
        Part,
        "response*, resp, reply, replies, body, content type, content length, content range, content disposition, \
         content encoding, last modified, payload length, status line, status code, continuation, redirect*, \
         multipart*, boundary, envelope",
    ),
    (
        State(Malformed),
        "data, bad message, invalid message, incomplete message, out of order, conversion, upgrade, schema, byte, bytes, buffer, buf, \
         incomplete, partial",
    ),
    (
        Answer,
        "found, notfound, length required, exceeded storage, unexpected state, exist*, denied, forbidden, conflict*, \
         declined, gone, deleted, removed, archived, disabled, suspended, banned, locked, duplicate*, precondition, \
         permission*, allowed, disallowed, prohibited, unauthorized, modified, in use, immutable, inactive, \
         deactivated, refunded, pending, acceptable, ineligible, restricted, unprocessable, unknown command, \
         unknown operation, unknown query, unknown connection, unknown channel, unknown session, unknown stream, \
         unknown pool, unknown application, unknown integration, unknown provider, unknown vendor, unknown platform, \
         unknown site, unknown node, unknown cluster, unknown client, body required, unsupported response type, \
         connection revoked, connection expired, taken down, taken, reserved, registered, unregistered, configured, \
         enabled, no such *, attached, assigned, associated, enrolled, subscribed, provisioned, already",
    ),
    (
        Objection,
        "invalid, missing, unsupported, supported, wrong, incorrect, illegal, too small, too short, too high, \
         too low, out of range, unset, negative, zero, required",
    ),
    (Excess, "too large, too big, too long, too many, too much, oversized"),
    (
        Complaint,
        "bad, not, no, non, none, cannot, cant, can, could, couldnt, unable, mismatch*, match, incompatible, \
         insufficient, expired, revoked, untrusted, rejected, rejection, blocked, empty, exceeded, exceeds, too few, \
         too, must, is, was, be, has, have, needed, violation, violated, never, without, lacks, valid, more, less, \
         max, min, maximum, minimum, stale, large, small, long, short, length, longer, limited, many, much, yet, \
         enough, find, got, sent, received, arrived, came, come, established, opened, started, bound, initialized, \
         initialised, joined, delivered, acknowledged, returned, given, reached, did, does, do, over, side, mode, \
         initial, requested, queue, queued, in progress",
    ),
    (Role::Unknown, "unknown, unrecognized, unrecognised"),
    // Words of every call, and names of libraries and services.
    (
        Blank,
        "http, https, http1, http2, http3, h1, h2, h3, smtp, imap, pop3, sip, ldap, ftp, sftp, ssh, mqtt, amqp, coap, \
         modbus, er, cr, grpc, graphql, graph, ql, web, oauth, other, others, generic, general, misc, miscellaneous, \
         custom, common, global, 4xx, unspecified, undefined, unclassified, uncategorized, uncategorised, unhandled, \
         uncaught, undocumented, some, something, things, core, std, io, os, lib, library, sdk, client, request, \
         secure, third, party, external, vendor, local, operation, call, command, query, execution, execute, \
         executing, process, processing, perform, performing, handling, send, sending, receive, receiving, recv, \
         read, reading, write, writing, fetch, fetching, load, lookup, stream, streaming, channel, link, line, \
         session, pool, step, try, idle, open, opening, status, code, result, version, size, payload, content, \
         upload, download, output, input, thread, unsuccessful, success, this, that, it, all, any, prefix, ms, \
         millis, secs, seconds, req, cmd, subchannel, now, later, still, currently, attempt, reqwest, hyper, ureq, \
         isahc, tungstenite, tonic, tokio, anyhow, eyre, sqlx, aws, s3, azure, gcp, google, stripe, shopify, slack, \
         salesforce, hubspot, twilio, github, crm",
    ),
    // Programs at the other end.
    (
        Machinery,
        "api, rest, rpc, service, remote, upstream, downstream, gateway, cluster, node, nodes, shard, shards, broker, \
         brokers, provider, integration, adapter, application, app, system, subsystem, platform, site, engine, \
         worker, runtime, database, db, sql, redis, kafka, nats, postgres, mysql, mongo, elastic*, rabbit*",
    ),
    (
        Filler,
        "error, errors, err, errs, exception, exceptions, failure, failures, fail, fails, failed, failing, fault, \
         faults, kind, kinds, reason, reasons, issue, issues, problem, problems, cause, occurred, happened, \
         encountered, went, an, the, to, of, on, in, for, by, at, from, with, while, when, during, after, before, \
         and, or, as",
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
        .filter_map(|end| index.get(word.get(..end)?))
        .flatten()
        .filter(|entry| entry.row.is_empty() && (entry.open || word.len() - entry.len == 1 && word.ends_with('s')));
    let ends =
        (1..word.len()).filter_map(|start| index.get(word.get(start..)?)).flatten().filter(|entry| entry.compound);
    let unlisted = if word.starts_with(|first: char| first.is_ascii_digit()) { Role::Blank } else { Role::Thing };
    exact
        .max_by_key(|entry| (entry.row.len(), !entry.open))
        .or_else(|| beginnings.chain(ends).next())
        .map_or((unlisted, 1), |entry| (entry.role, 1 + entry.row.len()))
}

/// Endings with which a beginning in the vocabulary is recognised.
const ENDINGS: &[&str] = &[
    "s", "e", "es", "d", "ed", "led", "r", "er", "y", "ly", "ing", "ling", "ion", "ation", "able", "ization", "zation",
];

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
    words.contains_key(word) || ENDINGS.iter().any(|ending| word.strip_suffix(ending).is_some_and(is_open))
}

/// An entry of the vocabulary, stored under its first word.
struct Entry {
    role: Role,
    /// The length of the first word.
    len: usize,
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
            let fits = if self.open && expected.peek().is_none() { word.starts_with(part) } else { word == part };
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
                len: first.len(),
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
