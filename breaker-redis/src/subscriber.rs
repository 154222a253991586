//! Hears what other processes published.

use std::pin::{Pin, pin};
use std::sync::Arc;

use futures_core::Stream;
use redis::aio::{PubSubSink, PubSubStream};
use redis::{Client, Msg, Value};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::backoff::Backoff;
use crate::messages::Message;
use crate::post::Office;
use crate::worker::{CONNECTING, HEARTBEAT};

/// Subscribes, and does it again whenever that has ended.
pub(crate) async fn run(office: Arc<Office>, client: Client) {
    let mut backoff = Backoff::new();
    loop {
        let reason = match subscribe(&office, &client).await {
            Ok((sink, stream)) => {
                backoff.reset();
                office.has_subscribed();
                listen(&office, sink, stream).await
            }
            Err(reason) => reason,
        };
        office.has_no_subscription(reason);
        sleep(backoff.wait()).await;
    }
}

async fn subscribe(office: &Office, client: &Client) -> Result<(PubSubSink, PubSubStream), String> {
    let subscribing = async {
        let (mut sink, stream) = client.get_async_pubsub().await?.split();
        sink.subscribe(&office.place.channel).await?;
        Ok::<_, redis::RedisError>((sink, stream))
    };
    match timeout(CONNECTING, subscribing).await {
        Ok(subscribed) => {
            let (mut sink, stream) = subscribed.map_err(|error| error.to_string())?;
            check(&mut sink).await?;
            Ok((sink, stream))
        }
        Err(_) => Err("no answer in time".to_owned()),
    }
}

/// Whether the server is there and the subscription stands. The client takes a refused subscription for one that was
/// accepted; but a ping is answered by an array only where there is a subscription.
async fn check(sink: &mut PubSubSink) -> Result<(), String> {
    match timeout(CONNECTING, sink.ping::<Value>()).await {
        Ok(Ok(Value::Array(_))) => Ok(()),
        Ok(Ok(_)) => Err("the server refuses the channel".to_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer in time".to_owned()),
    }
}

/// Listens until the connection is gone, and says why it is. One that nobody speaks on looks alive when it is not, so
/// it is asked each second.
async fn listen(office: &Office, mut sink: PubSubSink, stream: PubSubStream) -> String {
    let mut stream = pin!(stream);
    let mut heartbeat = interval(HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = next(stream.as_mut()) => match message {
                Some(message) => hear(office, &message),
                None => return "the connection was closed".to_owned(),
            },
            _ = heartbeat.tick() => if let Err(reason) = check(&mut sink).await {
                return reason;
            },
        }
    }
}

async fn next(mut stream: Pin<&mut PubSubStream>) -> Option<Msg> {
    std::future::poll_fn(|cx| stream.as_mut().poll_next(cx)).await
}

fn hear(office: &Office, message: &Msg) {
    let text = std::str::from_utf8(message.get_payload_bytes()).ok();
    match text.and_then(Message::parse) {
        // What this process did itself, it hears as the answer: after what it did, and once.
        Some(message) if message.sender != office.place.sender => office.hear(message.name, message.statement),
        _ => {}
    }
}
