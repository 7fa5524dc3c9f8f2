import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../base/index.ts';
import { describeWithEtcd } from '../store/etcd/testing/describe-with-etcd.ts';
import type { ControlPlane } from './control-plane.ts';
import { holdNodes } from './programs/kubelet/hold-nodes.ts';
import { takePlaces } from './programs/kubelet/node-places.ts';
import { parseJoinToken } from './pki/sealed-files.ts';
import { startControlPlane } from './start-control-plane.ts';

const MASTER = { user: 'admin', groups: ['system:masters'] };
const never = new AbortController().signal;

describeWithEtcd('two servers on one etcd', (etcd) => {
  let servers = 0;
  const start = async (prefix: string): Promise<ControlPlane> => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-two-servers-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return startControlPlane({
      name: 'test',
      storage: { type: 'etcd', etcd: { endpoints: [etcd().endpoint], prefix } },
      runtimeConfig: new Map(),
      serviceCidrs: ['10.96.0.0/16'],
      serving: {
        listen: { host: '127.0.0.1', port: 0 },
        advertiseAddress: `192.0.2.${++servers}`,
        pkiFolder: folder,
        joinToken: parseJoinToken('abcdef.0123456789abcdef'),
      },
      clock: new RealClock(),
      random: new CryptoRandom(),
      log: discardLogger,
      signal: never,
    });
  };

  test('start at the same time with one identity, and take the tokens that the other signed', async () => {
    const [first, second] = await Promise.all([start('/identity'), start('/identity')]);
    onTestFinished(async () => void (await Promise.all([first, second].map((each) => each[Symbol.asyncDispose]()))));
    await using client = first.client(MASTER);
    await client.core.v1.serviceaccounts
      .namespace('default')
      .create({ metadata: { name: 'app', namespace: 'default' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/app/token';
    const asked = {
      method: 'POST',
      path,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
    } as const;
    const { status } = (await client.request(asked)) as { status: { token: string } };
    await using other = second.client(MASTER);
    const review = await other.authentication.v1.tokenreviews.create({ metadata: {}, spec: { token: status.token } });

    expect(second.pki.authority).toEqual(first.pki.authority);
    expect(second.pki.frontProxyAuthority).toEqual(first.pki.frontProxyAuthority);
    expect(second.pki.serving).not.toEqual(first.pki.serving);
    expect(review.status?.user?.username).toBe('system:serviceaccount:default:app');
  });

  test('are both behind the kubernetes Service until one of them stops', async () => {
    const first = await start('/service');
    onTestFinished(() => first[Symbol.asyncDispose]());
    const second = await start('/service');
    await using client = first.client(MASTER);
    const addresses = async (): Promise<unknown> => {
      const { subsets } = await client.core.v1.endpoints.namespace('default').get('kubernetes');
      const { endpoints } = await client.discovery.v1.endpointslices.namespace('default').get('kubernetes');
      const listed = subsets?.[0]?.addresses?.map(({ ip }) => ip);
      expect(endpoints?.flatMap((each) => each.addresses)).toEqual(listed);
      return listed;
    };
    const [one, two] = [`192.0.2.${servers - 1}`, `192.0.2.${servers}`];

    expect(await addresses()).toEqual([one, two]);
    await second[Symbol.asyncDispose]();
    expect(await addresses()).toEqual([one]);
  });

  test('give the nodes of each process a place of their own, and the same one again', async () => {
    const plane = await start('/places');
    onTestFinished(() => plane[Symbol.asyncDispose]());
    await using client = plane.client(MASTER);
    const places = await Promise.all(['a', 'b', 'c'].map((name) => takePlaces(client, name, 3)));

    expect(places.toSorted((left, right) => left - right)).toEqual([0, 3, 6]);
    expect(await takePlaces(client, 'b', 3)).toBe(places[1]);
    const middle = ['a', 'b', 'c'][places.indexOf(3)] ?? '';
    expect(await takePlaces(client, middle, 4)).toBe(9); // it has no room to grow where it is
  });

  test('refuse nodes that another live process runs', async () => {
    const plane = await start('/nodes');
    onTestFinished(() => plane[Symbol.asyncDispose]());
    await using client = plane.client(MASTER);
    const stop = new AbortController();
    const times = { leaseDuration: 3000, renewDeadline: 2000, retryPeriod: 500 };
    const runs: string[] = [];
    const hold = (identity: string): Promise<void> =>
      holdNodes(
        client,
        { name: 'a', identity, ...times },
        {
          work: async (signal) => {
            runs.push(identity);
            await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
          },
          signal: stop.signal,
        },
      );
    const first = hold('first');
    await vi.waitFor(() => expect(runs).toEqual(['first']), 120_000);

    await expect(hold('second')).rejects.toThrow(/Cannot run nodes "a": process "first" runs them/);
    expect(runs).toEqual(['first']);
    stop.abort();
    await first;
  });
});
