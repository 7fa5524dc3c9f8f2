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
  const servers = new Map<string, Server>();
  const part = serviceProxy({
    node,
    families: ['IPv4'],
    minSyncPeriod: 0,
    async sync({ isFull, changes }) {
      for (const name of isFull ? [...servers.keys()] : changes.map(({ name }) => name)) {
        servers.get(name)?.close(); // connections that are open go on
        servers.delete(name);
      }
      for (const { name, after } of changes)
        if (isServed(after)) servers.set(name, serve(after, dial).listen(after.nodePort, host));
    },
  });
  return app('userspace-proxy', [part]);
}

function isServed(port: ProxiedPort | undefined): port is ProxiedPort {
  return port?.protocol === 'TCP' && port.nodePort !== undefined;
}

function serve({ endpoints, externalPolicy }: ProxiedPort, dial: (port: number, address: string) => Socket): Server {
  const usable = externalPolicy === 'Local' ? endpoints.local : endpoints.cluster;
  let next = 0;
  const server = createServer((client) => {
    const endpoint = usable[next++ % usable.length];
    if (endpoint === undefined) return client.destroy();
    const target = dial(endpoint.port, endpoint.address);
    client.on('error', () => target.destroy()).pipe(target);
    target.on('error', () => client.destroy()).pipe(client);
  });
  return server.on('error', () => undefined); // a port that is taken stays without a server
}
