//! The subscription to the messages of other processes.

use std::pin::{Pin, pin};
use std::sync::Arc;

use futures_core::Stream;
use redis::aio::{PubSubSink, PubSubStream};
use redis::{Client, Msg, Value};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::{CONNECT_TIMEOUT, HEARTBEAT_INTERVAL};
use crate::backoff::Backoff;
use crate::protocol::Message;
use crate::shared::FleetShared;

/// Subscribes, and subscribes again after each end of the subscription.
pub(crate) async fn run(shared: Arc<FleetShared>, client: Client) {
    let mut backoff = Backoff::new();
    loop {
        let reason = match subscribe(&shared, &client).await {
            Ok((sink, stream)) => {
                backoff.reset();
                shared.on_subscribed();
                listen(&shared, sink, stream).await
            }
            Err(reason) => reason,
        };
        shared.on_unsubscribed(reason);
        sleep(backoff.wait()).await;
    }
}

async fn subscribe(shared: &FleetShared, client: &Client) -> Result<(PubSubSink, PubSubStream), String> {
    let subscribing = async {
        let (mut sink, stream) = client.get_async_pubsub().await?.split();
        sink.subscribe(&shared.namespace.channel).await?;
        Ok::<_, redis::RedisError>((sink, stream))
    };
    match timeout(CONNECT_TIMEOUT, subscribing).await {
        Ok(subscribed) => {
            let (mut sink, stream) = subscribed.map_err(|error| error.to_string())?;
            check(&mut sink).await?;
            Ok((sink, stream))
        }
        Err(_) => Err("no answer in time".to_owned()),
    }
}

/// Checks that the server answers and that the subscription exists. The client reports a refused subscription as
/// accepted, but the server answers a ping with an array only while there is a subscription.
async fn check(sink: &mut PubSubSink) -> Result<(), String> {
    match timeout(CONNECT_TIMEOUT, sink.ping::<Value>()).await {
        Ok(Ok(Value::Array(_))) => Ok(()),
        Ok(Ok(_)) => Err("the server refuses the channel".to_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer in time".to_owned()),
    }
}

/// Receives messages until the connection ends. Returns the reason. An idle connection looks alive even if it is
/// broken, so it is checked every second.
async fn listen(shared: &FleetShared, mut sink: PubSubSink, stream: PubSubStream) -> String {
    let mut stream = pin!(stream);
    let mut heartbeat = interval(HEARTBEAT_INTERVAL);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = next(stream.as_mut()) => match message {
                Some(message) => apply(shared, &message),
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

fn apply(shared: &FleetShared, message: &Msg) {
    let text = std::str::from_utf8(message.get_payload_bytes()).ok();
    match text.and_then(Message::parse) {
        // The effect of this process's own operations arrives with the reply, in order with the requests, so the
        // message is ignored.
        Some(message) if message.sender != shared.namespace.sender => shared.apply_message(message.name, message.state),
        _ => {}
    }
}
