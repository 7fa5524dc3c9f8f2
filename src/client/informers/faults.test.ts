// The guarantees of informers under injected faults: in the end the cache equals the server's state, and no handler has
// missed a change or received one twice.
import { describe, expect, test } from 'vitest';
import { clone, type JsonValue, RealClock, SeededRandom, VirtualClock } from '../../base/index.ts';
import { skipWhen } from '../../base/testing/requires.ts';
import type { ConfigMap as ConfigMapType } from '../../api/types/core/v1.d.ts';
import { Client } from '../client.ts';
import { findConnection } from '../connect.ts';
import { type FaultRates, FaultyTransport, unreliableNetwork } from '../faults/index.ts';
import { ConfigMap } from '../generated/kinds.ts';
import { HttpTransport } from '../http/index.ts';
import type { Observed } from '../kind.ts';
import type { Transport } from '../transport.ts';
import { TestCluster } from '../testing/test-cluster.ts';
import { InformerFactory, type InformerFactoryOptions } from './informer-factory.ts';
import type { SharedInformer } from './shared-informer.ts';
import { BusyWriter } from './testing/busy-writer.ts';
import { Ledger } from './testing/ledger.ts';

interface Trial {
  /** Reaches the server without faults. */
  readonly healthy: Client;
  readonly faulty: FaultyTransport;
  readonly client: Client;
  readonly random: SeededRandom;
  /** Lets time pass. */
  readonly pass: (ms: number) => Promise<void>;
  readonly namespace: string;
  /** How long a slow handler takes at most; default 3 s. */
  readonly slowMs?: number;
  readonly options?: InformerFactoryOptions;
}

interface Outcome {
  readonly ledgers: readonly Ledger[];
  readonly writer: BusyWriter;
  readonly informer: SharedInformer<ConfigMapType>;
  readonly server: readonly Observed<ConfigMapType>[];
}

/** Writes for a while under faults, then heals the network and waits until the informers have caught up. */
async function run(trial: Trial, writes: number): Promise<Outcome> {
  const { healthy, faulty, client, random, pass, namespace } = trial;
  const configMaps = healthy.core.v1.configmaps.namespace(namespace);
  const writer = new BusyWriter(configMaps, random);
  const factory = new InformerFactory(client, trial.options);
  const informer = factory.informer(ConfigMap, { namespace });
  const ledgers = [new Ledger(), new Ledger(), new Ledger()];
  informer.addHandler(ledgers[0] as Ledger);
  informer.addHandler(slowed(ledgers[1] as Ledger, trial), { capacity: 10_000 });
  const stop = new AbortController();
  const running = factory.run(stop.signal);
  while (!informer.hasSynced) await pass(1000);
  for (let count = 0; count < writes; count++) {
    await writer.write();
    await pass(random.int(4000));
    if (count === Math.floor(writes / 2)) informer.addHandler(ledgers[2] as Ledger);
  }
  faulty.change();
  const server = (await configMaps.list()).items;
  for (let round = 0; round < 1000 && !isCaughtUp(informer, ledgers, server); round++) await pass(10_000);
  stop.abort();
  await running;
  return { ledgers, writer, informer, server };
}

function isCaughtUp(
  informer: SharedInformer<ConfigMapType>,
  ledgers: readonly Ledger[],
  server: readonly Observed<ConfigMapType>[],
): boolean {
  const wanted = stateOf(server);
  return [stateOf(informer.cache.list()), ...ledgers.map(({ state }) => state)].every(
    (state) => state.size === wanted.size && [...wanted].every(([name, version]) => state.get(name) === version),
  );
}

function stateOf(objects: readonly Observed<ConfigMapType>[]): Map<string, string> {
  return new Map(objects.map(({ metadata }) => [metadata.name, `${metadata.uid}@${metadata.resourceVersion}`]));
}

/** The same handler, slowed down. */
function slowed(ledger: Ledger, { random, healthy, slowMs = 3000 }: Trial): Ledger {
  const pause = async (): Promise<void> => {
    if (random.float() < 0.2) await healthy.clock.sleep(random.int(slowMs));
  };
  return Object.assign(Object.create(ledger) as Ledger, {
    add: (...parts: Parameters<Ledger['add']>) => pause().then(() => ledger.add(...parts)),
    update: (...parts: Parameters<Ledger['update']>) => pause().then(() => ledger.update(...parts)),
    delete: (...parts: Parameters<Ledger['delete']>) => pause().then(() => ledger.delete(...parts)),
  });
}

function withoutManagedFields(objects: readonly Observed<ConfigMapType>[]): unknown[] {
  return objects
    .map((object) => clone(object) as unknown as { metadata: { name: string; managedFields?: JsonValue } })
    .map((object) => ({ ...object, metadata: { ...object.metadata, managedFields: undefined } }))
    .sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
}

function check({ ledgers, informer, server }: Outcome): void {
  for (const ledger of ledgers) {
    expect(ledger.problems).toEqual([]);
    expect(ledger.state).toEqual(stateOf(server));
  }
  expect(withoutManagedFields(informer.cache.list())).toEqual(withoutManagedFields(server));
}

/** The server gives no resourceVersion for deletions, so these are compared by uid. */
function comparable(history: ReadonlyMap<string, readonly string[]>): object {
  return Object.fromEntries(
    [...history]
      .map(([name, lines]) => [name, lines.map((line) => (line.startsWith('delete') ? line.split('@')[0] : line))])
      .sort(),
  );
}

async function inProcess(
  seed: string,
  rates: FaultRates,
  options: InformerFactoryOptions = {},
): Promise<Trial & { cluster: TestCluster }> {
  const clock = new VirtualClock();
  const cluster = await TestCluster.start({ clock, seed });
  const random = new SeededRandom(seed);
  const faulty = new FaultyTransport(cluster.transport('in process'), { clock, random, rates });
  const healthy = cluster.client();
  await healthy.core.v1.namespaces.create({ metadata: { name: 'trial' } });
  const pass = (ms: number): Promise<void> => clock.advance(ms);
  return { cluster, healthy, faulty, client: cluster.clientOver(faulty), random, pass, namespace: 'trial', options };
}

describe('in one process, in virtual time', () => {
  const struck = new Map<string, number>();

  test.each(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])('every kind of fault, seed %s', async (seed) => {
    const trial = await inProcess(seed, unreliableNetwork, { isStreaming: seed > 'd' });
    await using _cluster = trial.cluster;

    check(await run(trial, 800));

    for (const [fault, count] of trial.faulty.faults) struck.set(fault, (struck.get(fault) ?? 0) + count);
  });

  test('every kind of fault was injected', () => {
    expect([...struck.keys()].sort()).toEqual(Object.keys(unreliableNetwork).sort());
    expect([...struck.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(1000);
  });

  test.each(['i', 'j', 'k', 'l'])(
    'without expired watches every handler receives every single change, seed %s',
    async (seed) => {
      const mild: FaultRates = {
        ...unreliableNetwork,
        expired: 0,
        silence: 0,
        drop: 0.03,
        loseAnswer: 0.03,
        internalError: 0.03,
        tooManyRequests: 0.03,
      };
      const trial = await inProcess(seed, mild);
      await using _cluster = trial.cluster;

      const outcome = await run(trial, 400);

      check(outcome);
      expect(outcome.informer.health.fetches).toBe(1);
      const [first, slow] = outcome.ledgers;
      expect(comparable(first?.history ?? new Map())).toEqual(comparable(outcome.writer.history));
      expect(comparable(slow?.history ?? new Map())).toEqual(comparable(outcome.writer.history));
    },
  );
});

describe.each(['https', 'http/1.1'] as const)('over %s, in virtual time', (type) => {
  test('every kind of fault', async () => {
    const clock = new VirtualClock();
    await using cluster = await TestCluster.start({ clock, seed: type });
    const random = new SeededRandom(type);
    const faulty = new FaultyTransport(cluster.transport(type), { clock, random });
    const healthy = cluster.client(type);
    await healthy.core.v1.namespaces.create({ metadata: { name: 'trial' } });

    const pass = (ms: number): Promise<void> => clock.advance(ms);
    check(await run({ healthy, faulty, client: cluster.clientOver(faulty), random, pass, namespace: 'trial' }, 400));
  });
});

/** The kubeconfig of a real Kubernetes to run the same test against. */
const peer = process.env['KEELSON_PEER_KUBECONFIG'];

describe('against another Kubernetes', skipWhen(peer === undefined, 'KEELSON_PEER_KUBECONFIG is not set'), () => {
  test('every kind of fault', async () => {
    const clock = new RealClock();
    const random = new SeededRandom('peer');
    const connection = await findConnection({ kubeconfig: peer });
    await using transport: Transport = new HttpTransport(connection);
    const healthy = new Client(transport);
    const faulty = new FaultyTransport(new HttpTransport(connection), { clock, random, maxDelay: 50 });
    await using client = new Client(faulty, { clock });
    const namespace = `keelson-${Math.floor(clock.now())}`;
    await healthy.core.v1.namespaces.create({ metadata: { name: namespace } });
    try {
      const options = { maxQuietTime: 500, retries: { initialDelay: 5, maxDelay: 100 } };
      const pass = (ms: number): Promise<void> => clock.sleep(Math.min(ms, 20));
      check(await run({ healthy, faulty, client, random, pass, namespace, options, slowMs: 20 }, 600));
    } finally {
      await healthy.core.v1.namespaces.delete(namespace);
    }
  });
});
