import { describe, expect, test } from 'vitest';
import { ConfigMap, Lease, mergePatch, StatusError } from '../../client/index.ts';
import { admission, app, controller, extensionServer } from '../../kit/index.ts';
import { startCluster, type StartClusterOptions, type TestCluster } from '../index.ts';

const bare: StartClusterOptions = { controllers: false, scheduler: false, nodes: 0 };

const maps = (cluster: TestCluster) => cluster.client.core.v1.configmaps.namespace('default');

/** The error of a request. */
async function refusal(work: Promise<unknown>): Promise<{ readonly code: number; readonly message: string }> {
  const error: unknown = await work.then(
    () => new Error('was not refused'),
    (failure: unknown) => failure,
  );
  if (!(error instanceof StatusError)) throw error;
  return { code: error.code, message: error.message };
}

/** Copies the data of each labelled ConfigMap into a label of it; counts its runs. */
function copier(isElected = false) {
  return app(
    'copier',
    [
      controller(ConfigMap, {
        name: 'copier',
        where: { namespace: 'default', labelSelector: 'copy' },
        async reconcile({ metadata, data }, { client }) {
          if (metadata.annotations?.['copied'] === data?.['value']) return;
          const body = { metadata: { annotations: { copied: data?.['value'] ?? '' } } };
          await client.core.v1.configmaps.namespace('default').patch(metadata.name, mergePatch(body));
        },
      }),
    ],
    { leaderElection: isElected },
  );
}

const copied = async (cluster: TestCluster): Promise<string | undefined> =>
  (await maps(cluster).get('m')).metadata.annotations?.['copied'];

async function make(cluster: TestCluster, value: string): Promise<void> {
  await maps(cluster).apply(
    { metadata: { name: 'm', labels: { copy: '' } }, data: { value } },
    { fieldManager: 'test' },
  );
  await cluster.settle();
}

describe('a fault', () => {
  test('rejects requests with the messages of a real server, `times` times', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    await maps(cluster).create({ metadata: { name: 'm' } });
    const target = { resource: 'configmaps', times: 1 } as const;
    const patch = () => maps(cluster).patch('m', mergePatch({ data: { a: '1' } }));
    const conflict = cluster.fault({ type: 'conflict', ...target });
    expect(await refusal(patch())).toEqual({
      code: 409,
      message:
        'Operation cannot be fulfilled on configmaps "m": the object has been modified; please apply your changes to the latest version and try again',
    });
    expect(conflict.hits).toBe(1);
    cluster.fault({ type: 'internalError', ...target });
    expect(await refusal(patch())).toEqual({ code: 500, message: 'etcdserver: request timed out' });
    cluster.fault({ type: 'timeout', ...target });
    expect((await refusal(patch())).code).toBe(504);
    cluster.fault({ type: 'unavailable', ...target });
    expect((await refusal(patch())).code).toBe(503);
    await patch();
    expect(cluster.faults).toEqual([]);
  });

  test('sends Retry-After, which clients respect', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    const busy = cluster.fault({ type: 'tooManyRequests', retryAfterSeconds: 7, times: 1 });
    let isMade = false;
    const making = maps(cluster)
      .create({ metadata: { name: 'm' } })
      .then(() => (isMade = true));
    await cluster.clock.advance('6s');
    expect([busy.hits, isMade]).toEqual([1, false]);
    await cluster.clock.advance('2s');
    await making;
    cluster.fault({ type: 'tooManyRequests', times: 1 });
    const impatient = maps(cluster).create({ metadata: { name: 'n' } }, { maxRetries: 0 });
    expect(await refusal(impatient)).toMatchObject({ code: 429 });
  });

  test('matches by user, program, verb, resource, subresource, namespace and name', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    await maps(cluster).create({ metadata: { name: 'm' } });
    const joe = cluster.as('joe', ['system:masters']).core.v1;
    const isHit = async (fault: object): Promise<boolean> => {
      using given = cluster.fault({ type: 'internalError', ...fault });
      await joe.configmaps
        .namespace('default')
        .get('m')
        .catch(() => undefined);
      return given.hits > 0;
    };
    for (const fault of [
      { user: 'joe' },
      { user: /^jo/ },
      { program: 'joe' },
      { verb: 'get' },
      { verb: ['get', 'list'] },
    ])
      expect(await isHit(fault)).toBe(true);
    for (const fault of [
      { resource: 'configmaps' },
      { resource: 'configmaps.' },
      { namespace: 'default' },
      { name: 'm' },
    ])
      expect(await isHit(fault)).toBe(true);
    for (const fault of [{ user: 'jo' }, { program: 'ann' }, { verb: 'list' }, { resource: 'configmaps/status' }])
      expect(await isHit(fault)).toBe(false);
    for (const fault of [{ resource: 'configmaps.apps' }, { namespace: 'kube-system' }, { name: 'n' }, { after: 1 }])
      expect(await isHit(fault)).toBe(false);
  });

  test('with a probability, the seed decides', async () => {
    const hits = async (seed: string): Promise<readonly boolean[]> => {
      await using cluster = await startCluster({ ...bare, seed });
      cluster.fault({ type: 'internalError', probability: 0.5, verb: 'list', resource: 'secrets' });
      const tries = Array.from({ length: 20 }, async () =>
        cluster.client.core.v1.secrets.list().then(
          () => false,
          () => true,
        ),
      );
      return Promise.all(tries);
    };
    const first = await hits('one');
    expect(new Set(first)).toEqual(new Set([true, false]));
    expect(await hits('one')).toEqual(first);
    expect(await hits('two')).not.toEqual(first);
  });

  test.each([
    [{ times: 0 }, 'Cannot add fault "conflict": times must be a whole number >= 1, got 0'],
    [{ probability: 2 }, 'Cannot add fault "conflict": probability must be from 0 to 1, got 2'],
    [{ after: -1 }, 'Cannot add fault "conflict": after must be a whole number >= 0, got -1'],
  ])('with %j is refused', async (chance, message) => {
    await using cluster = await startCluster(bare);
    expect(() => cluster.fault({ type: 'conflict', ...chance })).toThrow(message);
  });

  test('delays requests and answers in virtual time', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    for (const type of ['latency', 'late'] as const) {
      using _fault = cluster.fault({ type, delay: '5s', verb: 'create', resource: 'configmaps' });
      const name = type;
      let isAnswered = false;
      const made = maps(cluster)
        .create({ metadata: { name } })
        .then(() => (isAnswered = true));
      await cluster.clock.advance('4s');
      expect(isAnswered).toBe(false);
      expect((await maps(cluster).list()).items.some(({ metadata }) => metadata.name === name)).toBe(type === 'late');
      await cluster.clock.advance('1s');
      await made;
    }
  });

  test('loses requests, and answers to requests that were carried out', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    cluster.fault({ type: 'dropped', verb: 'create', times: 1 });
    await expect(maps(cluster).create({ metadata: { name: 'm' } })).rejects.toThrow('Lost the connection');
    expect((await maps(cluster).list()).items.map(({ metadata }) => metadata.name)).not.toContain('m');
    cluster.fault({ type: 'lostAnswer', verb: 'create', times: 1 });
    await expect(maps(cluster).create({ metadata: { name: 'm' } })).rejects.toThrow('Lost the connection');
    await maps(cluster).get('m');
  });
});

describe('a fault of watches', () => {
  test.each(['dropped', 'expired'] as const)('%s: they end at once, and the app reconnects', async (type) => {
    await using cluster = await startCluster(bare);
    await cluster.run(copier());
    await make(cluster, 'one');
    expect(await copied(cluster)).toBe('one');
    const fault = cluster.fault({ type, program: 'copier', verb: 'watch', times: 2 });
    expect(fault.hits).toBe(1);
    await make(cluster, 'two');
    await cluster.clock.advance('1m');
    expect([await copied(cluster), fault.hits]).toEqual(['two', 2]);
  });

  test('silent: nothing arrives until the watch would have ended', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    await cluster.run(copier());
    await make(cluster, 'one');
    cluster.fault({ type: 'silent', program: 'copier', verb: 'watch', times: 1 });
    await make(cluster, 'two');
    await cluster.clock.advance('30s');
    expect(await copied(cluster)).toBe('one');
    await cluster.clock.advance('11m');
    expect(await copied(cluster)).toBe('two');
  });

  test('late: events arrive after the delay', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    await cluster.run(copier());
    await make(cluster, 'one');
    using _late = cluster.fault({ type: 'late', delay: '20s', program: 'copier', verb: 'watch' });
    await make(cluster, 'two');
    await cluster.clock.advance('19s');
    expect(await copied(cluster)).toBe('one');
    await cluster.clock.advance('1s');
    expect(await copied(cluster)).toBe('two');
  });
});

describe('a fault of the server', () => {
  test('staleRead: reads return the state at the time it was added', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    await make(cluster, 'one');
    const before = await maps(cluster).get('m');
    const stale = cluster.fault({ type: 'staleRead', resource: 'configmaps', user: 'kubernetes-admin' });
    await make(cluster, 'two');
    expect(await maps(cluster).get('m')).toEqual(before);
    expect((await maps(cluster).list()).items.find(({ metadata }) => metadata.name === 'm')?.data).toEqual({
      value: 'one',
    });
    await expect(maps(cluster).update({ ...before, data: { value: 'three' } })).rejects.toThrow('has been modified');
    stale.remove();
    expect((await maps(cluster).get('m')).data).toEqual({ value: 'two' });
  });

  test('lostLease: the leader loses the lease, and takes it back when the other holder is gone', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    const program = copier(true);
    await cluster.run(program);
    await make(cluster, 'one');
    const leases = cluster.client.kind(Lease).namespace('default');
    const holder = async (): Promise<string | undefined> =>
      (await leases.get('copier')).spec?.holderIdentity ?? undefined;
    cluster.fault({ type: 'lostLease', resource: 'leases', name: 'copier', holder: 'rival', times: 1 });
    await cluster.clock.advance('15s');
    expect(await holder()).toBe('rival');
    await make(cluster, 'two');
    expect(await copied(cluster)).toBe('one');
    expect(cluster.problems.join()).toContain('lead lost');
    await cluster.clock.advance('1m');
    expect([(await holder())?.startsWith('copier_'), await copied(cluster)]).toEqual([true, 'two']);
  });

  test('webhookDown and webhookSilent: the webhook does not listen, or never answers', async () => {
    const check = admission(ConfigMap, {
      name: 'check.acme.dev',
      failurePolicy: 'Fail',
      timeoutSeconds: 5,
      validate: () => undefined,
    });
    await using cluster = await startCluster(bare);
    await cluster.run(app('hooks', [], { server: extensionServer({ admission: [check] }) }));
    const create = (name: string) => maps(cluster).create({ metadata: { name } });
    await create('a');
    {
      using down = cluster.fault({ type: 'webhookDown', path: 'check.acme.dev' });
      const { code, message } = await refusal(create('b'));
      expect([code, down.hits]).toEqual([500, 1]);
      expect(message).toMatch(
        /^Internal error occurred: failed calling webhook "check\.acme\.dev": failed to call webhook: Post "https:\/\/webhooks-1\.in-process\.invalid\/validate\/check\.acme\.dev\?timeout=5s": dial tcp 127\.0\.0\.1:443: connect: connection refused$/,
      );
    }
    using _silent = cluster.fault({ type: 'webhookSilent' });
    const waiting = refusal(create('c'));
    await cluster.clock.advance('6s');
    expect((await waiting).message).toContain('context deadline exceeded');
  });

  test('is copied to forks, which count separately from then on', async ({ signal }) => {
    await using cluster = await startCluster({ ...bare, signal });
    await maps(cluster).create({ metadata: { name: 'm' } });
    const fault = cluster.fault({ type: 'conflict', times: 2, resource: 'configmaps' });
    const patch = (of: TestCluster) => maps(of).patch('m', mergePatch({ data: { a: '1' } }));
    await refusal(patch(cluster));
    await using fork = await cluster.fork();
    await refusal(patch(fork));
    await patch(fork);
    expect([fault.hits, fork.faults.length]).toEqual([1, 0]);
    await refusal(patch(cluster));
  });
});
