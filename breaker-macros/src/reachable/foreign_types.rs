//! Error types of well-known crates, by the name of the crate and of the type.
//!
//! Both crates contain this file, because the macro compares the paths of fields and the table of marks the names of
//! types, and the crates are published separately. A test keeps the two files equal. So a mark on such a field is
//! refused whatever features are on and whatever version of the crate is used.

/// What an error type of another crate can prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForeignType {
    /// It never proves an answer by itself: a transport fault, or a response that could not be read.
    NeverReachable,
    /// Some of its values are answers and some are faults.
    Mixed,
    /// An HTTP status, whose value decides.
    Status,
}

/// Crates, each with its types that can never be marked.
const NEVER: &[(&str, &[&str])] = &[
    // HTTP. A `reqwest::Error` may contain a status, which `#[reachable(transparent)]` uses.
    ("reqwest", &["Error", "Result", "InvalidHeaderName", "InvalidHeaderValue", "ToStrError"]),
    ("hyper", &["Error", "Result"]),
    ("hyper_util", &["Error"]),
    ("h2", &["Error"]),
    ("h3", &["ConnectionError", "StreamError"]),
    ("quinn", &["ConnectError", "ConnectionError", "ReadError", "WriteError"]),
    (
        "http",
        &[
            "Error",
            "InvalidHeaderName",
            "InvalidHeaderValue",
            "InvalidMethod",
            "InvalidStatusCode",
            "InvalidUri",
            "InvalidUriParts",
            "Result",
            "ToStrError",
        ],
    ),
    ("isahc", &["Error"]),
    ("curl", &["Error"]),
    ("awc", &["ConnectError", "JsonPayloadError", "PayloadError", "SendRequestError"]),
    ("tungstenite", &["Error", "ProtocolError", "Result"]),
    ("tokio_tungstenite", &["Error", "ProtocolError", "Result"]),
    ("async_tungstenite", &["Error", "ProtocolError", "Result"]),
    // gRPC: faults of the channel. A `Status` may be an answer.
    ("tonic", &["ConnectError", "Error", "TimeoutExpired"]),
    ("prost", &["DecodeError", "EncodeError", "UnknownEnumValue"]),
    // TLS and names.
    ("rustls", &["CertificateError", "Error", "InvalidDnsNameError", "InvalidMessage"]),
    ("native_tls", &["Error", "HandshakeError", "Result"]),
    ("openssl", &["Error", "ErrorStack", "HandshakeError"]),
    ("hickory_resolver", &["ResolveError"]),
    // Time and channels.
    (
        "tokio",
        &[
            "AcquireError",
            "Elapsed",
            "Error",
            "JoinError",
            "RecvError",
            "SendError",
            "SendTimeoutError",
            "TryAcquireError",
            "TryRecvError",
            "TrySendError",
        ],
    ),
    ("tower", &["Closed", "Elapsed", "Overloaded"]),
    ("async_std", &["TimeoutError"]),
    ("futures", &["Aborted", "Canceled", "SendError", "TryRecvError", "TrySendError"]),
    ("futures_channel", &["Canceled", "SendError", "TryRecvError", "TrySendError"]),
    // Messages that could not be read.
    ("serde_json", &["Error", "Result"]),
    ("serde_yaml", &["Error", "Result"]),
    ("serde_yaml_ng", &["Error", "Result"]),
    ("serde_urlencoded", &["Error"]),
    ("serde_path_to_error", &["Error"]),
    ("serde_xml_rs", &["Error"]),
    ("simd_json", &["Error", "Result"]),
    ("quick_xml", &["DeError", "Error", "Result"]),
    ("toml", &["Error"]),
    ("csv", &["Error", "Result"]),
    ("rmp_serde", &["Error"]),
    ("ciborium", &["Error"]),
    ("bincode", &["DecodeError", "Error", "ErrorKind"]),
];

/// Crates, each with its types of which some values are answers and some are faults.
const MIXED: &[(&str, &[&str])] = &[
    ("tonic", &["Result", "Status"]),
    ("reqwest_middleware", &["Error", "Result"]),
    ("ureq", &["Error"]),
    ("surf", &["Error"]),
    ("sqlx", &["Error", "Result"]),
    ("sqlx_core", &["Error"]),
    ("tokio_postgres", &["Error"]),
    ("postgres", &["Error"]),
    ("diesel", &["ConnectionError", "Error", "QueryResult"]),
    ("sea_orm", &["DbErr"]),
    ("mysql", &["Error"]),
    ("mysql_async", &["Error"]),
    ("redis", &["RedisError", "RedisResult"]),
    ("fred", &["Error", "RedisError"]),
    ("mongodb", &["Error", "Result"]),
    ("elasticsearch", &["Error"]),
    ("aws_smithy_runtime_api", &["SdkError"]),
    ("kube", &["Error"]),
    ("kube_client", &["Error"]),
    ("object_store", &["Error"]),
    ("lapin", &["Error"]),
    ("rdkafka", &["KafkaError"]),
    ("async_nats", &["RequestError"]),
    ("async_openai", &["OpenAIError"]),
    ("octocrab", &["Error"]),
    ("stripe", &["StripeError"]),
    ("lettre", &["Error"]),
    ("bb8", &["RunError"]),
    ("deadpool", &["PoolError"]),
    ("r2d2", &["Error"]),
];

impl ForeignType {
    /// Returns what the type called `name` can prove that comes from the crate `krate`, in any module of it.
    pub(crate) fn find(krate: &str, name: &str) -> Option<Self> {
        let is_in =
            |list: &[(&str, &[&str])]| list.iter().any(|(listed, names)| *listed == krate && names.contains(&name));
        if is_in(NEVER) {
            Some(Self::NeverReachable)
        } else if is_in(MIXED) || (name == "SdkError" && krate.starts_with("aws_")) {
            Some(Self::Mixed)
        } else if krate == "http" && name == "StatusCode" {
            Some(Self::Status)
        } else {
            None
        }
    }
}
