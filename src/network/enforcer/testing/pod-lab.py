"""Nodes and pods as network namespaces of one process, which opens sockets in all of them.

Reads a JSON command a line and answers each with a line. The namespaces are held by descriptors of this process, so nothing is left when it
ends. It has to be started in a network namespace of its own.
"""
import ctypes
import json
import os
import select
import socket
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
home = os.open("/proc/self/ns/net", os.O_RDONLY)
namespaces = {}
held = {}
servers = []
poller = select.epoll()


def enter(fd):
    if libc.setns(fd, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def make(name):
    if libc.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    namespaces[name] = os.open("/proc/self/ns/net", os.O_RDONLY)
    enter(home)


def inside(name, work):
    enter(namespaces[name])
    try:
        return work()
    finally:
        enter(home)


def ip(name, lines):
    run = lambda: subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", text=True, capture_output=True)
    done = inside(name, run)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {done.stderr}")


def sysctl(name, settings):
    def write():
        for path, value in settings.items():
            try:
                with open("/proc/sys/" + path, "w") as file:
                    file.write(value)
            except FileNotFoundError:
                pass  # IPv6 is off, or there is no filter for bridges
    inside(name, write)


def path_of(name):
    return f"/proc/{os.getpid()}/fd/{namespaces[name]}"


def set_up(nodes):
    """Each node: a bridge with its pods. Two nodes are joined by a wire, with routes to each other's pods."""
    for node in nodes:
        make(node["name"])
        sysctl(node["name"], {
            "net/ipv4/ip_forward": "1", "net/ipv6/conf/all/forwarding": "1",
            "net/bridge/bridge-nf-call-iptables": "1", "net/bridge/bridge-nf-call-ip6tables": "1",
        })
        lines = ["link set lo up", "link add pods type bridge"]
        for address in node["gateways"]:
            lines.append(f"addr add {address} dev pods" + (" nodad" if ":" in address else ""))
        ip(node["name"], lines + ["link set pods up"])
        for at, pod in enumerate(node["pods"]):
            make(pod["name"])
            sysctl(pod["name"], {"net/ipv6/conf/default/accept_dad": "0", "net/ipv6/conf/all/accept_dad": "0"})
            ip(node["name"], [
                f"link add pod{at} type veth peer name eth0 netns {path_of(pod['name'])}",
                f"link set pod{at} master pods", f"link set pod{at} type bridge_slave hairpin on", f"link set pod{at} up",
            ])
            lines = ["link set lo up", "link set eth0 up"]
            for address in pod["addresses"]:
                lines.append(f"addr add {address} dev eth0" + (" nodad" if ":" in address else ""))
            for gateway in node["gateways"]:
                if any((":" in address) == (":" in gateway) for address in pod["addresses"]):
                    lines.append(f"route add default via {gateway.split('/')[0]}")
            ip(pod["name"], lines)
    if len(nodes) == 2:
        one, two = nodes
        ip(one["name"], [f"link add wire type veth peer name wire netns {path_of(two['name'])}"])
        for node, other, own in ((one, two, 1), (two, one, 2)):
            lines = ["link set wire up", f"addr add 192.168.77.{own}/24 dev wire", f"addr add fd77::{own}/64 dev wire nodad"]
            for gateway in other["gateways"]:
                via = f"fd77::{3 - own}" if ":" in gateway else f"192.168.77.{3 - own}"
                network = gateway.replace("::1/", "::/") if ":" in gateway else gateway.replace(".1/", ".0/")
                lines.append(f"route add {network} via {via}")
            ip(node["name"], lines)
    return {"pid": os.getpid(), "namespaces": {name: path_of(name) for name in namespaces}}


def new_socket(protocol, address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if protocol == "ICMP":
        made = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        made.setblocking(False)
        return made
    kind = socket.SOCK_STREAM if protocol == "TCP" else socket.SOCK_DGRAM
    made = socket.socket(family, kind)
    made.setblocking(False)
    return made


def serve(sockets):
    def listen(protocol, address, port):
        made = new_socket(protocol, address)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        if protocol == "TCP":
            made.listen(256)
        return made
    for each in sockets:
        server = inside(each["in"], lambda: listen(each["protocol"], each["address"], each["port"]))
        servers.append(server)
        register(server, lambda server=server, protocol=each["protocol"]: answer(server, protocol))
    return {}


handlers = {}


def register(made, handler):
    handlers[made.fileno()] = handler
    poller.register(made, select.EPOLLIN)


def answer(server, protocol):
    if protocol == "UDP":
        data, sender = server.recvfrom(1500)
        server.sendto(data, sender)
        return
    connection, _ = server.accept()
    connection.setblocking(False)
    register(connection, lambda: echo(connection))


def echo(connection):
    try:
        data = connection.recv(65536)
    except OSError:
        data = b""
    if data:
        try:
            connection.send(data)
        except OSError:
            pass
    else:
        poller.unregister(connection)
        del handlers[connection.fileno()]
        connection.close()


def spin(until, done):
    """Serves until there is nothing more to wait for, or the time is over."""
    while not done():
        left = until - time.monotonic()
        if left <= 0:
            return
        for fd, _ in poller.poll(left):
            handlers.get(fd, lambda: None)()


def probe(flows, wait):
    """Which flows get an answer: all at once, so that it takes as long as the slowest."""
    results = [False] * len(flows)
    open_sockets = {}
    begun = {}

    def finish(at):
        made = open_sockets.pop(at)
        poller.unregister(made)
        del handlers[made.fileno()]
        made.close()

    def ready(at, protocol):
        made = open_sockets[at]
        if protocol == "TCP":
            results[at] = made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
        else:
            try:
                data = made.recv(100)
                if protocol == "ICMP" and data[20] != 0:
                    return  # not an answer to the echo
                results[at] = protocol == "ICMP" or data == b"ping"
            except OSError:
                results[at] = False
        finish(at)

    for at, flow in enumerate(flows):
        made = inside(flow["from"], lambda: new_socket(flow["protocol"], flow["address"]))
        open_sockets[at] = made
        handlers[made.fileno()] = lambda at=at, protocol=flow["protocol"]: ready(at, protocol)
        poller.register(made, select.EPOLLOUT if flow["protocol"] == "TCP" else select.EPOLLIN)
        begun[at] = flow
        try:
            made.connect((flow["address"], flow["port"]))
            if flow["protocol"] == "UDP":
                made.send(b"ping")
            if flow["protocol"] == "ICMP":
                made.send(bytes([8, 0, 0xF7, 0xFE, 0, 1, 0, 0]))  # an echo with its checksum
        except BlockingIOError:
            pass
        except OSError:
            finish(at)
        if at % 64 == 63:
            spin(time.monotonic() + 0.001, lambda: False)
    spin(time.monotonic() + wait, lambda: not open_sockets)
    for at in list(open_sockets):
        finish(at)
    return {"results": results}


def hold(name, flow):
    """Opens a connection that stays."""
    made = inside(flow["from"], lambda: new_socket("TCP", flow["address"]))
    try:
        made.connect((flow["address"], flow["port"]))
    except BlockingIOError:
        pass
    state = {"ready": False}
    handlers[made.fileno()] = lambda: state.update(ready=True)
    poller.register(made, select.EPOLLOUT)
    spin(time.monotonic() + 10, lambda: state["ready"])
    poller.unregister(made)
    del handlers[made.fileno()]
    held[name] = made
    return {"results": [state["ready"] and made.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0]}


def talk(name, wait):
    """Whether the held connection still carries a message and its echo."""
    made = held[name]
    received = []
    made.send(b"x")
    register(made, lambda: received.append(made.recv(100)))
    spin(time.monotonic() + wait, lambda: received)
    poller.unregister(made)
    del handlers[made.fileno()]
    return {"results": [bool(received)]}


def run(name, command):
    done = inside(name, lambda: subprocess.run(command, capture_output=True, text=True))
    return {"code": done.returncode, "output": done.stdout + done.stderr}


commands = {"setUp": set_up, "serve": serve, "probe": probe, "hold": hold, "talk": talk, "run": run}
ended = []


def take():
    line = sys.stdin.readline()
    if line == "":
        ended.append(True)
        return
    command = json.loads(line)
    try:
        result = commands[command.pop("do")](**command)
    except Exception as error:  # the caller throws it
        result = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(result), flush=True)


handlers[0] = take
poller.register(0, select.EPOLLIN)
while not ended:
    for fd, _ in poller.poll():
        handlers.get(fd, lambda: None)()
