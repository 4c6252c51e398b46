//! Meta parameters (spec 05 §2, spec 06 §1.5).

/// The meta parameters of a resource, with their defaults.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Meta {
    pub noop: bool,
    /// How often a failed run is repeated; -1 for ever.
    pub retry: i16,
    pub retryreset: bool,
    /// Milliseconds between retries.
    pub delay: u64,
    /// Milliseconds; 0 for none.
    pub timeout: u64,
    /// Seconds between checks instead of watching; 0 watches, -1 checks once.
    pub poll: i32,
    /// Events a second; infinite by default.
    pub limit: f64,
    pub burst: i64,
    pub reset: bool,
    pub sema: Vec<String>,
    pub rewatch: bool,
    pub realize: bool,
    pub dollar: bool,
    pub hidden: bool,
    pub export: Vec<String>,
    pub reverse: bool,
    pub autoedge: bool,
    pub autogroup: bool,
}

impl Default for Meta {
    fn default() -> Meta {
        Meta {
            noop: false,
            retry: 0,
            retryreset: false,
            delay: 0,
            timeout: 0,
            poll: 0,
            limit: f64::INFINITY,
            burst: 0,
            reset: false,
            sema: Vec::new(),
            rewatch: false,
            realize: false,
            dollar: false,
            hidden: false,
            export: Vec::new(),
            reverse: false,
            autoedge: true,
            autogroup: true,
        }
    }
}
