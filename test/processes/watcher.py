"""A small operator with Python's own library: as a client in a cluster does, it reads its account's files, and gives every ConfigMap that
asks for it a greeting. It serves its health at the address of its pod."""

import http.server
import json
import os
import ssl
import threading
import time
import urllib.request

ACCOUNT = os.environ.get("ACCOUNT", "/var/run/secrets/kubernetes.io/serviceaccount")
SERVER = "https://%s:%s" % (os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"])


def read(name):
    with open(os.path.join(ACCOUNT, name)) as file:
        return file.read()


def request(method, path, body=None):
    headers = {"Authorization": "Bearer " + read("token"), "Content-Type": "application/merge-patch+json"}
    sent = None if body is None else json.dumps(body).encode()
    context = ssl.create_default_context(cafile=os.path.join(ACCOUNT, "ca.crt"))
    wanted = urllib.request.Request(SERVER + path, data=sent, headers=headers, method=method)
    with urllib.request.urlopen(wanted, context=context) as response:
        return json.load(response)


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"well\n")


def main():
    server = http.server.ThreadingHTTPServer((os.environ["KEELSON_POD_ADDRESS"], 8080), Health)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = "/api/v1/namespaces/%s/configmaps" % read("namespace")
    print("watching", path, flush=True)
    while True:
        for item in request("GET", path)["items"]:
            data = item.get("data") or {}
            if "greet" in data and "greeting" not in data:
                name = item["metadata"]["name"]
                request("PATCH", path + "/" + name, {"data": {"greeting": "hello " + data["greet"]}})
                print("greeted", name, flush=True)
        time.sleep(0.2)


main()
