from kubernetes import client, watch

DEPLOYMENT = {
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "nginx"}]},
        },
    },
}


def test_a_deployment_becomes_ready(cluster):
    apps = client.AppsV1Api(cluster)
    apps.create_namespaced_deployment("default", DEPLOYMENT)
    events = watch.Watch().stream(apps.list_namespaced_deployment, "default", timeout_seconds=30)
    assert any(event["object"].status.ready_replicas == 1 for event in events)


def test_every_test_has_its_own(cluster):
    assert client.AppsV1Api(cluster).list_namespaced_deployment("default").items == []
