"""A program on the Python client's streams: commands, terminals, logs, attaching, forwarded ports, and a command of a kopf handler."""

import argparse
import asyncio
import json
import logging
import threading
import time

import kopf
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.stream import portforward, stream

from outcomes import STEP_LIMIT_SECONDS, Report, eventually, expect

POD = "shell"
WANTED = {"wants": "hostname"}
NOTED = "hostname"


class Program:
    def __init__(self, namespace):
        self.core = client.CoreV1Api()
        self.namespace = namespace

    def run(self, command, **options):
        """stream() changes the client that it is given: each call has its own."""
        call = client.CoreV1Api(client.ApiClient()).connect_get_namespaced_pod_exec
        wanted = {"stdin": False, "stdout": True, "stderr": True, "tty": False, **options}
        return stream(call, POD, self.namespace, command=command, **wanted)

    def pods(self):
        self.core.create_namespace({"metadata": {"name": self.namespace}})
        annotations = {"sim.keelson.dev/log": "first\nsecond", "sim.keelson.dev/http-body": "hello"}
        spec = {"containers": [{"name": "main", "image": "registry.invalid/main:1"}]}
        pod = {"metadata": {"name": POD, "annotations": annotations}, "spec": spec}
        eventually(lambda: self.core.create_namespaced_pod(self.namespace, pod))  # refused until there is a service account

        def runs():
            phase = self.core.read_namespaced_pod(POD, self.namespace).status.phase
            expect(phase == "Running", f"the pod is {phase}")

        eventually(runs)

    def command(self):
        running = self.run(["sh", "-c", "echo out; echo problem >&2; exit 3"], _preload_content=False)
        running.run_forever(timeout=STEP_LIMIT_SECONDS)
        found = running.read_stdout(), running.read_stderr(), running.returncode
        expect(found == ("out\n", "problem\n", 3), f"it came to {found}")
        expect(self.run(["echo", "hello"]) == "hello\n", "the short way says something else")

    def status(self):
        running = self.run(["false"], _preload_content=False)
        running.run_forever(timeout=STEP_LIMIT_SECONDS)
        status = json.loads(running.read_channel(3))
        wanted = {"reason": "ExitCode", "message": "1"}
        expect(status["reason"] == "NonZeroExitCode" and status["details"]["causes"] == [wanted], f"it is {status}")

    def input(self):
        """The end of the input is told by the fifth protocol, and ends the command."""
        running = self.run(["cat"], stdin=True, stderr=False, _preload_content=False)
        expect(running.subprotocol == "v5.channel.k8s.io", f"it speaks {running.subprotocol}")
        sent = "0123456789abcdef" * 4096
        for _ in range(4):
            running.write_stdin(sent)
        running.close_channel(0)
        running.run_forever(timeout=STEP_LIMIT_SECONDS)
        found = running.read_stdout()
        expect(found == sent * 4 and running.returncode == 0, f"{len(found)} characters came back")

    def older(self):
        """The fourth protocol, which goes to the node as it is."""
        api = client.ApiClient()
        api.set_default_header("sec-websocket-protocol", "v4.channel.k8s.io")
        call = client.CoreV1Api(api).connect_get_namespaced_pod_exec
        wanted = {"stdin": True, "stdout": True, "stderr": True, "tty": False, "_preload_content": False}
        running = stream(call, POD, self.namespace, command=["sh"], **wanted)
        expect(running.subprotocol == "v4.channel.k8s.io", f"it speaks {running.subprotocol}")
        running.write_stdin("echo hello\n")
        expect(running.readline_stdout(timeout=STEP_LIMIT_SECONDS) == "hello", "it did not answer")
        running.write_stdin("exit 5\n")
        running.run_forever(timeout=STEP_LIMIT_SECONDS)
        expect(running.returncode == 5, f"it ended with {running.returncode}")

    def terminal(self):
        running = self.run(["sh"], stdin=True, tty=True, stderr=False, _preload_content=False)
        running.write_channel(4, json.dumps({"Width": 120, "Height": 40}))
        running.write_stdin("echo problem >&2\nexit 4\n")
        running.run_forever(timeout=STEP_LIMIT_SECONDS)
        found = running.read_stdout()
        expect("problem\r\n" in found and running.returncode == 4, f"it wrote {found!r}")

    def refusals(self):
        try:
            self.run(["true"], container="other")
        except Exception as error:  # the client stumbles over refusals without a body
            refused = error if isinstance(error, ApiException) else error.__context__
            expect("400" in refused.reason, f"it is refused with {refused.reason}")
        else:
            raise AssertionError("a container that is not there is let through")

    def logs(self):
        last = self.core.read_namespaced_pod_log(POD, self.namespace, tail_lines=1, _preload_content=False)
        expect(last.data == b"second\n", f"the last line is {last.data!r}")
        followed = self.core.read_namespaced_pod_log(POD, self.namespace, follow=True, _preload_content=False)
        expect(followed.readline() == b"first\n", "followed, the first line is another")
        followed.close()

    def attach(self):
        call = client.CoreV1Api(client.ApiClient()).connect_get_namespaced_pod_attach
        attached = stream(call, POD, self.namespace, stdout=True, stderr=True, _preload_content=False)
        self.command()
        attached.update(timeout=0.2)
        expect(attached.is_open() and attached.read_all() == "", "an idle container says something")
        attached.close()

    def forward(self):
        call = client.CoreV1Api(client.ApiClient()).connect_get_namespaced_pod_portforward
        forwarded = portforward(call, POD, self.namespace, ports="8080")
        link = forwarded.socket(8080)
        link.settimeout(STEP_LIMIT_SECONDS)
        link.sendall(b"GET / HTTP/1.1\r\nHost: shell\r\nConnection: close\r\n\r\n")
        answer = b""
        while not answer.endswith(b"hello"):
            piece = link.recv(4096)
            if not piece:
                break
            answer = (answer + piece).rstrip(b"\r\n")
        link.close()
        expect(answer.startswith(b"HTTP/1.1 200 OK") and answer.endswith(b"hello"), f"it answered {answer!r}")
        expect(forwarded.error(8080) is None, f"it failed: {forwarded.error(8080)}")

    def kopf_handler(self):
        """A handler of an operator runs a command in the pod, and notes what it says."""
        registry = kopf.get_default_registry()  # it knows how to log in
        ready, stop = threading.Event(), threading.Event()

        async def configure(settings, **_):
            settings.posting.level = logging.ERROR
            settings.peering.standalone = True

        async def created(patch, **_):
            patch.setdefault("data", {})[NOTED] = await asyncio.to_thread(self.run, ["hostname"])

        kopf.on.startup(registry=registry)(configure)
        kopf.on.create("configmaps", labels=WANTED, registry=registry)(created)
        options = {"registry": registry, "namespaces": [self.namespace], "standalone": True}
        thread = threading.Thread(target=lambda: kopf.run(**options, ready_flag=ready, stop_flag=stop), daemon=True)
        thread.start()
        expect(ready.wait(STEP_LIMIT_SECONDS), "the operator was never ready")
        self.core.create_namespaced_config_map(self.namespace, {"metadata": {"name": "wish", "labels": WANTED}})

        def is_noted():
            data = self.core.read_namespaced_config_map("wish", self.namespace).data or {}
            expect(data.get(NOTED) == f"{POD}\n", f"it noted {data}")

        eventually(is_noted)
        self.core.delete_namespaced_config_map("wish", self.namespace)
        time.sleep(1)  # the operator lets it go
        stop.set()
        thread.join(STEP_LIMIT_SECONDS)
        expect(not thread.is_alive(), "the operator does not end")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--namespace", default="interop-python-streams")
    config.load_kube_config()
    program = Program(arguments.parse_args().namespace)
    report = Report("Python kubernetes and kopf streams", "kubernetes")
    report.step("pods", program.pods)
    report.step("exec", program.command)
    report.step("status", program.status)
    report.step("end of input", program.input)
    report.step("older protocol", program.older)
    report.step("terminal", program.terminal)
    report.step("refusals", program.refusals)
    report.step("logs", program.logs)
    report.step("attach", program.attach)
    report.step("port-forward", program.forward)
    report.step("exec in a kopf handler", program.kopf_handler)
    program.core.delete_namespace(program.namespace)
    report.print()


main()
