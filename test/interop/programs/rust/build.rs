//! Tells the program which kube-rs it was built with.
fn main() {
    let lock = std::fs::read_to_string("Cargo.lock").expect("Cargo.lock is beside Cargo.toml");
    let after = lock.split("name = \"kube\"\nversion = \"").nth(1).expect("Cargo.lock has kube");
    let version = after.split('"').next().expect("a version ends with a quote");
    println!("cargo::rustc-env=KUBE_VERSION={version}");
    println!("cargo::rerun-if-changed=Cargo.lock");
}
