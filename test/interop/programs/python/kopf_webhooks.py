"""Admission handlers on kopf, which writes its webhook configurations itself: ConfigMaps labelled "checked=kopf" are changed and checked."""

import argparse
import pathlib
import subprocess
import tempfile
import threading

import kopf
from kubernetes import client, config

from outcomes import STEP_LIMIT_SECONDS, Report, eventually, expect

CHECKED = {"checked": "kopf"}
MANAGED = "interop.kopf.dev"


class Handlers:
    """The handlers, with a certificate of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.registry = kopf.get_default_registry()  # it knows how to log in
        kopf.on.startup(registry=self.registry)(self.configure)
        kopf.on.mutate("configmaps", id="fill", labels=CHECKED, operation="CREATE", registry=self.registry)(self.fill)
        kopf.on.validate("configmaps", id="check", labels=CHECKED, registry=self.registry)(self.check)

    async def configure(self, settings, **_):
        certificate, key = self.folder / "tls.crt", self.folder / "tls.key"
        settings.admission.server = kopf.WebhookServer(
            addr="127.0.0.1", host="localhost", port=0, certfile=certificate, pkeyfile=key, cafile=certificate
        )
        settings.admission.managed = MANAGED
        settings.peering.standalone = True

    async def fill(self, patch, body, userinfo, **_):
        patch.metadata.annotations["interop/by"] = userinfo["username"]
        if "data" not in body:
            patch["data"] = {"size": "1"}

    async def check(self, body, warnings, operation, old, **_):
        size = (body.get("data") or {}).get("size")
        if size == "huge":
            raise kopf.AdmissionError("huge is too large", code=418)
        if size == "large":
            warnings.append("large is rather large")
        if operation == "UPDATE" and old is not None and old["data"]["size"] != size:
            raise kopf.AdmissionError("size may not change")
        if operation == "DELETE" and body["metadata"]["labels"].get("kept") == "yes":
            raise kopf.AdmissionError("it is to be kept")


class Scenario:
    def __init__(self, namespace, folder):
        self.core, self.configurations = client.CoreV1Api(), client.AdmissionregistrationV1Api()
        self.namespace, self.folder = namespace, folder
        self.handlers = Handlers(folder)
        self.ready, self.stop = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run_handlers, daemon=True)

    def run_handlers(self):
        kopf.run(
            registry=self.handlers.registry,
            namespaces=[self.namespace],
            standalone=True,
            ready_flag=self.ready,
            stop_flag=self.stop,
        )

    def start(self):
        names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
        request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        files = ["-addext", names, "-keyout", self.folder / "tls.key", "-out", self.folder / "tls.crt"]
        subprocess.run([*request, *files], check=True, capture_output=True)
        self.core.create_namespace({"metadata": {"name": self.namespace}})
        self.thread.start()
        expect(self.ready.wait(STEP_LIMIT_SECONDS), "the operator was never ready")

    def configured(self):
        def is_there():
            for read in (
                self.configurations.read_mutating_webhook_configuration,
                self.configurations.read_validating_webhook_configuration,
            ):
                webhooks = read(MANAGED).webhooks or []
                expect(len(webhooks) == 1, f"there are {len(webhooks)} webhooks")

        eventually(is_there)

    def create_map(self, name, size=None, labels=CHECKED, **options):
        body = {"metadata": {"name": name, "labels": dict(labels)}}
        if size is not None:
            body["data"] = {"size": size}
        return self.core.create_namespaced_config_map(self.namespace, body, **options)

    def mutate(self):
        attempts = iter(range(1000))

        def is_filled():  # a real server takes up to a second until a configuration counts
            made = self.create_map(f"filled-{next(attempts)}")
            expect(made.data == {"size": "1"}, f"data is {made.data}")
            expect((made.metadata.annotations or {}).get("interop/by"), f"annotations are {made.metadata.annotations}")

        eventually(is_filled)

    def refused(self, code, message, attempt):
        try:
            attempt()
        except client.ApiException as error:
            expect(error.status == code and message in error.body, f"{error.status}: {error.body}")
            return
        raise AssertionError("it was not refused")

    def refuse_create(self):
        self.refused(418, "huge is too large", lambda: self.create_map("huge", "huge"))

    def warn(self):
        _, _, headers = self.core.create_namespaced_config_map_with_http_info(
            self.namespace, {"metadata": {"name": "large", "labels": {**CHECKED, "kept": "yes"}}, "data": {"size": "large"}}
        )
        expect("large is rather large" in headers.get("Warning", ""), f"headers are {headers}")

    def refuse_update(self):
        body = {"data": {"size": "small"}}
        self.refused(500, "size may not change", lambda: self.core.patch_namespaced_config_map("large", self.namespace, body))

    def refuse_delete(self):
        self.refused(500, "it is to be kept", lambda: self.core.delete_namespaced_config_map("large", self.namespace))

    def dry_run(self):
        made = self.create_map("dry", dry_run="All")
        expect(made.data == {"size": "1"}, f"data is {made.data}")
        self.refused(404, "not found", lambda: self.core.read_namespaced_config_map("dry", self.namespace))

    def others(self):
        self.create_map("other", "huge", labels={})

    def end(self):
        self.stop.set()
        self.thread.join(STEP_LIMIT_SECONDS)
        expect(not self.thread.is_alive(), "the operator does not end")

    def clean_up(self):
        # What is left is of no use to anybody; the server goes away too.
        for delete in (
            self.configurations.delete_mutating_webhook_configuration,
            self.configurations.delete_validating_webhook_configuration,
        ):
            try:
                delete(MANAGED)
            except client.ApiException:
                pass  # kopf has not come so far
        self.core.delete_namespace(self.namespace)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--namespace", default="interop-kopf-webhooks")
    options = arguments.parse_args()
    config.load_kube_config()  # of $KUBECONFIG, with which kopf logs in too
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(options.namespace, pathlib.Path(folder))
        report = Report("Python kopf webhooks", "kopf")
        report.step("start", scenario.start)
        report.step("configure", scenario.configured)
        report.step("mutate", scenario.mutate)
        report.step("refuse a create", scenario.refuse_create)
        report.step("warn", scenario.warn)
        report.step("refuse an update", scenario.refuse_update)
        report.step("refuse a delete", scenario.refuse_delete)
        report.step("dry run", scenario.dry_run)
        report.step("leave others alone", scenario.others)
        report.step("end", scenario.end)
        scenario.clean_up()
        report.print()


if __name__ == "__main__":
    main()
