//! A headless Chromium that tests control through chromedriver.

use std::future::Future;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder};
use futures::FutureExt;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

/// How long a test waits for an expected value. Only a failing test waits this long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs a test with a new browser. If none is installed, the test fails in CI and is skipped elsewhere, with a note.
pub async fn with_browser<F: Future<Output = ()>>(test: impl FnOnce(Browser) -> F) {
    let Some((driver, port)) = start_driver() else {
        assert!(
            !is_ci(),
            "chromium and chromedriver must be installed in CI: apt-get install chromium chromium-driver"
        );
        // Not `eprintln!`, because the test harness would capture the note.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: {} needs chromium and chromedriver",
            std::thread::current().name().unwrap_or("a test"),
        );
        return;
    };
    let arguments = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--window-size=1380,1000",
    ];
    let Value::Object(capabilities) = json!({ "goog:chromeOptions": { "args": arguments } }) else { unreachable!() };
    let client = ClientBuilder::new(HttpConnector::new())
        .capabilities(capabilities)
        .connect(&format!("http://127.0.0.1:{port}"))
        .await
        .expect("chromedriver should start chromium");
    let outcome = AssertUnwindSafe(test(Browser(client.clone()))).catch_unwind().await;
    // A failed test closes the browser too, because it would keep running otherwise.
    let _ = client.close().await;
    drop(driver);
    if let Err(panic) = outcome {
        resume_unwind(panic);
    }
}

fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// A running chromedriver, which is stopped on drop.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the driver and returns it with its port, or `None` if the driver or the browser is missing.
fn start_driver() -> Option<(Driver, u16)> {
    let browser = Command::new("chromium").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !browser.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut child =
        Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let output = child.stdout.take()?;
    let driver = Driver(child);
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let port = lines.find_map(|line| line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok())?;
    // Reads the rest of the output, because the driver would block on a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, port))
}

/// A browser with one window.
pub struct Browser(pub Client);

impl Browser {
    pub async fn open(&self, address: &str) {
        self.0.goto(address).await.expect("the page should open");
    }

    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.0.execute(script, arguments).await.unwrap_or_else(|error| panic!("{error} in {script}"))
    }

    /// Waits until a script returns the expected value. Panics with the last value otherwise.
    #[track_caller]
    pub fn until<'b>(&'b self, script: &'b str, expected: impl Into<Value>) -> impl Future<Output = ()> + 'b {
        let (expected, caller) = (expected.into(), std::panic::Location::caller());
        async move {
            let start = Instant::now();
            let mut seen = Value::Null;
            while start.elapsed() < TIMEOUT {
                seen = self.run(script, vec![]).await;
                if seen == expected {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            panic!("{caller}: `{script}` is {seen}, not {expected}");
        }
    }
}
