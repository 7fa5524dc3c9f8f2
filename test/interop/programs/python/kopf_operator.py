"""A small operator on kopf: a ConfigMap with the label "wants=web" gets a Deployment; peering is off, for it needs custom kinds."""

import argparse
import asyncio
import logging
import threading

import kopf
from kubernetes import client, config

from outcomes import STEP_LIMIT_SECONDS, Report, eventually, expect

WANTED = {"wants": "web"}
FINALIZER = "kopf.zalando.org/KopfFinalizerMarker"


class Operator:
    """The handlers, and a list of what they were told."""

    def __init__(self, apps):
        self.apps = apps
        self.told = []
        self.registry = kopf.get_default_registry()  # it knows how to log in
        kopf.on.startup(registry=self.registry)(self.configure)
        kopf.on.create("configmaps", labels=WANTED, registry=self.registry)(self.created)
        kopf.on.update("configmaps", labels=WANTED, field="data.replicas", registry=self.registry)(self.updated)
        kopf.on.delete("configmaps", labels=WANTED, registry=self.registry)(self.deleted)
        kopf.on.event("apps", "v1", "deployments", labels=WANTED, registry=self.registry)(self.seen)
        kopf.timer("configmaps", labels=WANTED, interval=1, registry=self.registry)(self.ticked)

    async def configure(self, settings, **_):
        settings.posting.level = logging.INFO
        settings.peering.standalone = True

    async def created(self, body, name, namespace, **_):
        wanted = deployment(name, int(body["data"]["replicas"]))
        kopf.adopt(wanted, owner=body)
        await asyncio.to_thread(self.apps.create_namespaced_deployment, namespace, wanted)
        self.told.append("created")
        kopf.info(body, reason="Provided", message="The Deployment is made")
        return {"replicas": body["data"]["replicas"]}

    async def updated(self, old, new, name, namespace, patch, **_):
        body = {"spec": {"replicas": int(new)}}
        await asyncio.to_thread(self.apps.patch_namespaced_deployment, name, namespace, body)
        patch.metadata.annotations["provided"] = new
        self.told.append(f"updated from {old} to {new}")

    async def deleted(self, **_):
        self.told.append("deleted")

    async def seen(self, type, **_):
        self.told.append(f"deployment {type or 'LISTED'}")

    async def ticked(self, **_):
        self.told.append("ticked")

    def was_told(self, what):
        expect(what in self.told, f"not told of '{what}', but of {self.told[-20:]}")


class Scenario:
    def __init__(self, namespace):
        self.core, self.apps, self.events = client.CoreV1Api(), client.AppsV1Api(), client.EventsV1Api()
        self.namespace = namespace
        self.operator = Operator(self.apps)
        self.ready, self.stop = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run_operator, daemon=True)

    def run_operator(self):
        kopf.run(
            registry=self.operator.registry,
            namespaces=[self.namespace],
            standalone=True,
            ready_flag=self.ready,
            stop_flag=self.stop,
        )

    def start(self):
        self.core.create_namespace({"metadata": {"name": self.namespace}})
        self.thread.start()
        expect(self.ready.wait(STEP_LIMIT_SECONDS), "the operator was never ready")

    def create(self):
        self.core.create_namespaced_config_map(
            self.namespace, {"metadata": {"name": "wish", "labels": WANTED}, "data": {"replicas": "1"}}
        )
        eventually(lambda: self.operator.was_told("created"))
        owner = self.apps.read_namespaced_deployment("wish", self.namespace).metadata.owner_references[0]
        wish = self.core.read_namespaced_config_map("wish", self.namespace)
        expect(owner.uid == wish.metadata.uid, f"the owner is {owner}")
        expect(wish.metadata.finalizers == [FINALIZER], f"finalizers are {wish.metadata.finalizers}")

    def watch(self):
        eventually(lambda: self.operator.was_told("deployment ADDED"))
        eventually(lambda: self.operator.was_told("deployment MODIFIED"))

    def record_event(self):
        def is_recorded():
            recorded = self.core.list_namespaced_event(self.namespace, field_selector="reason=Provided").items
            expect(len(recorded) == 1, f"there are {len(recorded)} events")
            expect(recorded[0].involved_object.name == "wish", f"it is about {recorded[0].involved_object}")

        eventually(is_recorded)

    def patch(self):
        self.core.patch_namespaced_config_map("wish", self.namespace, {"data": {"replicas": "3"}})
        eventually(lambda: self.operator.was_told("updated from 1 to 3"))

        def is_noted():
            metadata = self.core.read_namespaced_config_map("wish", self.namespace).metadata
            expect(metadata.annotations.get("provided") == "3", f"annotations are {metadata.annotations}")

        eventually(is_noted)
        replicas = self.apps.read_namespaced_deployment("wish", self.namespace).spec.replicas
        expect(replicas == 3, f"replicas is {replicas}")

    def timer(self):
        eventually(lambda: self.operator.was_told("ticked"))

    def delete(self):
        self.core.delete_namespaced_config_map("wish", self.namespace)
        eventually(lambda: self.operator.was_told("deleted"))

        def is_gone():
            for read in (self.core.read_namespaced_config_map, self.apps.read_namespaced_deployment):
                try:
                    metadata = read("wish", self.namespace).metadata
                    raise AssertionError(f"it is there with finalizers {metadata.finalizers}")
                except client.ApiException as error:
                    expect(error.status == 404, f"{error.status}: {error.body}")

        eventually(is_gone)

    def end(self):
        self.stop.set()
        self.thread.join(STEP_LIMIT_SECONDS)
        expect(not self.thread.is_alive(), "the operator does not end")

    def clean_up(self):
        # What is left is of no use to anybody; the server goes away too.
        self.core.delete_namespace(self.namespace)


def deployment(name, replicas):
    labels = {"app": name}
    container = {"name": "main", "image": "registry.invalid/main:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": dict(WANTED)}, "spec": spec}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--namespace", default="interop-kopf")
    options = arguments.parse_args()
    config.load_kube_config()  # of $KUBECONFIG, with which kopf logs in too
    scenario = Scenario(options.namespace)
    report = Report("Python kopf operator", "kopf")
    report.step("start", scenario.start)
    report.step("create", scenario.create)
    report.step("watch", scenario.watch)
    report.step("record an event", scenario.record_event)
    report.step("patch", scenario.patch)
    report.step("timer", scenario.timer)
    report.step("delete", scenario.delete)
    report.step("end", scenario.end)
    scenario.clean_up()
    report.print()


if __name__ == "__main__":
    main()
