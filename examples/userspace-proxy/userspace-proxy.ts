// A proxy without a packet filter: it serves the TCP node ports of a cluster on this machine, and connects to an endpoint itself.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type App, app } from 'keelson';
import { type ProxiedPort, serviceProxy } from 'keelson/network';

export interface UserspaceProxyOptions {
  /** The name of the node that it runs on. */
  readonly node: string;
  /** Where node ports are served; default on all addresses. */
  readonly host?: string;
  /** How endpoints are reached; default over the network. */
  dial?(port: number, address: string): Socket;
}

export function userspaceProxy({ node, host = '0.0.0.0', dial = connect }: UserspaceProxyOptions): App {
  const served = new Map<string, ServedPort>();
  const close = (name: string): void => {
    served.get(name)?.server.close(); // connections that are open go on
    served.delete(name);
  };
  const part = serviceProxy({
    node,
    families: ['IPv4'],
    minSyncPeriod: 0,
    async sync({ isFull, changes }) {
      const named = new Set(changes.map(({ name }) => name));
      if (isFull) for (const name of served.keys()) if (!named.has(name)) close(name);
      for (const { name, after } of changes) {
        const before = served.get(name);
        const isSame = before !== undefined && before.port.nodePort === after?.nodePort;
        if (!isSame) close(name);
        if (!isServed(after)) continue;
        if (isSame) before.port = after;
        else served.set(name, serve(after, { host, dial }));
      }
    },
  });
  return app('userspace-proxy', [part]);
}

/** A node port and its server, which stays as long as the number does: only the endpoints change. */
interface ServedPort {
  port: ProxiedPort;
  readonly server: Server;
}

function isServed(port: ProxiedPort | undefined): port is ProxiedPort {
  return port?.protocol === 'TCP' && port.nodePort !== undefined;
}

function serve(port: ProxiedPort, { host, dial }: Required<Pick<UserspaceProxyOptions, 'host' | 'dial'>>): ServedPort {
  let next = 0;
  const server = createServer((client) => {
    const { endpoints, externalPolicy } = served.port;
    const usable = externalPolicy === 'Local' ? endpoints.local : endpoints.cluster;
    const endpoint = usable[next++ % usable.length];
    if (endpoint === undefined) return client.destroy();
    const target = dial(endpoint.port, endpoint.address);
    client.on('error', () => target.destroy()).pipe(target);
    target.on('error', () => client.destroy()).pipe(client);
  });
  server.on('error', () => undefined).listen(port.nodePort, host); // a port that is taken stays without a server
  const served: ServedPort = { port, server };
  return served;
}
