import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pod } from '../../../src/client/index.ts';
import { type ExtenderCase, extenderCases, type SentArgs, TIMEOUT_MS } from './cases.ts';

/** What was asked of an extender. */
export interface Asked {
  readonly verb: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly args: SentArgs;
}

/** All extenders behind one port, with what they have been asked. */
export class ExtenderServer implements AsyncDisposable {
  readonly asked = new Map<string, Asked[]>();
  readonly #cases: readonly ExtenderCase[];
  readonly #server: Server;
  readonly #waiting = new Map<string, () => void>();

  constructor(cases: readonly ExtenderCase[]) {
    this.#cases = cases;
    this.#server = createServer((request, response) => {
      const [, index = '', verb = ''] = (request.url ?? '').split('/');
      const extender = cases[Number(index)];
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (extender === undefined) return void response.writeHead(404).end();
        const args = JSON.parse(Buffer.concat(chunks).toString()) as SentArgs;
        const { 'content-type': type, accept } = request.headers;
        this.asked.set(extender.name, [
          ...(this.asked.get(extender.name) ?? []),
          { verb, headers: { type, accept }, args },
        ]);
        this.#waiting.get(extender.name)?.();
        extender.answers[verb]?.(response, args);
      });
    });
  }

  static async start(cases: readonly ExtenderCase[] = extenderCases): Promise<ExtenderServer> {
    const started = new ExtenderServer(cases);
    started.#server.listen(0, '127.0.0.1');
    await once(started.#server, 'listening');
    return started;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when the extender has been asked something. */
  whenAsked(name: string): Promise<void> {
    if (this.asked.has(name)) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.set(name, resolve));
  }

  /** The configuration of a scheduler with all extenders. */
  configuration(more: object = {}): object {
    return {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      leaderElection: { leaderElect: false },
      extenders: this.#cases.map(({ configuration, url }, index) => ({
        urlPrefix: (url ?? `http://127.0.0.1:PORT/${index}`).replace('PORT', String(this.port)),
        httpTimeout: `${TIMEOUT_MS}ms`,
        managedResources: [{ name: resourceOf(index), ignoredByScheduler: true }],
        ...configuration,
      })),
      ...more,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export function resourceOf(index: number): string {
  return `extenders.test/case-${index}`;
}

export function podNameOf(index: number): string {
  return `case-${index}`;
}

/** A pod that the extender has a say about. */
export function podOf(index: number): Pod {
  const requests = { [resourceOf(index)]: '1' };
  const containers = [{ name: 'main', image: 'image', resources: { requests, limits: requests } }];
  return { metadata: { name: podNameOf(index) }, spec: { containers } };
}

/** A message without what differs from run to run. */
export function steady(message: string, port: number): string {
  return message.replaceAll(`:${port}`, ':PORT').replaceAll(/127\.0\.0\.1:\d+->/g, '127.0.0.1:LOCAL->');
}

/** Kept of what was asked: the shape of it, and names. */
export function shapeOf({ verb, args }: Asked): unknown {
  const { Pod, Nodes, NodeNames, ...others } = args;
  return {
    verb,
    keys: Object.keys(args),
    pod: Pod === undefined ? undefined : { keys: Object.keys(Pod).sort(), name: Pod.metadata.name },
    nodes:
      Nodes === null || Nodes === undefined
        ? Nodes
        : {
            keys: Object.keys(Nodes).sort(),
            names: Nodes.items.map(({ metadata }) => metadata.name).sort(),
            members: Object.keys(Nodes.items[0] ?? {}).sort(),
          },
    names: NodeNames === null || NodeNames === undefined ? NodeNames : [...NodeNames].sort(),
    ...others,
  };
}
