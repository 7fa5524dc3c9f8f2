import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { badRequest, notFound, StatusError } from '../../../api/client.ts';
import { type Logger, messageOf } from '../../../base/index.ts';
import { joinPort, PORT_PROTOCOL } from '../../../wire/remote-command/index.ts';
import { WebSocketConnection } from '../../../wire/websocket/index.ts';
import type { PodForward, PodForwardWish } from '../../protocol.ts';
import type { Viewer } from '../viewer.ts';

/** Ports that are open at once. */
const MAX_FORWARDS = 16;
/** Connections through one of them. */
const MAX_CONNECTIONS = 64;
const LOOPBACK = '127.0.0.1';

interface Opened extends Required<PodForwardWish> {
  readonly server: Server;
  readonly sockets: Set<Socket>;
  readonly ending: AbortController;
  problem: string | undefined;
}

/** Ports of this machine that lead to pods, each on loopback and opened by the viewer; as `kubectl port-forward` opens them. */
export class PodForwards implements AsyncDisposable {
  readonly #viewer: Viewer;
  readonly #log: Logger;
  readonly #opened = new Map<string, Opened>();
  #count = 0;

  constructor(viewer: Viewer, log: Logger) {
    this.#viewer = viewer;
    this.#log = log;
  }

  list(): readonly PodForward[] {
    return [...this.#opened].map(([id, { namespace, pod, port, localPort, sockets, problem }]) => ({
      id,
      namespace,
      pod,
      port,
      localPort,
      connections: sockets.size,
      ...(problem === undefined ? {} : { problem }),
    }));
  }

  /** Opens a port. Throws StatusErrors: the pod does not run, the port is taken, too many are open. */
  async open({ namespace, pod, port, localPort = 0 }: PodForwardWish, signal: AbortSignal): Promise<PodForward> {
    if (this.#opened.size >= MAX_FORWARDS) throw tooMany();
    const { status } = await this.#viewer.client.core.v1.pods.namespace(namespace).get(pod, { signal });
    if (status?.phase !== 'Running') throw badRequest(`pod "${pod}" does not run: it is ${status?.phase ?? 'Pending'}`);
    const server = createServer({ allowHalfOpen: true });
    server.maxConnections = MAX_CONNECTIONS;
    await listen(server, localPort);
    const opened: Opened = {
      namespace,
      pod,
      port,
      localPort: (server.address() as AddressInfo).port,
      server,
      sockets: new Set(),
      ending: new AbortController(),
      problem: undefined,
    };
    server.on('connection', (socket) => void this.#join(socket, opened));
    const id = String(++this.#count);
    this.#opened.set(id, opened);
    const found = this.list().find((each) => each.id === id);
    if (found === undefined) throw notFound({ group: '', resource: 'forwards' }, id);
    return found;
  }

  /** Closes a port and its connections. */
  async close(id: string): Promise<void> {
    const opened = this.#opened.get(id);
    if (opened === undefined) throw notFound({ group: '', resource: 'forwards' }, id);
    this.#opened.delete(id);
    await end(opened);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#opened.keys()].map((id) => this.close(id)));
  }

  async #join(socket: Socket, opened: Opened): Promise<void> {
    const { sockets, namespace, pod, port, ending } = opened;
    socket.on('error', () => undefined);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    try {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward?ports=${port}`;
      const answer = await this.#viewer.openWebSocket(path, { protocols: [PORT_PROTOCOL], signal: ending.signal });
      opened.problem =
        answer instanceof WebSocketConnection
          ? await joinPort(socket, answer)
          : `the API server has answered ${answer.status}`;
    } catch (error) {
      if (!ending.signal.aborted) opened.problem = messageOf(error);
    }
    if (opened.problem !== undefined) this.#log.debug('a forwarded port failed', { pod, port, error: opened.problem });
    socket.destroy();
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen({ host: LOOPBACK, port });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message =
      code === 'EADDRINUSE' || code === 'EACCES'
        ? `port ${port} of this machine is taken, or reserved`
        : messageOf(cause);
    throw new StatusError({ code: 409, reason: 'Conflict', message }, { cause });
  }
}

async function end({ server, sockets, ending }: Opened): Promise<void> {
  ending.abort(new Error('the port was closed'));
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}

function tooMany(): StatusError {
  const message = `${MAX_FORWARDS} ports are open already: close one of them first`;
  return new StatusError({ code: 429, reason: 'TooManyRequests', message });
}
