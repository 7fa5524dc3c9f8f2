import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load, type LoadOptions } from './load.ts';
import { type Bench, P99, type Part, SERVER_CPU } from './part.ts';
import type { ServerUnderTest } from './server-under-test.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const LISTED = 5000;
const CONNECTIONS = [1, 16, 256];
const WARM_UP_REQUESTS = 8000;

/** Requests of one kind by h2load: one at a time on several connections, and many at once on one. */
function requestPart(name: string, measure: (server: ServerUnderTest, bench: Bench) => Promise<void>): Part {
  return { name, title: 'Requests by h2load', needs: 'h2load', on: 'the server of the round', measure };
}

export const create = requestPart('create', async (server, bench) => {
  const request = await createRequest(server, bench.folder);
  const what = 'durable create, the first ones of a server';
  await measureLoad({ server, bench, what }, { ...request, connections: 1, requests: 1500 });
  await warmUp(request, bench);
  for (const connections of CONNECTIONS) {
    const requests = connections === 1 ? 1500 : 4000;
    await measureLoad({ server, bench, what: 'durable create', times: 3 }, { ...request, connections, requests });
  }
  const multiplexed = { ...request, connections: 1, streams: 16, requests: 6000 };
  await measureLoad({ server, bench, what: 'durable create', times: 5 }, multiplexed);
});

export const get = requestPart('get', async (server, bench) => {
  const url = `${server.url}/api/v1/namespaces/default`;
  await warmUp({ url }, bench);
  for (const connections of CONNECTIONS) {
    const requests = connections === 1 ? 4000 : 12_000;
    await measureLoad({ server, bench, what: 'get', times: 4 }, { url, connections, requests });
  }
  await measureLoad({ server, bench, what: 'get', times: 4 }, { url, connections: 1, streams: 16, requests: 16_000 });
});

export const patch = requestPart('patch', async (server, bench) => {
  const bodyFile = join(bench.folder, 'patch.json');
  await writeFile(bodyFile, JSON.stringify({ metadata: { labels: { touched: 'yes' } } }));
  const url = `${server.url}/api/v1/namespaces/default`;
  const request = { url, method: 'PATCH', bodyFile, contentType: 'application/merge-patch+json' };
  const what = 'patch that changes nothing';
  await measureLoad({ server, bench, what }, { ...request, connections: 16, requests: 4000 });
});

export const list = requestPart('list', async (server, bench) => {
  await fill(server, { folder: bench.folder, objects: LISTED });
  const url = `${server.url}${CONFIG_MAPS}?limit=${LISTED}`;
  const what = 'list of 5,000 objects (about 5 MiB)';
  await measureLoad({ server, bench, what, times: 5 }, { url, connections: 2, requests: 60 });
});

/** Requests that are not measured: a server that has run for a while has its code compiled and its caches filled. */
async function warmUp(request: Pick<LoadOptions, 'url'>, { scale }: Bench): Promise<void> {
  await load({ ...request, connections: 1, streams: 16, requests: Math.ceil(WARM_UP_REQUESTS * scale) });
}

/** Makes ConfigMaps of about 1 KB, as stored, in the default namespace. */
export async function fill(
  server: ServerUnderTest,
  { folder, objects }: { readonly folder: string; readonly objects: number },
): Promise<void> {
  const request = await createRequest(server, folder);
  await load({ ...request, requests: objects, connections: 8, streams: 16 });
}

type CreateRequest = Pick<LoadOptions, 'url' | 'bodyFile' | 'contentType'>;

async function createRequest({ url }: ServerUnderTest, folder: string): Promise<CreateRequest> {
  const bodyFile = join(folder, 'configmap.json');
  const object = { metadata: { generateName: 'load-', labels: { app: 'load' } }, data: { text: 'x'.repeat(600) } };
  await writeFile(bodyFile, JSON.stringify(object));
  return { url: `${url}${CONFIG_MAPS}`, bodyFile, contentType: 'application/json' };
}

interface Measured {
  readonly server: ServerUnderTest;
  readonly bench: Bench;
  readonly what: string;
  /** How many times better than the peer it is to be. */
  readonly times?: number;
}

async function measureLoad({ server, bench, what, times }: Measured, options: LoadOptions): Promise<void> {
  const { connections, streams = 1 } = options;
  const place = `${connections} connection${connections === 1 ? '' : 's'}${streams === 1 ? '' : ` × ${streams} streams`}`;
  const requests = Math.max(connections, Math.round(options.requests * bench.scale));
  const before = server.cpuMs();
  const { perSecond, p99Ms } = await load({ ...options, requests });
  const cpuUs = ((server.cpuMs() - before) * 1000) / requests;
  const aim = times === undefined ? undefined : { times };
  const measure = { name: `${what}, ${place}`, unit: '1/s', better: 'higher', aim } as const;
  bench.add(measure, perSecond, { [P99]: p99Ms, [SERVER_CPU]: cpuUs });
}
