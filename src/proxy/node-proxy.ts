import { badRequest, type GroupResource, internalError, StatusError } from '../api/index.ts';
import type { Pod } from '../api/types/core/v1.d.ts';
import {
  type Call,
  type ConnectionAnswer,
  type RequestHeaders,
  type ServerObjects,
  transportErrorText,
} from '../apiserver/index.ts';
import type { Clock, Random } from '../base/index.ts';
import { cutText, joinConnections, joinedChunks } from '../wire/connections/index.ts';
import type { HttpClient, HttpExchange, ResponseHeaders } from '../wire/http/index.ts';
import { wantsWebSocket } from '../wire/websocket/index.ts';
import type { NodeConnections } from './node-connections.ts';
import { MAX_REFUSAL_BYTES } from './node-target.ts';
import { commandPath, type ContainerPlace, logPath, portsPath } from './pod-requests.ts';
import { passProxied, type ProxiedServer } from './proxied-request.ts';
import { ProxyLocations } from './proxy-location.ts';
import { readProxyName } from './proxy-name.ts';
import { isTranslatable, translateCommand } from './translate-command.ts';
import { isTunnel, tunnelPorts } from './tunnel-ports.ts';
import { webSocketLog } from './websocket-log.ts';

/** A pod on a node, and the container that the request is about. */
export interface PodTarget {
  readonly type: 'exec' | 'attach' | 'log' | 'portforward';
  readonly node: string;
  readonly pod: { readonly metadata: Pick<NonNullable<Pod['metadata']>, 'namespace' | 'name'> };
  readonly container?: string;
}

/** The pod, service or node whose server the client wants to reach. */
export interface ProxyTarget {
  readonly type: 'podproxy' | 'nodeproxy' | 'serviceproxy';
  readonly namespace: string;
  /** `name`, `name:port` or `scheme:name:port`. */
  readonly name: string;
}

export interface NodeProxyOptions {
  readonly connections: NodeConnections;
  readonly objects: ServerObjects;
  readonly random: Random;
  readonly clock: Clock;
}

const PODS: GroupResource = { group: '', resource: 'pods' };

/** Forwards clients' requests about containers (logs, exec, attach, port-forward, proxy) to the nodes that run them. */
export class NodeProxy {
  readonly #connections: NodeConnections;
  readonly #locations: ProxyLocations;
  readonly #clock: Clock;

  constructor({ connections, objects, random, clock }: NodeProxyOptions) {
    this.#connections = connections;
    this.#locations = new ProxyLocations(objects, random, connections);
    this.#clock = clock;
  }

  async connect(target: PodTarget | ProxyTarget, call: Call): Promise<ConnectionAnswer> {
    if (!('pod' in target)) return passProxied(call, await this.#proxied(target, call));
    const { type, node, pod, container = '' } = target;
    const { namespace = '', name = '' } = pod.metadata;
    const place: ContainerPlace = { namespace, pod: name, container };
    const client = await this.#connections.to(node);
    if (type === 'log') return this.#log(client, logPath(place, call.request), call);
    if (!call.request.isUpgrade) throw badRequest('Upgrade request required');
    const clock = this.#clock;
    if (type === 'portforward') {
      const path = portsPath(place, call.request);
      return isTunnel(call.request) ? tunnelPorts(call, { client, path, clock }) : passUpgrade(call, client, path);
    }
    const path = commandPath(type, place, call.request);
    return isTranslatable(call.request)
      ? translateCommand(call, { client, path, clock })
      : passUpgrade(call, client, path);
  }

  async #proxied(target: ProxyTarget, call: Call): Promise<ProxiedServer> {
    if (target.type === 'nodeproxy') {
      const asked = readProxyName(target.name);
      if (asked === undefined) throw badRequest(`invalid node request ${JSON.stringify(target.name)}`);
      return this.#connections.toProxied(asked);
    }
    const isPod = target.type === 'podproxy';
    const location = isPod ? await this.#locations.ofPod(target) : await this.#locations.ofService(target);
    return this.#connections.toPod(location, (leave) => call.record.onFinish(leave));
  }

  async #log(client: HttpClient, path: string, call: Call): Promise<ConnectionAnswer> {
    const { info, request } = call;
    const { signal } = request;
    let answer: HttpExchange;
    try {
      answer = await client.request({ method: 'GET', path, headers: {}, signal });
    } catch (error) {
      throw new StatusError({ code: 500, message: `Get "${client.origin}${path}": ${transportErrorText(error)}` });
    }
    const { status } = answer;
    const chunks = joinedChunks(answer.chunks);
    if (status === 200 && request.isUpgrade && wantsWebSocket((name) => request.header(name)))
      return webSocketLog(call, { ...answer, chunks }, this.#clock);
    if (status === 200) return { type: 'stream', code: 200, headers: { 'content-type': 'text/plain' }, body: chunks };
    const text = await cutText(answer.chunks, MAX_REFUSAL_BYTES);
    if (status === 400) throw badRequest(text);
    if (status === 404) {
      const message = 'the server could not find the requested resource';
      throw new StatusError({
        code: 404,
        reason: 'NotFound',
        message,
        details: { name: info.name, kind: PODS.resource },
      });
    }
    throw internalError(new Error(text));
  }
}

/** Passes the bytes between client and node, in the protocol that the two negotiate. */
async function passUpgrade(call: Call, client: HttpClient, path: string): Promise<ConnectionAnswer> {
  const headers = upgradeHeaders(call.request);
  const { method, signal } = call.request;
  let answer: Awaited<ReturnType<HttpClient['upgrade']>>;
  try {
    answer = await client.upgrade({ method, path, headers, signal });
  } catch (error) {
    throw new StatusError({ code: 500, message: `error dialing backend: ${transportErrorText(error)}` });
  }
  if (!('socket' in answer)) {
    const body = await cutText(answer.chunks, MAX_REFUSAL_BYTES);
    return { type: 'bytes', code: answer.status, contentType: 'text/plain; charset=utf-8', body };
  }
  const { socket } = answer;
  return {
    type: 'upgrade',
    headers: textHeaders(answer.headers),
    takeOver: (connection) => joinConnections(connection, socket),
  };
}

/** The headers with which client and node negotiate a protocol. */
const NEGOTIATION_HEADERS = new Set([
  'upgrade',
  'x-stream-protocol-version',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'origin',
]);

function upgradeHeaders(request: RequestHeaders): Record<string, string> {
  const kept = request.headerNames().filter((name) => NEGOTIATION_HEADERS.has(name));
  return { connection: 'Upgrade', ...Object.fromEntries(kept.map((name) => [name, request.header(name) ?? ''])) };
}

function textHeaders(headers: ResponseHeaders): Record<string, string> {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return Object.fromEntries(texts);
}
