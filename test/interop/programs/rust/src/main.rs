//! A program on kube-rs: typed APIs, its watcher with a reflector, patches, applies; the election is written on its Lease API.
mod lead;
mod outcomes;

use std::collections::{BTreeMap, HashSet};

use futures::StreamExt;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod, ServiceAccount};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions, PropagationPolicy};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, ResourceExt};
use serde_json::{Value, from_value, json};

use outcomes::{Answer, Report, eventually, expect, expect_code};

const MANY: usize = 25;

#[tokio::main]
async fn main() -> Answer {
    let namespace = std::env::args().skip_while(|word| word != "--namespace").nth(1).unwrap_or("interop-kube-rs".into());
    let client = Client::try_default().await?;
    let program = Program::new(client.clone(), namespace.clone());
    let mut report = Report::new("Rust kube-rs", env!("KUBE_VERSION"));
    report.step("create", program.create(client.clone())).await;
    report.step("list", program.list()).await;
    report.step("watch", program.watch()).await;
    report.step("merge patch", program.merge_patch()).await;
    report.step("strategic patch", program.strategic_patch()).await;
    report.step("apply", program.apply()).await;
    report.step("delete", program.delete()).await;
    report.step("lead", lead::lead(Api::namespaced(client.clone(), &namespace))).await;
    // What is left is of no use to anybody; the server goes away too.
    let _ = Api::<Namespace>::all(client).delete(&namespace, &DeleteParams::default()).await;
    report.print();
    Ok(())
}

struct Program {
    namespace: String,
    config_maps: Api<ConfigMap>,
    pods: Api<Pod>,
    deployments: Api<Deployment>,
    replica_sets: Api<ReplicaSet>,
    service_accounts: Api<ServiceAccount>,
}

impl Program {
    fn new(client: Client, namespace: String) -> Self {
        Program {
            config_maps: Api::namespaced(client.clone(), &namespace),
            pods: Api::namespaced(client.clone(), &namespace),
            deployments: Api::namespaced(client.clone(), &namespace),
            replica_sets: Api::namespaced(client.clone(), &namespace),
            service_accounts: Api::namespaced(client, &namespace),
            namespace,
        }
    }

    async fn create(&self, client: Client) -> Answer {
        let post = PostParams::default();
        let namespace: Namespace = from_value(json!({ "metadata": { "name": self.namespace } }))?;
        Api::all(client).create(&post, &namespace).await?;
        for index in 0..MANY {
            let metadata = json!({ "name": format!("many-{index:02}"), "labels": { "set": "many" } });
            let config_map = from_value(json!({ "metadata": metadata, "data": { "index": index.to_string() } }))?;
            self.config_maps.create(&post, &config_map).await?;
        }
        eventually(|| async { Ok(self.service_accounts.get("default").await?) }).await?;
        let containers = json!([{ "name": "main", "image": "registry.invalid/main:1" }]);
        let pod = from_value(json!({ "metadata": { "name": "alone" }, "spec": { "containers": containers } }))?;
        self.pods.create(&post, &pod).await?;
        let made = self.deployments.create(&post, &from_value(deployment("web"))?).await?;
        let strategy = made.spec.and_then(|spec| spec.strategy);
        expect(strategy.is_some_and(|strategy| strategy.rolling_update.is_some()), "the Deployment has no defaults")?;
        eventually(|| async {
            let sets = self.replica_sets.list(&ListParams::default().labels("app=web")).await?;
            expect(sets.items.len() == 1, format!("the Deployment has {} ReplicaSets", sets.items.len()))
        })
        .await
    }

    async fn list(&self) -> Answer {
        let mut params = ListParams::default().labels("set=many").limit(10);
        let mut names = HashSet::new();
        let mut pages = vec![];
        loop {
            let page = self.config_maps.list(&params).await?;
            names.extend(page.items.iter().map(ResourceExt::name_any));
            pages.push(page.items.len());
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params = params.continue_token(&token),
                None => break,
            }
        }
        expect(names.len() == MANY && pages == [10, 10, 5], format!("{} names on pages of {pages:?}", names.len()))
    }

    /// A reflector behind the watcher, once with a plain list and once with a streamed one; one object goes through its life.
    async fn watch(&self) -> Answer {
        for config in [watcher::Config::default().page_size(10), watcher::Config::default().streaming_lists()] {
            let (store, writer) = reflector::store::<ConfigMap>();
            let mut events = reflector(writer, watcher(self.config_maps.clone(), config)).default_backoff().boxed();
            let mut told: Vec<String> = vec![];
            while told.last().is_none_or(|last| last != "gone") {
                match events.next().await.ok_or("the watch ended")?? {
                    watcher::Event::InitDone => {
                        expect(store.state().len() >= MANY, format!("{} are cached", store.state().len()))?;
                        self.live().await?;
                    }
                    watcher::Event::Apply(object) if object.name_any() == "lively" => {
                        told.push(object.data.unwrap_or_default().remove("round").unwrap_or("new".into()));
                    }
                    watcher::Event::Delete(object) if object.name_any() == "lively" => told.push("gone".into()),
                    _ => (),
                }
            }
            expect(told == ["new", "0", "1", "2", "gone"], format!("told of {told:?}"))?;
        }
        Ok(())
    }

    async fn live(&self) -> Answer {
        let object: ConfigMap = from_value(json!({ "metadata": { "name": "lively" } }))?;
        let mut lively = self.config_maps.create(&PostParams::default(), &object).await?;
        for index in 0..3 {
            lively.data = Some(BTreeMap::from([("round".into(), index.to_string())]));
            lively = self.config_maps.replace("lively", &PostParams::default(), &lively).await?;
        }
        self.config_maps.delete("lively", &DeleteParams::default()).await?;
        Ok(())
    }

    async fn merge_patch(&self) -> Answer {
        let patch = Patch::Merge(json!({ "data": { "index": null, "patched": "yes" } }));
        let patched = self.config_maps.patch("many-00", &PatchParams::default(), &patch).await?;
        let data = patched.data.unwrap_or_default();
        expect(data.len() == 1 && data["patched"] == "yes", format!("data is {data:?}"))
    }

    async fn strategic_patch(&self) -> Answer {
        let containers = json!([{ "name": "sidecar", "image": "registry.invalid/sidecar:1" }]);
        let patch = Patch::Strategic(json!({ "spec": { "template": { "spec": { "containers": containers } } } }));
        let patched = self.deployments.patch("web", &PatchParams::default(), &patch).await?;
        let pod = patched.spec.and_then(|spec| spec.template.spec).ok_or("no template")?;
        expect(pod.containers.len() == 2, format!("there are {} containers", pod.containers.len()))
    }

    async fn apply(&self) -> Answer {
        let body = |value: &str| {
            let metadata = json!({ "name": "applied" });
            Patch::Apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": { "mine": value } }))
        };
        self.config_maps.patch("applied", &PatchParams::apply("first"), &body("1")).await?;
        expect_code(409, self.config_maps.patch("applied", &PatchParams::apply("second"), &body("2")).await)?;
        let forced = self.config_maps.patch("applied", &PatchParams::apply("second").force(), &body("2")).await?;
        let managers: Vec<_> = forced.managed_fields().iter().filter_map(|entry| entry.manager.as_deref()).collect();
        expect(managers == ["second"], format!("managers are {managers:?}"))
    }

    async fn delete(&self) -> Answer {
        let uid = Some("00000000-0000-0000-0000-000000000000".into());
        let wrong = DeleteParams::default().preconditions(Preconditions { uid, resource_version: None });
        expect_code(409, self.pods.delete("alone", &wrong).await)?;
        self.pods.delete("alone", &DeleteParams::default().grace_period(0)).await?;
        expect_code(404, self.pods.get("alone").await)?;
        let many = ListParams::default().labels("set=many");
        self.config_maps.delete_collection(&DeleteParams::default(), &many).await?;
        let left = self.config_maps.list(&many).await?.items.len();
        expect(left == 0, format!("{left} of the collection are left"))?;
        let mut foreground = DeleteParams::default();
        foreground.propagation_policy = Some(PropagationPolicy::Foreground);
        self.deployments.delete("web", &foreground).await?;
        eventually(|| async { expect_code(404, self.deployments.get("web").await) }).await?;
        let sets = self.replica_sets.list(&ListParams::default().labels("app=web")).await?.items.len();
        expect(sets == 0, format!("{sets} ReplicaSets are left"))
    }
}

fn deployment(name: &str) -> Value {
    let labels = json!({ "app": name });
    let containers = json!([{ "name": "main", "image": "registry.invalid/main:1" }]);
    let template = json!({ "metadata": { "labels": labels }, "spec": { "containers": containers } });
    json!({ "metadata": { "name": name }, "spec": { "replicas": 2, "selector": { "matchLabels": labels }, "template": template } })
}
