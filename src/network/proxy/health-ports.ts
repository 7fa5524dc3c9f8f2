import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventRecorder } from '../../kit/index.ts';
import { messageOf } from '../../base/index.ts';
import { Listener } from '../../wire/listen/index.ts';
import type { IpFamily, ProxiedPort } from '../services/index.ts';
import type { ProxyTools } from './proxy-options.ts';

const LIMITS = { maxConnections: 256, headersTimeoutMs: 10_000, requestTimeoutMs: 10_000 };
const JSON_HEADERS = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };

export interface HealthPortsOptions extends Pick<ProxyTools, 'log'> {
  readonly family: IpFamily;
  readonly node: string;
  readonly events: EventRecorder;
  /** Whether the proxy itself keeps up with changes. */
  isProxyHealthy(): boolean;
}

interface OpenPort {
  readonly port: number;
  readonly listeners: readonly Listener[];
  localEndpoints: number;
}

interface Wanted {
  readonly port: number;
  readonly localAddresses: Set<string>;
}

/**
 * The health check ports of load balanced Services with external policy Local. A load balancer asks them which nodes have endpoints:
 * 200 where there is one, 503 where not.
 */
export class HealthPorts implements AsyncDisposable {
  readonly #options: HealthPortsOptions;
  /** By `namespace/name`. */
  readonly #open = new Map<string, OpenPort>();

  constructor(options: HealthPortsOptions) {
    this.#options = options;
  }

  /** Opens, closes and counts as the ports say. `addresses` are those that node ports are served on. */
  async sync(ports: Iterable<ProxiedPort>, addresses: 'all' | readonly string[]): Promise<void> {
    const wanted = wantedPorts(ports);
    for (const [service, { port, listeners }] of this.#open)
      if (wanted.get(service)?.port !== port) {
        this.#open.delete(service);
        await closeAll(listeners);
      }
    for (const [service, { port, localAddresses }] of wanted) {
      const open = this.#open.get(service) ?? (await this.#openPort(service, port, addresses));
      if (open !== undefined) open.localEndpoints = localAddresses.size;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { listeners } of all) await closeAll(listeners);
  }

  async #openPort(service: string, port: number, addresses: 'all' | readonly string[]): Promise<OpenPort | undefined> {
    const { family, node, events, log } = this.#options;
    const listeners: Listener[] = [];
    const hosts = addresses === 'all' ? [family === 'IPv4' ? '0.0.0.0' : '::'] : addresses;
    try {
      for (const host of hosts) {
        const request = (_: IncomingMessage, response: ServerResponse): void => this.#respond(service, response);
        const listener = new Listener({ limits: LIMITS, http1: { request } });
        await listener.open(host, port, { isIpv6Only: family === 'IPv6' });
        listeners.push(listener);
      }
    } catch (error) {
      await closeAll(listeners);
      const [namespace = '', name = ''] = service.split('/');
      const message = `node ${node} failed to start healthcheck "${service}" on port ${port}: ${messageOf(error)}`;
      events.event(
        { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name } },
        { type: 'Warning', reason: 'FailedToStartServiceHealthcheck', action: 'Listen', message },
      );
      log.error('health check port of a Service cannot be opened', { service, port, error });
      return undefined;
    }
    const open: OpenPort = { port, listeners, localEndpoints: 0 };
    this.#open.set(service, open);
    return open;
  }

  #respond(service: string, response: ServerResponse): void {
    const localEndpoints = this.#open.get(service)?.localEndpoints ?? 0;
    const serviceProxyHealthy = this.#options.isProxyHealthy();
    const [namespace, name] = service.split('/');
    const answer = { service: { namespace, name }, localEndpoints, serviceProxyHealthy };
    response.writeHead(localEndpoints > 0 && serviceProxyHealthy ? 200 : 503, {
      ...JSON_HEADERS,
      'x-load-balancing-endpoint-weight': `${localEndpoints}`,
    });
    response.end(JSON.stringify(answer, undefined, '\t'));
  }
}

/** By Service: its port, and the addresses of its endpoints here that are ready. */
function wantedPorts(ports: Iterable<ProxiedPort>): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const { healthCheckNodePort: port, namespace, service, endpoints } of ports) {
    if (port === undefined) continue;
    const key = `${namespace}/${service}`;
    const known = wanted.get(key) ?? { port, localAddresses: new Set<string>() };
    wanted.set(key, known);
    for (const { address, isLocal, isReady } of endpoints.all)
      if (isLocal && isReady) known.localAddresses.add(address);
  }
  return wanted;
}

async function closeAll(listeners: readonly Listener[]): Promise<void> {
  for (const listener of listeners) await listener.end();
}
