"""An extender without any library: it is sent names, takes those that do not end with 1, and binds pods itself."""
import json
import ssl
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT, SERVER, TOKEN = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def filter_nodes(args):
    names = args["NodeNames"]
    return {
        "NodeNames": [name for name in names if not name.endswith("1")],
        "FailedAndUnresolvableNodes": {name: "node(s) were number one" for name in names if name.endswith("1")},
    }


def prioritize(args):
    return [{"Host": name, "Score": 10 if name.endswith("2") else 0} for name in args["NodeNames"]]


def bind(args):
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": args["PodName"], "namespace": args["PodNamespace"], "uid": args["PodUID"]},
        "target": {"apiVersion": "v1", "kind": "Node", "name": args["Node"]},
    }
    path = f"/api/v1/namespaces/{args['PodNamespace']}/pods/{args['PodName']}/binding"
    request = urllib.request.Request(
        SERVER + path,
        data=json.dumps(binding).encode(),
        headers={"content-type": "application/json", "authorization": f"Bearer {TOKEN}"},
    )
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    urllib.request.urlopen(request, context=context).read()
    return {}


VERBS = {"/filter": filter_nodes, "/prioritize": prioritize, "/bind": bind}


class Extender(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        args = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = json.dumps(VERBS[self.path](args)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", PORT), Extender).serve_forever()
