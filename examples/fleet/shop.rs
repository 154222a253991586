//! A shop that answers, or does not.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

pub(crate) struct Shop {
    address: String,
    counter: Arc<Counter>,
}

#[derive(Default)]
struct Counter {
    is_down: AtomicBool,
    calls: Mutex<BTreeMap<String, usize>>,
}

impl Shop {
    pub(crate) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let counter = Arc::new(Counter::default());
        let behind_it = counter.clone();
        thread::spawn(move || {
            for customer in listener.incoming().flatten() {
                // Who gets no answer notices that the connection was closed.
                let _ = behind_it.serve(customer);
            }
        });
        Ok(Self { address, counter })
    }

    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }

    pub(crate) fn be_up(&self, is_up: bool) {
        self.counter.is_down.store(!is_up, Ordering::Relaxed);
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls_by_worker().values().sum()
    }

    pub(crate) fn calls_by_worker(&self) -> BTreeMap<String, usize> {
        self.counter.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn calls_by_each(&self, workers: usize) -> bool {
        self.calls_by_worker().len() == workers
    }

    pub(crate) fn forget(&self) {
        self.counter.calls.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Counter {
    fn serve(&self, mut customer: TcpStream) -> io::Result<()> {
        let mut name = String::new();
        BufReader::new(&customer).read_line(&mut name)?;
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner).entry(name.trim().to_owned()).or_default() += 1;
        if self.is_down.load(Ordering::Relaxed) { Ok(()) } else { customer.write_all(b"in stock\n") }
    }
}
