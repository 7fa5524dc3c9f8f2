"""An operator on kopf that `keelson explore` looks into: a Cache gets a Secret and a ConfigMap.

With --planted it takes the Secret for a sign that both are there.
"""

import asyncio
import logging
import sys

import kopf
from kubernetes import client, config

IS_PLANTED = "--planted" in sys.argv
RETRY_SECONDS = 0.5


def metadata(body):
    owner = {
        "apiVersion": "acme.dev/v1",
        "kind": "Cache",
        "name": body["metadata"]["name"],
        "uid": body["metadata"]["uid"],
        "controller": True,
    }
    return {"name": body["metadata"]["name"], "ownerReferences": [owner]}


def create(method, namespace, wanted):
    """False if there is one already."""
    try:
        method(namespace, wanted)
        return True
    except client.ApiException as error:
        if error.status == 409:
            return False
        raise


def provide(core, body, namespace, size):
    is_new = create(core.create_namespaced_secret, namespace, {"metadata": metadata(body)})
    if IS_PLANTED and not is_new:
        return
    wanted = {"metadata": metadata(body), "data": {"size": str(size)}}
    if not create(core.create_namespaced_config_map, namespace, wanted):
        core.patch_namespaced_config_map(body["metadata"]["name"], namespace, {"data": wanted["data"]})


def main():
    logging.disable(logging.CRITICAL)
    config.load_kube_config()
    core = client.CoreV1Api()
    registry = kopf.get_default_registry()

    @kopf.on.startup(registry=registry)
    async def configure(settings, **_):
        settings.posting.enabled = False
        settings.peering.standalone = True
        settings.networking.error_backoffs = [0.1, 0.2, 0.5, 1, 2]

    @kopf.on.create("acme.dev", "v1", "caches", registry=registry, backoff=RETRY_SECONDS)
    @kopf.on.update("acme.dev", "v1", "caches", registry=registry, backoff=RETRY_SECONDS)
    async def provided(body, namespace, spec, **_):
        await asyncio.to_thread(provide, core, body, namespace, spec["size"])

    asyncio.run(kopf.operator(registry=registry, standalone=True, namespaces=["default"]))


main()
