import { describe, expect, onTestFinished, test } from 'vitest';
import { aborted, type Duration, settle, type VirtualClock } from '../../base/index.ts';
import type { Client, Stored, Lease } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { app, type AppOptions, LeadershipLostError } from '../index.ts';
import { CutTransport } from '../testing/cut-transport.ts';

interface Candidate {
  readonly transport: CutTransport;
  readonly stop: AbortController;
  readonly running: Promise<void>;
  /** What the work has logged. */
  readonly log: string[];
}

class Cluster {
  readonly cluster: TestCluster;
  readonly client: Client;
  readonly #candidates: Candidate[] = [];

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.client = cluster.client();
  }

  static async start(): Promise<Cluster> {
    const started = new Cluster(await TestCluster.start());
    onTestFinished(async () => {
      for (const { stop, transport, running } of started.#candidates) {
        transport.state = 'whole';
        stop.abort();
        await running;
      }
      await started.cluster[Symbol.asyncDispose]();
    });
    return started;
  }

  async candidate(
    identity: string,
    options: AppOptions & { readonly finishing?: Promise<void> } = {},
  ): Promise<Candidate> {
    const transport = new CutTransport(this.cluster.transport('in process'));
    const log: string[] = [];
    const work = {
      name: 'work',
      prepare: () => ({
        isIdle: true,
        async run(signal: AbortSignal) {
          log.push('begins');
          await aborted(signal);
          log.push(signal.reason instanceof LeadershipLostError ? 'loses the lead' : 'stops');
          await options.finishing;
          log.push('ends');
        },
      }),
    };
    const stop = new AbortController();
    const leaderElection = { identity, name: 'lock' };
    const made = app('test-app', [work], { leaderElection, ...options });
    const running = made.run(this.cluster.clientOver(transport), stop.signal);
    const candidate = { transport, stop, running, log };
    this.#candidates.push(candidate);
    await settle();
    return candidate;
  }

  advance(duration: Duration): Promise<void> {
    return (this.cluster.clock as VirtualClock).advance(duration);
  }

  lease(): Promise<Stored<Lease>> {
    return this.client.coordination.v1.leases.namespace('default').get('lock');
  }
}

describe('leader election', () => {
  test('lets one candidate work, and writes the Lease as Kubernetes does', async () => {
    const cluster = await Cluster.start();
    const first = await cluster.candidate('one');
    const second = await cluster.candidate('two');
    await cluster.advance('1m');

    expect(first.log).toEqual(['begins']);
    expect(second.log).toEqual([]);
    const lease = await cluster.lease();
    expect(lease.spec).toEqual({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    });
    const events = (await cluster.client.core.v1.events.namespace('default').list()).items;
    expect(events).toMatchObject([
      {
        reason: 'LeaderElection',
        message: 'one became leader',
        type: 'Normal',
        source: { component: 'test-app' },
        involvedObject: { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', name: 'lock', uid: lease.metadata.uid },
      },
    ]);
  });

  test('releases the lease at the end, so that another candidate takes over at once', async () => {
    const cluster = await Cluster.start();
    const first = await cluster.candidate('one');
    const second = await cluster.candidate('two');
    first.stop.abort();
    await first.running;
    expect(first.log).toEqual(['begins', 'stops', 'ends']);
    expect((await cluster.lease()).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });

    await cluster.advance('5s');
    expect(second.log).toEqual(['begins']);
    expect((await cluster.lease()).spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  test.each(['cut', 'silent'] as const)(
    'ends the work before another can lead when the connection is %s, and waits again',
    async (state) => {
      const cluster = await Cluster.start();
      const first = await cluster.candidate('one');
      const second = await cluster.candidate('two');
      await cluster.advance('10s');
      first.transport.state = state;
      await cluster.advance('12s');
      expect(first.log).toEqual(['begins', 'loses the lead', 'ends']);
      expect(second.log).toEqual([]);

      await cluster.advance('10s');
      expect(second.log).toEqual(['begins']);
      first.transport.state = 'whole';
      await cluster.advance('1m');
      expect(first.log).toHaveLength(3);

      second.stop.abort();
      await second.running;
      await cluster.advance('10s');
      expect(first.log).toEqual(['begins', 'loses the lead', 'ends', 'begins']);
      expect((await cluster.lease()).spec).toMatchObject({ holderIdentity: 'one', leaseTransitions: 2 });
    },
  );

  test('keeps the lease while the work is finishing', async () => {
    const cluster = await Cluster.start();
    let finish = (): void => undefined;
    const finishing = new Promise<void>((resolve) => (finish = resolve));
    const first = await cluster.candidate('one', { finishing });
    const second = await cluster.candidate('two');
    first.stop.abort();
    await cluster.advance('1m');
    expect(first.log).toEqual(['begins', 'stops']);
    expect(second.log).toEqual([]);

    finish();
    await first.running;
    await cluster.advance('5s');
    expect(second.log).toEqual(['begins']);
  });

  test('refuses times that cannot work', async () => {
    const cluster = await Cluster.start();
    const made = app('x', [], { leaderElection: { leaseDuration: 5000, renewDeadline: 10_000 } });
    await expect(made.run(cluster.client, new AbortController().signal)).rejects.toThrow('Cannot elect a leader');
  });
});
