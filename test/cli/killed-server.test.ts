import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningServer, startKeelson } from '../../peers/index.ts';
import { type Client, connect, type KubernetesObject, namespacedKind } from '../../src/client/index.ts';
import { BundledCommand } from '../support/bundled-command.ts';

const OBJECTS = 40;
const WRITERS = 4;

interface Cache extends KubernetesObject {
  readonly spec?: { readonly size?: number; readonly policy?: string };
  readonly status?: { readonly phase?: string };
}

const Cache = namespacedKind<Cache>({ apiVersion: 'example.dev/v1', kind: 'Cache', plural: 'caches' });

const definition = {
  metadata: { name: 'caches.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'caches', kind: 'Cache' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { size: { type: 'integer', minimum: 0 }, policy: { type: 'string', default: 'LRU' } },
              },
              status: { type: 'object', properties: { phase: { type: 'string' } }, default: { phase: 'New' } },
            },
          },
        },
      },
    ],
  },
};

let keelson: BundledCommand;
beforeAll(async () => {
  keelson = await BundledCommand.make();
});
afterAll(() => keelson[Symbol.asyncDispose]());

test('definitions and their objects are served again after kill -9 under load', async () => {
  const data = join(keelson.folder, 'data');
  const acknowledged = new Map<string, number>();
  {
    await using server = await start(data);
    await using client = await connect({ kubeconfig: server.kubeconfig });
    await define(client);
    const killed = killWhen(server, () => acknowledged.size >= OBJECTS);
    await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => writeUntilKilled(client, `w${writer}`, { acknowledged, killed })),
    );
    await killed.ended;
  }

  await using server = await start(data);
  await using client = await connect({ kubeconfig: server.kubeconfig });
  const caches = client.kind(Cache).namespace('default');
  const { status } = await client.apiextensions.v1.customresourcedefinitions.get(definition.metadata.name);
  expect(status?.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
    'NamesAccepted=True',
    'Established=True',
  ]);
  const { items } = await caches.list();
  const found = new Map(items.map(({ metadata, spec }) => [metadata.name, spec?.size]));
  expect(acknowledged.size).toBeGreaterThanOrEqual(OBJECTS);
  expect([...acknowledged].filter(([name, size]) => found.get(name) !== size)).toEqual([]);
  expect(new Set(items.map(({ spec, status: is }) => `${spec?.policy} ${is?.phase}`))).toEqual(new Set(['LRU New']));
  await expect(caches.create({ metadata: { name: 'bad' }, spec: { size: -1 } })).rejects.toThrow('spec.size');
  expect((await caches.create({ metadata: { name: 'more' }, spec: { size: 1 } })).spec?.policy).toBe('LRU');
});

function start(data: string): Promise<RunningServer> {
  return startKeelson({
    bundle: keelson.path,
    folder: data,
    flags: ['--controllers=false', '--scheduler=false', '--nodes=0'],
  });
}

/** Resolves once the kind is served. */
async function define(client: Client): Promise<void> {
  const definitions = client.apiextensions.v1.customresourcedefinitions;
  const { metadata } = await definitions.create(definition);
  for await (const event of definitions.watch({ resourceVersion: metadata.resourceVersion, timeoutSeconds: 60 })) {
    if (event.type === 'BOOKMARK') continue;
    const { conditions = [] } = event.object.status ?? {};
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return;
  }
  throw new Error('The definition was never established');
}

interface Killed {
  /** To be called after each acknowledged write: kills the server when enough have been. */
  check(): void;
  readonly isDone: boolean;
  readonly ended: Promise<void>;
}

function killWhen({ daemons }: RunningServer, isTime: () => boolean): Killed {
  const [daemon] = daemons;
  if (daemon === undefined) throw new Error('There is no process to kill');
  let isDone = false;
  return {
    ended: daemon.ended,
    get isDone() {
      return isDone;
    },
    check(): void {
      if (isDone || !isTime()) return;
      isDone = true;
      process.kill(daemon.pid, 'SIGKILL');
    },
  };
}

async function writeUntilKilled(
  client: Client,
  writer: string,
  { acknowledged, killed }: { readonly acknowledged: Map<string, number>; readonly killed: Killed },
): Promise<void> {
  const caches = client.kind(Cache).namespace('default');
  for (let size = 0; !killed.isDone; size += 1) {
    const name = `${writer}-${size}`;
    try {
      await caches.create({ metadata: { name }, spec: { size } });
    } catch (error) {
      if (killed.isDone) return; // it was on its way, and may be stored or not
      throw error;
    }
    acknowledged.set(name, size);
    killed.check();
  }
}
