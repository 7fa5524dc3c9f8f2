//! Leader election on a Lease with what kube-rs has: create, get, replace.
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, PostParams};
use serde_json::{from_value, json};

use crate::outcomes::{Answer, expect, expect_code};

/// One makes the Lease, and of two that take it over at once the server lets one through.
pub async fn lead(leases: Api<Lease>) -> Answer {
    let post = PostParams::default();
    let mut lease: Lease = from_value(json!({ "metadata": { "name": "leader" } }))?;
    lease.spec = Some(spec("first", 0));
    let held = leases.create(&post, &lease).await?;
    expect_code(409, leases.create(&post, &lease).await)?;
    let second = Lease { spec: Some(spec("second", 1)), ..held.clone() };
    let third = Lease { spec: Some(spec("third", 1)), ..held };
    let (second, third) = tokio::join!(leases.replace("leader", &post, &second), leases.replace("leader", &post, &third));
    let (winner, loser) = if second.is_ok() { (second, third) } else { (third, second) };
    expect_code(409, loser)?;
    let won = winner?.spec.and_then(|spec| spec.holder_identity);
    let read = leases.get("leader").await?.spec.ok_or("the Lease has no spec")?;
    expect(read.holder_identity == won, format!("the Lease names {:?}, not {won:?}", read.holder_identity))?;
    expect(read.renew_time.is_some(), "the Lease has no renewTime")
}

fn spec(holder: &str, transitions: i32) -> LeaseSpec {
    let now = Some(MicroTime(Timestamp::now()));
    LeaseSpec {
        holder_identity: Some(holder.into()),
        lease_duration_seconds: Some(15),
        lease_transitions: Some(transitions),
        acquire_time: now.clone(),
        renew_time: now,
        ..Default::default()
    }
}
