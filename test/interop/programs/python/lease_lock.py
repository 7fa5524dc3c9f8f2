"""Leader election on a Lease: the Python client has the election, and a lock on ConfigMaps only."""

import datetime
import queue
import threading

from kubernetes import client
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.leaderelectionrecord import LeaderElectionRecord

from outcomes import STEP_LIMIT_SECONDS, expect


class LeaseLock:
    """What the client's LeaderElection asks of a lock, kept in the spec of a Lease."""

    def __init__(self, api, namespace, identity):
        self.api, self.namespace, self.identity = api, namespace, identity
        self.name = "leader"
        self.is_cut_off = False
        self.lease = None

    def get(self, name, namespace):
        try:
            self.lease = self.api.read_namespaced_lease(name, namespace)
        except client.ApiException as error:
            return False, error
        spec = self.lease.spec
        return True, LeaderElectionRecord(
            spec.holder_identity, str(spec.lease_duration_seconds), str(spec.acquire_time), str(spec.renew_time)
        )

    def create(self, name, namespace, election_record):
        lease = client.V1Lease(metadata=client.V1ObjectMeta(name=name), spec=self._spec(election_record, 0))
        return self._is_written(lambda: self.api.create_namespaced_lease(namespace, lease))

    def update(self, name, namespace, updated_record):
        if self.is_cut_off:
            return False
        before = self.lease.spec
        is_change = before.holder_identity != updated_record.holder_identity
        self.lease.spec = self._spec(updated_record, (before.lease_transitions or 0) + (1 if is_change else 0))
        return self._is_written(lambda: self.api.replace_namespaced_lease(name, namespace, self.lease))

    @staticmethod
    def _spec(record, transitions):
        now = datetime.datetime.now(datetime.timezone.utc)
        return client.V1LeaseSpec(
            holder_identity=record.holder_identity,
            lease_duration_seconds=int(record.lease_duration),
            acquire_time=now,
            renew_time=now,
            lease_transitions=transitions,
        )

    @staticmethod
    def _is_written(write):
        try:
            write()
        except client.ApiException as error:
            if error.status == 409:
                return False  # another was faster
            raise
        return True


def elect(api, namespace):
    """Two candidates for one Lease: the first leads alone, and the second once the first renews no more."""
    led = queue.Queue()
    first, second = (LeaseLock(api, namespace, identity) for identity in ("first", "second"))
    _run(first, led)
    leader = led.get(timeout=STEP_LIMIT_SECONDS)
    expect(leader == "first", f"{leader} leads instead of first")
    _run(second, led)
    try:
        raise AssertionError(f"{led.get(timeout=4)} leads too")
    except queue.Empty:
        pass
    first.is_cut_off = True
    leader = led.get(timeout=STEP_LIMIT_SECONDS)
    expect(leader == "second", f"{leader} leads instead of second")
    spec = api.read_namespaced_lease("leader", namespace).spec
    told = f"the Lease names {spec.holder_identity} after {spec.lease_transitions} transitions"
    expect(spec.holder_identity == "second" and spec.lease_transitions == 1, told)


def _run(lock, led):
    settings = electionconfig.Config(
        lock,
        lease_duration=6,
        renew_deadline=4,
        retry_period=1,
        onstarted_leading=lambda: led.put(lock.identity),
        onstopped_leading=lambda: None,
    )
    threading.Thread(target=leaderelection.LeaderElection(settings).run, daemon=True).start()
