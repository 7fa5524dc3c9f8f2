"""A program on the Python client: generated APIs, watches, patches, applies through the dynamic client, leader election."""

import argparse
import threading

from kubernetes import client, config, dynamic, watch

from lease_lock import elect
from outcomes import STEP_LIMIT_SECONDS, Report, eventually, expect

MANY = 25
PAGE_SIZE = 10


class Program:
    def __init__(self, api_client, namespace):
        self.api_client = api_client
        self.core = client.CoreV1Api(api_client)
        self.apps = client.AppsV1Api(api_client)
        self.coordination = client.CoordinationV1Api(api_client)
        self.namespace = namespace

    def create(self):
        self.core.create_namespace({"metadata": {"name": self.namespace}})
        for index in range(MANY):
            metadata = {"name": f"many-{index:02}", "labels": {"set": "many"}}
            self.core.create_namespaced_config_map(self.namespace, {"metadata": metadata, "data": {"index": str(index)}})
        eventually(lambda: self.core.read_namespaced_service_account("default", self.namespace))
        container = client.V1Container(name="main", image="registry.invalid/main:1")
        pod = client.V1Pod(metadata=client.V1ObjectMeta(name="alone"), spec=client.V1PodSpec(containers=[container]))
        self.core.create_namespaced_pod(self.namespace, pod)
        made = self.apps.create_namespaced_deployment(self.namespace, deployment("web"))
        expect(made.spec.strategy.rolling_update.max_surge == "25%", f"no defaults: {made.spec.strategy}")

        def has_replica_set():
            sets = self.apps.list_namespaced_replica_set(self.namespace, label_selector="app=web").items
            expect(len(sets) == 1, f"the Deployment has {len(sets)} ReplicaSets")

        eventually(has_replica_set)

    def list(self):
        names, pages, more = set(), [], None
        while True:
            page = self.core.list_namespaced_config_map(
                self.namespace, label_selector="set=many", limit=PAGE_SIZE, _continue=more
            )
            names.update(item.metadata.name for item in page.items)
            pages.append(len(page.items))
            more = page.metadata._continue
            if not more:
                break
        expect(len(names) == MANY and pages == [10, 10, 5], f"{len(names)} names on pages of {pages}")
        chosen = self.core.list_namespaced_config_map(self.namespace, field_selector="metadata.name=many-07").items
        expect(len(chosen) == 1, f"the field selector chose {len(chosen)} objects")

    def watch(self):
        start = self.core.list_namespaced_config_map(self.namespace).metadata.resource_version
        seen = []
        stream = watch.Watch()

        def follow():
            events = stream.stream(
                self.core.list_namespaced_config_map,
                self.namespace,
                resource_version=start,
                field_selector="metadata.name=lively",
                timeout_seconds=STEP_LIMIT_SECONDS,
            )
            for event in events:
                seen.append((event["type"], (event["object"].data or {}).get("round")))
                if event["type"] == "DELETED":
                    return

        follower = threading.Thread(target=follow, daemon=True)
        follower.start()
        self.core.create_namespaced_config_map(self.namespace, {"metadata": {"name": "lively"}})
        for index in range(3):
            body = {"metadata": {"name": "lively"}, "data": {"round": str(index)}}
            self.core.replace_namespaced_config_map("lively", self.namespace, body)
        self.core.delete_namespaced_config_map("lively", self.namespace)
        follower.join(STEP_LIMIT_SECONDS)
        wanted = [("ADDED", None), ("MODIFIED", "0"), ("MODIFIED", "1"), ("MODIFIED", "2"), ("DELETED", "2")]
        expect(seen == wanted, f"told of {seen}")

    def merge_patch(self):
        patch = {"data": {"index": None, "patched": "yes"}}
        patched = self.core.patch_namespaced_config_map(
            "many-00", self.namespace, patch, _content_type="application/merge-patch+json"
        )
        expect(patched.data == {"patched": "yes"}, f"data is {patched.data}")

    def strategic_patch(self):
        sidecar = {"name": "sidecar", "image": "registry.invalid/sidecar:1"}
        patch = {"spec": {"template": {"spec": {"containers": [sidecar]}}}}
        patched = self.apps.patch_namespaced_deployment("web", self.namespace, patch)
        names = sorted(container.name for container in patched.spec.template.spec.containers)
        expect(names == ["main", "sidecar"], f"containers are {names}")

    def apply(self):
        config_maps = dynamic.DynamicClient(self.api_client).resources.get(api_version="v1", kind="ConfigMap")

        def apply_as(manager, value, force):
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"mine": value}}
            return config_maps.server_side_apply(
                body=body, namespace=self.namespace, field_manager=manager, force_conflicts=force
            )

        apply_as("first", "1", False)
        try:
            apply_as("second", "2", False)
            raise AssertionError("no conflict between the managers")
        except dynamic.exceptions.ConflictError:
            pass
        forced = apply_as("second", "2", True)
        expect(forced.data.mine == "2", f"data is {forced.data}")
        managers = [(entry.manager, entry.operation) for entry in forced.metadata.managedFields]
        expect(managers == [("second", "Apply")], f"managers are {managers}")

    def delete(self):
        preconditions = {"preconditions": {"uid": "00000000-0000-0000-0000-000000000000"}}
        expect_status(409, lambda: self.core.delete_namespaced_pod("alone", self.namespace, body=preconditions))
        self.core.delete_namespaced_pod("alone", self.namespace, grace_period_seconds=0)
        expect_status(404, lambda: self.core.read_namespaced_pod("alone", self.namespace))
        self.core.delete_collection_namespaced_config_map(self.namespace, label_selector="set=many")
        left = self.core.list_namespaced_config_map(self.namespace, label_selector="set=many").items
        expect(len(left) == 0, f"{len(left)} of the collection are left")
        self.apps.delete_namespaced_deployment("web", self.namespace, propagation_policy="Foreground")
        eventually(lambda: expect_status(404, lambda: self.apps.read_namespaced_deployment("web", self.namespace)))
        sets = self.apps.list_namespaced_replica_set(self.namespace, label_selector="app=web").items
        expect(len(sets) == 0, f"{len(sets)} ReplicaSets are left")

    def lead(self):
        elect(self.coordination, self.namespace)

    def clean_up(self):
        # What is left is of no use to anybody; the server goes away too.
        self.core.delete_namespace(self.namespace)


def expect_status(code, call):
    try:
        call()
    except client.ApiException as error:
        expect(error.status == code, f"{error.status} instead of {code}: {error.body}")
    else:
        raise AssertionError(f"it was let through instead of {code}")


def deployment(name):
    labels = {"app": name}
    container = {"name": "main", "image": "registry.invalid/main:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {"metadata": {"name": name}, "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--namespace", default="interop-python")
    options = arguments.parse_args()
    program = Program(config.new_client_from_config(), options.namespace)
    report = Report("Python kubernetes", "kubernetes")
    report.step("create", program.create)
    report.step("list", program.list)
    report.step("watch", program.watch)
    report.step("merge patch", program.merge_patch)
    report.step("strategic patch", program.strategic_patch)
    report.step("apply", program.apply)
    report.step("delete", program.delete)
    report.step("lead", program.lead)
    program.clean_up()
    report.print()


if __name__ == "__main__":
    main()
