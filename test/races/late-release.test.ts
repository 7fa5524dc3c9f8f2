// A leader that comes to its end after another has taken over (issue 12, F).
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Duration, aborted, settle, type VirtualClock } from '../../src/base/index.ts';
import { type Client, Lease } from '../../src/client/index.ts';
import { TestCluster } from '../../src/client/testing/test-cluster.ts';
import { app } from '../../src/kit/index.ts';
import { CutTransport } from '../../src/kit/testing/cut-transport.ts';
import { InterposedTransport, to } from './interposed-transport.ts';

interface Leader {
  readonly cut: CutTransport;
  readonly interposed: InterposedTransport;
  readonly running: Promise<void>;
  readonly stop: AbortController;
  /** Lets the work come to its end. */
  finish(): void;
}

class Election {
  readonly #cluster: TestCluster;
  readonly client: Client;

  private constructor(cluster: TestCluster) {
    this.#cluster = cluster;
    this.client = cluster.client();
  }

  static async start(): Promise<Election> {
    const cluster = await TestCluster.start();
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    return new Election(cluster);
  }

  /** A candidate whose work continues until the test releases it. */
  async candidate(identity: string): Promise<Leader> {
    const interposed = new InterposedTransport(this.#cluster.transport('in process'));
    const cut = new CutTransport(interposed);
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const run = async (signal: AbortSignal): Promise<void> => {
      await aborted(signal);
      await finished;
    };
    const work = { name: 'work', prepare: () => ({ isIdle: true, run }) };
    const stop = new AbortController();
    const made = app('leader', [work], { leaderElection: { identity, name: 'lock' } });
    const running = made.run(this.#cluster.clientOver(cut), stop.signal);
    onTestFinished(async () => {
      finish();
      stop.abort();
      await running;
    });
    await settle();
    return { cut, interposed, running, stop, finish };
  }

  advance(duration: Duration): Promise<void> {
    return (this.#cluster.clock as VirtualClock).advance(duration);
  }

  get leases(): ReturnType<Client['kindIn']> {
    return this.client.kindIn(Lease, 'default') as never;
  }

  async lease(): Promise<Lease['spec']> {
    return ((await this.leases.get('lock')) as Lease).spec;
  }
}

describe('a lease that another leader holds is not released', () => {
  test('by a leader whose work ends after its time', async () => {
    const election = await Election.start();
    const first = await election.candidate('one');
    await election.candidate('two');
    first.cut.state = 'cut';
    await election.advance('40s');
    const held = await election.lease();
    expect(held).toMatchObject({ holderIdentity: 'two', leaseDurationSeconds: 15 });

    first.cut.state = 'whole';
    first.stop.abort();
    first.finish();
    await first.running;

    expect(await election.lease()).toEqual(held);
  });

  test('by a leader that was overtaken between looking and releasing', async () => {
    const election = await Election.start();
    const first = await election.candidate('one');
    const taken = { holderIdentity: 'two', leaseDurationSeconds: 15, leaseTransitions: 1 };
    first.finish();
    first.stop.abort();
    first.interposed.before(to('PUT', 'lock'), async () => {
      const current = (await election.leases.get('lock')) as Lease;
      await election.leases.update({ ...current, spec: taken } as never);
    });
    await first.running;

    expect(first.interposed.left).toBe(0);
    expect(await election.lease()).toEqual(taken);
  });
});
