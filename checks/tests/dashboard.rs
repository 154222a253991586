//! Tests of the live page of `examples/dashboard`, most of them in a real browser.

mod browser;
#[path = "../../examples/dashboard/feed.rs"]
mod feed;
#[path = "../../examples/dashboard/history.rs"]
mod history;
#[path = "../../examples/dashboard/server.rs"]
mod server;

use std::time::Duration;

use breaker_core::{Circuit, Config, Evidence, Registry, State};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use browser::with_browser;
use history::History;
use server::Page;

const COOLDOWN: Duration = Duration::from_secs(3);

/// Starts a page and returns its registry and its address.
async fn serve() -> (Registry, String) {
    let history = History::start();
    let config = Config::builder().cooldown(COOLDOWN).build().unwrap();
    let registry = Registry::builder().config(config).on_event(history.hook()).build().unwrap();
    let page = Page::bind(registry.clone(), history, 0).await.unwrap();
    let address = page.address();
    tokio::spawn(page.serve());
    (registry, address)
}

fn fail(circuit: &Circuit, times: u32) {
    for _ in 0..times {
        circuit.try_acquire().unwrap().settle(Evidence::Failed);
    }
}

/// A script that returns the state in the first row.
const FIRST_STATE: &str = "return document.querySelector('.circuit .state b')?.textContent";
/// A script that returns the number of rows.
const ROWS: &str = "return document.querySelectorAll('.circuit').length";

#[tokio::test]
async fn the_page_shows_a_circuit_that_opens_is_half_open_and_closes() {
    with_browser(async |browser| {
        let (registry, address) = serve().await;
        let circuit = registry.circuit("shop-7");
        browser.open(&address).await;
        browser.until(FIRST_STATE, "closed").await;
        browser.until("return document.title", "Circuits").await;

        // An observer records every text of the countdown, because a busy machine may show one too briefly to be polled.
        let record = "window.countdown = new Set(); const retry = document.querySelector('.retry .countdown'); \
                    new MutationObserver(() => countdown.add(retry.textContent)).observe(retry, { childList: true });";
        browser.run(record, vec![]).await;
        fail(&circuit, 3);
        browser.until("return document.querySelector('.streak').textContent", "3 failures").await;
        fail(&circuit, 2);
        browser.until(FIRST_STATE, "open").await;
        browser.until("return document.getElementById('headline').textContent", "1 of 1 connection is down").await;
        let explanation = "return /^down for \\d s: too many failures$/.test(document.querySelector('.explanation').textContent)";
        browser.until(explanation, true).await;
        browser.until(FIRST_STATE, "half-open").await;
        browser.until("return document.querySelector('.retry .countdown').textContent", "the next call is the probe").await;
        // The page counts down by itself, without a message from the server for each second.
        browser.until("return [...countdown].filter((text) => /^next try in \\d s$/.test(text)).length > 1", true).await;
        circuit.try_acquire().unwrap().settle(Evidence::Answered);
        browser.until(FIRST_STATE, "closed").await;
        // The log lists the latest change first.
        let log = "return [...document.querySelectorAll('#log li > span')].map((entry) => entry.textContent).join('; ')";
        let expected = "shop-7 closed: a probe succeeded; shop-7 half-open: the cooldown is over; \
                        shop-7 opened: too many failures";
        browser.until(log, expected).await;
        let strip = "return [...new Set([...document.querySelectorAll('.strip rect')].map((r) => r.getAttribute('class')))].join()";
        browser.until(strip, "closed,open,half-open").await;
    })
    .await;
}

#[tokio::test]
async fn buttons_and_keys_reset_a_circuit_and_hold_it_open() {
    with_browser(async |browser| {
        let (registry, address) = serve().await;
        let (first, second) = (registry.circuit("shop-1"), registry.circuit("shop-2"));
        first.hold_open();
        second.hold_open();
        browser.open(&address).await;
        browser
            .until(
                "return [...document.querySelectorAll('.state b')].map((b) => b.textContent).join()",
                "held open,held open",
            )
            .await;
        let button = browser.0.find(fantoccini::Locator::Css("[aria-label='reset shop-2']")).await.unwrap();
        button.click().await.unwrap();
        browser
            .until(
                "return document.querySelector('[aria-label=\"reset shop-2\"]').closest('li').dataset.state",
                "closed",
            )
            .await;
        assert_eq!((first.state(), second.state()), (State::Open, State::Closed));

        // The same with the keyboard alone: find the row, reset its circuit, hold it open again.
        let keyboard = browser.0.find(fantoccini::Locator::Css("#search")).await.unwrap();
        browser.0.find(fantoccini::Locator::Css("body")).await.unwrap().send_keys("/").await.unwrap();
        browser.until("return document.activeElement.id", "search").await;
        keyboard.send_keys("shop-1\u{E007}").await.unwrap();
        browser.until("return document.activeElement.querySelector('.name')?.textContent", "shop-1").await;
        let row = browser.0.active_element().await.unwrap();
        row.send_keys("r").await.unwrap();
        browser.until("return document.activeElement.dataset.state", "closed").await;
        assert_eq!(first.state(), State::Closed);
        row.send_keys("h").await.unwrap();
        browser.until("return document.activeElement.dataset.state", "held").await;
        assert!(first.snapshot().held);
    })
    .await;
}

#[tokio::test]
async fn the_page_escapes_names() {
    with_browser(async |browser| {
        let name = r#"<img src=x onerror="window.hacked=1">' &amp; "</script>"#;
        let (registry, address) = serve().await;
        let circuit = registry.circuit(name);
        fail(&circuit, 5);
        browser.open(&address).await;
        browser.until("return document.querySelector('.name').textContent", name).await;
        browser.until("return document.querySelector('#log b')?.textContent", name).await;
        browser.until("return [document.images.length, typeof window.hacked].join()", "0,undefined").await;
        // The button of the row finds the circuit by its name.
        browser.run("document.querySelector('.reset').click()", vec![]).await;
        browser.until(FIRST_STATE, "closed").await;
    })
    .await;
}

#[tokio::test]
async fn a_thousand_circuits_can_be_filtered_and_searched() {
    with_browser(async |browser| {
        let (registry, address) = serve().await;
        let circuits: Vec<_> = (0..1_000).map(|shop| registry.circuit(&format!("shop-{shop:04}"))).collect();
        for down in circuits.iter().step_by(100) {
            down.hold_open();
        }
        browser.open(&address).await;
        browser.until(ROWS, 1_000).await;
        browser.until("return document.getElementById('headline').textContent", "10 of 1,000 connections are down").await;
        // Open circuits are listed first.
        browser.until("return [...document.querySelectorAll('.name')].slice(0, 11).map((name) => name.textContent.slice(5)).join()",
            "0000,0100,0200,0300,0400,0500,0600,0700,0800,0900,0001").await;
        browser.run("document.querySelector('[data-filter=open]').click()", vec![]).await;
        browser.until("return document.querySelectorAll('.circuit:not([hidden])').length", 10).await;
        browser.run("document.querySelector('[data-filter=all]').click()", vec![]).await;
        let search = browser.0.find(fantoccini::Locator::Css("#search")).await.unwrap();
        search.send_keys("0777").await.unwrap();
        browser.until("return [...document.querySelectorAll('.circuit:not([hidden]) .name')].map((n) => n.textContent).join()", "shop-0777").await;

        // A circuit that the registry removes disappears from the page.
        drop(circuits);
        registry.remove("shop-0777");
        browser.until(ROWS, 999).await;
        // A narrow window needs no horizontal scrolling.
        browser.0.set_window_size(500, 900).await.unwrap();
        browser.until("return document.documentElement.scrollWidth <= innerWidth", true).await;
    })
    .await;
}

#[tokio::test]
async fn the_page_loads_only_from_its_own_server() {
    with_browser(async |browser| {
        let (registry, address) = serve().await;
        let _circuit = registry.circuit("shop-7");
        browser.open(&address).await;
        browser.until(ROWS, 1).await;
        let foreign = "return performance.getEntriesByType('resource').map((r) => r.name).filter((name) => !name.startsWith(location.origin)).join()";
        browser.until(foreign, "").await;
        // The content policy of the page blocks requests to other addresses.
        let fetched = browser.run("return fetch('http://localhost:1/').catch((error) => error.name)", vec![]).await;
        assert_eq!(fetched, "TypeError");
    })
    .await;
}

#[tokio::test]
async fn a_page_of_another_origin_cannot_use_the_actions() {
    with_browser(async |browser| {
        let (registry, address) = serve().await;
        let circuit = registry.circuit("shop-7");
        // A page of another origin on the same machine.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let foreign = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi").await;
            }
        });
        browser.open(&foreign).await;
        let hold_open = "return fetch(arguments[0] + '/hold-open', { method: 'POST', mode: 'no-cors', body: 'shop-7' }).then(() => 'sent')";
        assert_eq!(browser.run(hold_open, vec![address.clone().into()]).await, "sent");
        assert_eq!(circuit.state(), State::Closed);
        // The same request has an effect if the page itself sends it, so the assertion above is not trivially true.
        browser.open(&address).await;
        browser.run(hold_open, vec![address.into()]).await;
        assert_eq!(circuit.state(), State::Open);
    })
    .await;
}

/// Runs the example as a user starts it.
#[tokio::test]
async fn the_demo_shows_its_circuits_and_some_of_them_open() {
    with_browser(async |browser| {
        let mut demo = tokio::process::Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--example", "dashboard", "--", "--port", "0", "--circuits", "30"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .stdout(std::process::Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = tokio::io::BufReader::new(demo.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().expect("the demo should print the address of its page");
        browser.open(line.strip_prefix("30 circuits at ").unwrap()).await;
        browser.until(ROWS, 30).await;
        browser.until("return document.querySelector('.circuit').dataset.state", "open").await;
        browser.until("return document.querySelector('[data-total=rejected]').textContent !== '0'", true).await;
        // This name would be markup if the page did not escape it.
        browser
            .until(
                "return [...document.querySelectorAll('.name')].some((name) => name.textContent === 'crm:fir <GmbH>')",
                true,
            )
            .await;
    })
    .await;
}

/// Sends the text of a request and returns the status of its response.
async fn status(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut line = [0; 12];
    stream.read_exact(&mut line).await.unwrap();
    String::from_utf8_lossy(&line[9..]).into_owned()
}

#[tokio::test]
async fn the_server_rejects_other_hosts_and_other_origins() {
    let (registry, address) = serve().await;
    let circuit = registry.circuit("shop-7");
    let host = address.trim_start_matches("http://").to_owned();
    assert!(host.starts_with("127.0.0.1:"), "the page listens on {host}");
    let port = host.trim_start_matches("127.0.0.1:");

    let get = |host: &str| format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    assert_eq!(status(&address, &get(&host)).await, "200");
    assert_eq!(status(&address, &get(&format!("localhost:{port}"))).await, "200");
    // A foreign host name that resolves to this machine.
    assert_eq!(status(&address, &get(&format!("evil.example:{port}"))).await, "403");
    assert_eq!(status(&address, &get("127.0.0.1")).await, "403");

    let post = |path: &str, origin: &str, body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\n{origin}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
    };
    let own = format!("origin: {address}\r\n");
    for foreign in
        ["", "origin: null\r\n", "origin: http://evil.example\r\n", &format!("origin: http://localhost:{port}\r\n")]
    {
        assert_eq!(status(&address, &post("/hold-open", foreign, "shop-7")).await, "403", "{foreign:?}");
    }
    assert_eq!(circuit.state(), State::Closed);
    assert_eq!(status(&address, &post("/hold-open", &own, "shop-7")).await, "204");
    assert_eq!(circuit.state(), State::Open);
    assert_eq!(status(&address, &post("/reset", &own, "shop-7")).await, "204");
    assert_eq!(circuit.state(), State::Closed);
    // An action on an unknown connection must not create a circuit.
    assert_eq!(status(&address, &post("/reset", &own, "shop-8")).await, "404");
    assert_eq!(registry.len(), 1);
}

/// Fails if a new reason has no text on the page.
#[test]
fn every_reason_has_a_text_on_the_page() {
    let source = include_str!("../../breaker-core/src/event/mod.rs");
    let script = include_str!("../../examples/dashboard/page/page.js");
    let (_, declarations) = source.split_once("\nenum_with_texts! {").unwrap();
    let (declarations, _) = declarations.split_once("\n}").unwrap();
    let reasons: Vec<_> =
        declarations.lines().filter_map(|line| line.split_once(" => \"")?.1.split('"').next()).collect();
    assert!(reasons.contains(&breaker_core::Reason::Threshold.as_str()) && reasons.len() >= 15, "{reasons:?}");
    let (_, texts) = script.split_once("const REASON_TEXTS = {").unwrap();
    let (texts, _) = texts.split_once("};").unwrap();
    for reason in reasons {
        let has_text = texts.contains(&format!("\n  {reason}: \"")) || texts.contains(&format!("\n  \"{reason}\": \""));
        assert!(has_text, "`{reason}` is missing in REASON_TEXTS of page.js");
    }
}
