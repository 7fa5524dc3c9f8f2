//! A cluster for a test.
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

/// A cluster that ends when it is dropped.
pub struct TestCluster {
    process: Child,
    pub client: Client,
}

impl TestCluster {
    pub async fn start() -> Self {
        let mut command = match std::env::var("KEELSON") {
            Ok(program) => Command::new(program),
            Err(_) => {
                let mut npx = Command::new("npx");
                npx.arg("keelson");
                npx
            }
        };
        command.arg("test-env");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("keelson starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("it was asked for");
        BufReader::new(output).read_line(&mut line).expect("keelson tells where its kubeconfig is");
        let kubeconfig = Kubeconfig::read_from(line.trim()).expect("the kubeconfig can be read");
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        let client = Client::try_from(config.expect("the kubeconfig can be used")).expect("a client");
        Self { process, client }
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
