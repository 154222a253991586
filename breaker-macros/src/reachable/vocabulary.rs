//! What single words say in the name of an error: the one table to change when a name is judged wrongly.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::names::Fault;

/// What a word does in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Names a fault, whatever stands before it: `timeout`, `unreachable`, `deserialization`.
    Fault(Fault),
    /// As a fault, and one that even a thing after it does not excuse: `CertNotValidForName`.
    Telltale(Fault),
    /// A part of a message, and so a malformed message as the name of a variant; a type named so (`ErrorResponse`) is none.
    Part,
    /// A state that something can be in; a fault by itself or after a fault, an answer after anything else:
    /// `ConnectionClosed` and `Closed` are faults, `AccountClosed` is an answer.
    State(Fault),
    /// As a state, but an answer only after [`Role::Goods`]: `StoreUnavailable` is a fault, `ItemUnavailable` an answer.
    Outage(Fault),
    /// Something that a business has or has not got.
    Goods,
    /// A thing of the user's own: every word that the table does not know.
    Thing,
    /// A definite answer, whatever stands before it: `found`, `denied`.
    Answer,
    /// Says that something is wrong with the thing beside it, so that the thing decides: `not`, `mismatch`.
    Complaint,
    /// As a complaint, and one that can be made of a setting: an `InvalidTimeout` is no timeout.
    Objection,
    /// As an objection, and one that only a definite answer makes of data: a `MessageTooLarge` was understood.
    Excess,
    /// Says nothing: `http`, `request`, `other`.
    Blank,
    /// Not even worth counting: `error`, `failed`, `the`.
    Filler,
}

use Fault::{Connection, Malformed, Server, Timeout};
use Role::{Answer, Blank, Complaint, Excess, Filler, Goods, Objection, Outage, Part, State, Telltale};

/// The words of each role, parted by commas. A `*` at the end stands for any ending; an entry of several words stands
/// for these words in a row. A word that is not listed is a thing of the user's own, and leads like any other.
pub(crate) const VOCABULARY: &[(Role, &str)] = &[
    (
        Role::Fault(Timeout),
        "timeout*, timed out, time out, times out, timing out, timedout, etimedout, elapsed, deadline, time limit, \
         took too long",
    ),
    // Reaching the machine, staying in touch, coming to terms.
    (
        Role::Fault(Connection),
        "connect, connects, connecting, connection*, connected, connectivity, disconnect*, reconnect*, unconnected, conn, \
         dial*, net, internet, resolve, resolver, resolving, resolution, unresolved, unresolvable, unreachable, \
         reachab*, unroutable, nameserver, host not found, domain not found, udp, quic, \
         transport, tunnel, ping, responder*, respond, responded, responding, reach, reaching, \
         broken pipe, pipe, epipe, econn*, enotfound, eai again, enet*, ehost*, hangup, hang up, hung up, goaway, go away, heartbeat*, \
         keepalive, keep alive, file handle, addr not available, address not available, addr in use, would block, server gone, server has gone, abnormal*, \
         negotiated, negotiation",
    ),
    (
        Telltale(Connection),
        "network*, dns, mdns, nxdomain, servfail, socket*, tcp, tls, ssl, openssl, rustls, handshake*, alpn, sni, \
         certificate*, cert, certs, x509, crl, ocsp, client hello, server hello, proxy, socks*, \
         nx domain, unknown ca, unknown issuer, unknown authority, self signed, stateless reset",
    ),
    (
        State(Connection),
        "refused, refuse, reset, closed, closing, close, aborted, abort, lost, dropped, broken, terminated, \
         interrupted, severed, hung, stalled, unresponsive, eof, cleared, host, hostname, route, dispatch*, end of stream, end of file",
    ),
    (
        Role::Fault(Server),
        "too many requests, too many concurrent, throughput, bandwidth, concurrency, overcapacity, at capacity, \
         over capacity, no capacity, insufficient capacity, backpressure, congest*, saturat*, slow down, slowdown, \
         back off, backoff, retry*, try again*, try later, again later, over quota, \
         internal, internally, degraded, shutdown, shut down, shutting down, restart*, starting up, draining, fatal, \
         bad status, not implemented, unimplemented, data loss, dataloss, circuit, bulkhead, backlog, out of memory, disk full, no space, \
         quorum, failover, failing over, not primary, no primary, not master, no master, not leader, no leader, \
         electing, rebalance*, stepdown, stepped down",
    ),
    (
        Telltale(Server),
        "rate limit*, ratelimit*, rate exceeded, throttl*, overload*, outage, maintenance, crash*, panic*, 5xx, \
         cloudflare, not enough replicas",
    ),
    (
        State(Server),
        "server, servers, ready, offline, limit exceeded, limits exceeded, quota, capacity, temporar*, transient*, leader, coordinator, \
         replica, overflowed, loading, unhealthy, healthy, unstable, rate, storage, stopped, stopping, full, cancel*, \
         read only, readonly",
    ),
    (Outage(Server), "busy, down, unavailable, available, availability, exhausted, exhaustion"),
    (
        Goods,
        "product, item, sku, variant, article, stock, inventory, seat, slot, date, name, username, nickname, email, \
         number, address, method, plan, offer, price, currency, country, region, feature, option, driver, room, funds, \
         balance, credit, credits, order, coupon, voucher, quantity, appointment, discount, payment, handle, alias, \
         title, media, document, account, user, ticket, file, url, shipping, delivery, phone, domain",
    ),
    // Reading an answer, and its formats.
    (
        Role::Fault(Malformed),
        "pars*, unpars*, deseriali*, seriali*, decod*, encod*, undecodable, unmarshal*, marshal*, decompress*, \
         compression, too much data, garbage, incomplete, checksum, crc, magic, underflow, overflow, syntax, lexer, decrypt*, \
         json, xml, yaml, html, bson, cbor, msgpack, protobuf, proto, prost, serde*, utf, utf8, utf16, unicode, \
         base64, gzip, brotli, deflate, zstd, zlib, inflate, charset, soap, wsdl, toml, avro, thrift, \
         bincode, asn1, varint, delimiter, discriminant, protocol*, subprotocol*, sub protocol*, codec, opcode*, op code, framing, httparse",
    ),
    (
        Telltale(Malformed),
        "malformed, corrupt*, garbled, truncated, oversized, trailing, leftover, junk, \
         unexpected*, header*, frame*, chunk*, websocket*, web socket*",
    ),
    (
        Part,
        "response*, reply, body, content, content type, content length, content range, content disposition, content encoding, last modified, payload length, packet*, mask*, unmasked, \
         continuation, fragment*, redirect*, multipart*",
    ),
    (State(Malformed), "data, length, out of order, message*, conversion, upgrade, schema, byte, bytes, buffer"),
    (
        Answer,
        "found, notfound, length required, exceeded storage, unexpected state, exist*, denied, forbidden, conflict*, declined, gone, deleted, removed, archived, disabled, \
         suspended, blocked, banned, locked, duplicate*, insufficient, precondition, permission*, allowed, disallowed, \
         prohibited, unauthorized, modified, in use, immutable, inactive, deactivated, refunded, pending, acceptable, \
         rejected, rejection, ineligible, restricted, unprocessable, unknown connection, connection revoked, \
         connection expired, taken down",
    ),
    (
        Objection,
        "invalid, missing, unsupported, supported, wrong, incorrect, illegal, bad, too small, too short, too high, \
         too low, out of range, unset, negative, zero, required",
    ),
    (Excess, "too large, too big, too long, too many, too much"),
    (
        Complaint,
        "not, no, non, none, cannot, cant, can, could, couldnt, unable, mismatch*, match, incompatible, expired, \
         revoked, untrusted, empty, exceeded, exceeds, too few, too, must, is, was, be, has, have, \
         needed, violation, violated, never, without, lacks, valid, more, less, max, min, maximum, minimum, all, any, \
         stale, slow, large, small, long, short, many, much, yet, enough, got, sent, received, returned, given, reached, did, does, do, over, side, mode, initial, requested, \
         queue, queued, already, in progress",
    ),
    // What every call has, and the makers of libraries and services.
    (
        Blank,
        "http, https, http1, http2, http3, h1, h2, h3, api, rest, rpc, grpc, graphql, graph, ql, web, oauth, \
         unknown, unrecognized, unrecognised, other, others, generic, general, misc, miscellaneous, custom, common, \
         global, 4xx, unspecified, undefined, unclassified, uncategorized, uncategorised, unhandled, undocumented, some, \
         something, things, core, std, io, os, lib, library, sdk, \
         client, request, requests, service, remote, upstream, downstream, backend, gateway, peer, cluster, \
         broker, brokers, provider, third, party, external, vendor, integration, adapter, connector, application, app, \
         system, local, operation, call, command, query, execution, execute, executing, process, processing, perform, \
         performing, handling, send, sending, receive, receiving, recv, read, reading, write, writing, fetch, fetching, \
         load, lookup, stream, streaming, channel, pool, step, try, idle, open, opening, status, code, result, version, \
         size, output, input, worker, thread, runtime, unsuccessful, success, this, that, it, \
         reqwest, hyper, ureq, isahc, tungstenite, tonic, tokio, anyhow, eyre, database, db, sql, sqlx, redis, kafka, \
         nats, postgres, mysql, mongo, elastic*, rabbit*, aws, s3, azure, gcp, google, stripe, shopify, slack, \
         salesforce, hubspot, twilio, github, crm",
    ),
    (
        Filler,
        "error, errors, err, errs, exception, exceptions, failure, failures, fail, fails, failed, failing, fault, \
         faults, kind, kinds, reason, reasons, issue, issues, problem, problems, cause, occurred, happened, \
         encountered, went, an, the, to, of, on, in, for, by, at, from, with, while, when, during, after, before, \
         and, or, as",
    ),
];

/// The role of the first word of `words`, and how many words it takes. The longest entry wins.
pub(crate) fn look_up(words: &[String]) -> (Role, usize) {
    static INDEX: OnceLock<HashMap<&'static str, Vec<Entry>>> = OnceLock::new();
    let index = INDEX.get_or_init(index);
    let exact = index.get(words[0].as_str()).into_iter().flatten();
    // A word may stand in the table by its beginning only, or by its singular.
    let shorter =
        (1..words[0].len()).rev().filter_map(|end| index.get(words[0].get(..end)?)).flatten().filter(|entry| {
            entry.row.is_empty() && (entry.open || words[0].len() - entry.len == 1 && words[0].ends_with('s'))
        });
    exact
        .filter(|entry| entry.follows(&words[1..]))
        .max_by_key(|entry| entry.row.len())
        .or_else(|| shorter.into_iter().next())
        .map_or((Role::Thing, 1), |entry| (entry.role, 1 + entry.row.len()))
}

/// An entry of the table, under its first word.
struct Entry {
    role: Role,
    /// Length of the first word.
    len: usize,
    /// The words that have to follow.
    row: Vec<&'static str>,
    /// Whether the last word stands for any that begins with it.
    open: bool,
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
            let spelled = entry.trim_end_matches('*');
            let mut parts = spelled.split(' ');
            let first = parts.next().unwrap_or_default();
            index.entry(first).or_default().push(Entry {
                role: *role,
                len: first.len(),
                row: parts.collect(),
                open: spelled.len() < entry.len(),
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
    fn every_entry_stands_once_and_can_match() {
        let mut seen = HashSet::new();
        for entry in VOCABULARY.iter().flat_map(|(_, entries)| entries.split(", ")) {
            let plain = entry.strip_suffix('*').unwrap_or(entry);
            let words: Vec<&str> = plain.split(' ').collect();
            let sound = |word: &&str| {
                !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
            };
            assert!(words.iter().all(sound), "`{entry}` can never match");
            assert!(seen.insert(entry), "`{entry}` stands twice");
        }
    }
}
