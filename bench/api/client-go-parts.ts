import { ClientGoLoad, type Stage } from './client-go.ts';
import { type Bench, CLIENT_CPU, P99, type Part, SERVER_CPU } from './part.ts';
import type { ServerUnderTest } from './server-under-test.ts';

interface Rate {
  readonly perSecond: number;
  readonly p99Ms: number;
}

interface Delivery {
  readonly untilAllMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Requests by 1, 4, 16 and 64 clients: about a second of a real kube-apiserver's time on two cores. */
const VERBS = [
  { verb: 'get', times: 4, requests: [1200, 2000, 2000, 2000] },
  { verb: 'create', times: 5, requests: [800, 1000, 1200, 1200] },
  { verb: 'update', times: undefined, requests: [600, 800, 1000, 1000] },
  { verb: 'list', times: 5, requests: [60, 80, 80, 100] },
] as const;
const CLIENTS = [1, 4, 16, 64] as const;
const STREAMS = 4;
const P50 = 'p50, ms';
const DELIVERY_P99 = 'delivery p99, ms';

/** Microseconds for each request or delivery, of the server and of the clients. */
function perOne({ serverCpuMs, clientCpuMs }: Omit<Stage<unknown>, 'result'>, count: number): Record<string, number> {
  return { [SERVER_CPU]: (serverCpuMs * 1000) / count, [CLIENT_CPU]: (clientCpuMs * 1000) / count };
}

export const clientGo: Part = {
  name: 'client-go',
  title: 'Requests by client-go',
  needs: 'client-go',
  on: 'the server of the round',
  async measure(server, bench) {
    for (const { verb, times, requests } of VERBS)
      for (const encoding of ['protobuf', 'json'] as const)
        for (const [index, clients] of CLIENTS.entries()) {
          const count = Math.ceil((requests[index] ?? 0) * bench.scale);
          const flags = { verb, encoding, clients, streams: STREAMS, requests: count };
          const what = verb === 'list' ? 'list of 500 objects' : verb;
          const name = `${what}, ${encoding === 'json' ? 'JSON' : encoding}, ${clients} client${clients === 1 ? '' : 's'}`;
          const aim = times === undefined ? undefined : { times };
          await using load = await ClientGoLoad.prepare(server, 'requests', { folder: bench.folder, flags });
          const { result, ...used } = await load.next<Rate>();
          bench.add({ name, unit: '1/s', better: 'higher', aim }, result.perSecond, {
            [P99]: result.p99Ms,
            ...perOne(used, count),
          });
        }
  },
};

export const informers: Part = {
  name: 'informers',
  title: 'Events to informers',
  needs: 'client-go',
  on: 'the server of the round',
  async measure(server, bench) {
    const connections = Math.ceil(1000 * Math.min(1, bench.scale * 4));
    await inform(server, bench, { clients: Math.ceil(connections / 20), watches: 20 });
    await inform(server, bench, { clients: connections, watches: 1 });
  },
};

async function inform(
  server: ServerUnderTest,
  bench: Bench,
  { clients, watches }: { readonly clients: number; readonly watches: number },
): Promise<void> {
  const burst = Math.max(10, Math.ceil(10 * bench.scale) * 10);
  const singles = Math.ceil(20 * bench.scale);
  const flags = { clients, watches, burst, singles };
  await using load = await ClientGoLoad.prepare(server, 'informers', { folder: bench.folder, flags });
  const place = `${clients.toLocaleString('en')} connections × ${watches} watch${watches === 1 ? '' : 'es'}`;
  for (const [events, what] of [
    [burst, `${burst} updates`],
    [singles, 'one update'],
  ] as const) {
    const { result, ...used } = await load.next<Delivery>();
    const deliveries = events * clients * watches;
    const measure = {
      name: `${what} until all have it, ${place}`,
      unit: 'ms',
      better: 'lower',
      aim: { times: 3 },
    } as const;
    bench.add(measure, result.untilAllMs, {
      [P50]: result.p50Ms,
      [P99]: result.p99Ms,
      ...perOne(used, deliveries),
    });
  }
}

export const mixed: Part = {
  name: 'mixed',
  title: 'Mixed',
  needs: 'client-go',
  on: 'the server of the round',
  async measure(server, bench) {
    const requests = Math.ceil(4000 * bench.scale);
    const flags = { clients: 16, streams: STREAMS, watches: 200, requests };
    await using load = await ClientGoLoad.prepare(server, 'mixed', { folder: bench.folder, flags });
    const { result, ...used } = await load.next<Rate & { readonly deliveryP99Ms: number }>();
    const name = '80 % gets, 10 % updates, 5 % creates, 5 % lists with a selector, beside 200 informers';
    bench.add({ name, unit: '1/s', better: 'higher' }, result.perSecond, {
      [P99]: result.p99Ms,
      [DELIVERY_P99]: result.deliveryP99Ms,
      ...perOne(used, requests),
    });
  },
};
