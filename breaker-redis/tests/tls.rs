//! A server with TLS and a certificate of its own authority.
#![cfg(all(feature = "tls", any(target_arch = "x86_64", target_arch = "aarch64")))]

#[path = "fleet/common/mod.rs"]
mod common;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use breaker_core::{Config, Registry};
use breaker_redis::Fleet;
use common::server::Server;
use common::{SECOND, say, until};

/// Entry point of a process of the fleet. Its environment names the authority.
#[test]
#[ignore = "started by the tests"]
fn holds_the_circuit_open() {
    rustls_graviola::default_provider().install_default().unwrap();
    let fleet = Fleet::builder(std::env::var("FLEET").unwrap()).namespace("tests").start().unwrap();
    let registry = Registry::builder().config(Config::default()).fleet(fleet.clone()).build().unwrap();
    until("it is connected", 5 * SECOND, || fleet.snapshot().connected && fleet.snapshot().subscribed);
    registry.circuit("shop-7").hold_open();
    assert!(fleet.flush(5 * SECOND));
}

/// Runs `openssl` with these arguments in a folder. `None` where it is not installed, which is a failure in CI.
fn openssl(folder: &Path, words: &str) -> Option<()> {
    let made = Command::new("openssl").args(words.split(' ')).current_dir(folder).stderr(Stdio::null()).status();
    let Ok(status) = made else {
        assert!(std::env::var_os("CI").is_none(), "there is no openssl, and in CI there has to be one");
        say!("SKIPPED: there is no openssl here");
        return None;
    };
    assert!(status.success(), "openssl {words}");
    Some(())
}

/// Creates an authority `ca.pem`, another one `other.pem`, and a certificate `server.pem` of the first.
fn certificates(folder: &Path) -> Option<()> {
    let key = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
    openssl(folder, &format!("{key} -keyout ca.key -out ca.pem -subj /CN=authority"))?;
    openssl(folder, &format!("{key} -keyout other.key -out other.pem -subj /CN=another"))?;
    openssl(
        folder,
        &format!(
            "{key} -keyout server.key -out server.pem -subj /CN=server -CA ca.pem -CAkey ca.key \
             -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE"
        ),
    )
}

fn joins(url: &str, authority: &Path) -> bool {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "holds_the_circuit_open"])
        .env("FLEET", url)
        .env("SSL_CERT_FILE", authority)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

// Fails when the certificate is not verified, and when TLS is not used at all.
#[test]
fn a_fleet_connects_over_tls_if_the_authority_is_known() {
    let folder = std::env::temp_dir().join(format!("breaker-redis-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    if certificates(&folder).is_none() {
        return;
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let path = |name: &str| folder.join(name).display().to_string();
    let (certificate, key, authority) = (path("server.pem"), path("server.key"), path("ca.pem"));
    let tls = ["--tls-port", &port, "--tls-cert-file", &certificate, "--tls-key-file", &key];
    let tls = [&tls[..], &["--tls-ca-cert-file", &authority, "--tls-auth-clients", "no"]].concat();
    let Some(server) = Server::start_with(&tls) else { return };
    let url = format!("rediss://127.0.0.1:{port}/");
    assert!(!joins(&url, &folder.join("other.pem")), "a server of an unknown authority was trusted");
    assert_eq!(server.field("shop-7", "s"), None);
    assert!(joins(&url, &folder.join("ca.pem")), "it did not connect");
    assert_eq!(server.field("shop-7", "s"), Some(3), "held open");
    std::fs::remove_dir_all(&folder).unwrap();
}
