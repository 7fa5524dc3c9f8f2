use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Api, ListParams, PostParams};
use kube::runtime::wait::await_condition;
use test_env::TestCluster;

fn is_ready(deployment: Option<&Deployment>) -> bool {
    let status = deployment.and_then(|deployment| deployment.status.as_ref());
    status.and_then(|status| status.ready_replicas) == Some(1)
}

#[tokio::test]
async fn a_deployment_becomes_ready() {
    let cluster = TestCluster::start().await;
    let deployments: Api<Deployment> = Api::namespaced(cluster.client.clone(), "default");
    let web = serde_json::from_value(serde_json::json!({
        "metadata": { "name": "web" },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": "nginx" }] }
            }
        }
    }))
    .unwrap();
    deployments.create(&PostParams::default(), &web).await.unwrap();
    await_condition(deployments, "web", is_ready).await.unwrap();
}

#[tokio::test]
async fn every_test_has_its_own() {
    let cluster = TestCluster::start().await;
    let deployments: Api<Deployment> = Api::namespaced(cluster.client.clone(), "default");
    assert!(deployments.list(&ListParams::default()).await.unwrap().items.is_empty());
}
