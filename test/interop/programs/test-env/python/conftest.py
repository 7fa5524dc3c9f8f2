import os
import subprocess

import pytest
from kubernetes import config

PROGRAM = [os.environ["KEELSON"]] if "KEELSON" in os.environ else ["npx", "keelson"]


@pytest.fixture
def cluster():
    """A client of a cluster that ends with the test."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*PROGRAM, "test-env"], stdin=pipe, stdout=pipe, text=True) as process:
        kubeconfig = process.stdout.readline().strip()
        yield config.new_client_from_config(kubeconfig)
        process.stdin.close()
