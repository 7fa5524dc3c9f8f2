//! Runs the steps of an interop program and prints what came of them as one line of JSON.
use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

pub type Answer<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

const STEP_LIMIT: Duration = Duration::from_secs(60);

/// Collects the outcomes of one client.
pub struct Report {
    client: String,
    version: String,
    outcomes: Vec<Value>,
}

impl Report {
    pub fn new(client: &str, version: &str) -> Self {
        Report { client: client.into(), version: version.into(), outcomes: vec![] }
    }

    /// Runs one step; a failed one does not keep later ones from running.
    pub async fn step(&mut self, name: &str, run: impl Future<Output = Answer>) {
        let answer = timeout(STEP_LIMIT, run).await.unwrap_or_else(|_| Err("it took too long".into()));
        self.outcomes.push(match answer {
            Ok(()) => json!({ "step": name, "passed": true }),
            Err(error) => json!({ "step": name, "passed": false, "message": error.to_string() }),
        });
    }

    pub fn print(&self) {
        println!("{}", json!({ "client": self.client, "version": self.version, "outcomes": self.outcomes }));
    }
}

pub fn expect(is_so: bool, message: impl Into<String>) -> Answer {
    if is_so { Ok(()) } else { Err(message.into().into()) }
}

/// Asks until the answer is no error, and fails with the last one when the time is up.
pub async fn eventually<T, F: Future<Output = Answer<T>>>(mut ask: impl FnMut() -> F) -> Answer<T> {
    let end = Instant::now() + STEP_LIMIT / 2;
    loop {
        match ask().await {
            Err(_) if Instant::now() < end => sleep(Duration::from_millis(100)).await,
            answer => return answer,
        }
    }
}

/// Fails unless the call was refused with this code.
pub fn expect_code<T>(code: u16, answer: kube::Result<T>) -> Answer {
    match answer {
        Err(kube::Error::Api(status)) if status.code == code => Ok(()),
        Err(error) => Err(format!("not {code}, but: {error}").into()),
        Ok(_) => Err(format!("it was let through instead of {code}").into()),
    }
}
