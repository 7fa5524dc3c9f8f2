import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestToken } from '../../client/index.ts';
import { openCluster, startCluster, type TestCluster } from '../index.ts';

let folder = '';
let path = '';
let before: unknown;
let token = '';

const web = (cluster: TestCluster) => cluster.client.core.v1.pods.namespace('default');

async function stateOf({ client, clock }: TestCluster): Promise<unknown> {
  const pods = (await client.core.v1.pods.namespace('default').list()).items.map(({ metadata, status }) => ({
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    phase: status?.phase,
    restarts: status?.containerStatuses?.map(({ restartCount }) => restartCount),
  }));
  const nodes = (await client.core.v1.nodes.list()).items.map(({ metadata }) => metadata.uid);
  const { items } = await client.core.v1.events.namespace('default').list({ fieldSelector: 'involvedObject.kind=Pod' });
  const events = items.map(({ metadata }) => metadata.name); // nodes record an event when they start again
  return { pods, nodes, events, time: clock.now() };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-snapshot-'));
  path = join(folder, 'web.snapshot');
  await using cluster = await startCluster({ nodes: 2, seed: 'kept', startAt: '2031-05-05' });
  const labels = { app: 'web' };
  await cluster.client.apps.v1.deployments.namespace('default').create({
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  });
  await cluster.clock.advance('5m');
  const accounts = cluster.client.core.v1.serviceaccounts.namespace('default');
  token = (await requestToken(accounts, 'default')).token;
  before = await stateOf(cluster);
  await cluster.save(path);
});
afterAll(() => rm(folder, { recursive: true }));

describe('a snapshot of a cluster', () => {
  test('has all objects with their revisions, the time and the keys', async () => {
    await using opened = await openCluster(path);
    expect(await stateOf(opened)).toEqual(before);
    expect(opened.problems).toEqual([]);
    const review = await opened.client.authentication.v1.tokenreviews.create({ spec: { token } });
    expect(review.status?.user?.username).toBe('system:serviceaccount:default:default');
  });

  test('continues: controllers work, time passes, and randomness is as it would have been', async () => {
    const names = async (): Promise<readonly string[]> => {
      await using opened = await openCluster(path);
      const [pod] = (await web(opened).list()).items;
      await web(opened).delete(pod?.metadata.name ?? '');
      await opened.clock.advance('2m');
      const { items } = await web(opened).list();
      expect(items.map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
      return items.map(({ metadata }) => metadata.name);
    };
    expect(await names()).toEqual(await names());
  });

  test('can be forked, and saved again', async () => {
    await using opened = await openCluster(path);
    await using fork = await opened.fork();
    expect((await web(fork).list()).items).toHaveLength(2);
    await fork.save(join(folder, 'again.snapshot'));
    await using again = await openCluster(join(folder, 'again.snapshot'));
    expect((await web(again).list()).items).toHaveLength(2);
  });

  test('is readable by its owner only, and written atomically', async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await using opened = await openCluster(path);
    await expect(opened.save(join(folder, 'none', 'x'))).rejects.toThrow(/^Cannot save the cluster to ".*x": ENOENT/);
  });

  test('that is damaged, of another version, or another file is rejected', async () => {
    const bytes = await readFile(path);
    const open = async (content: Uint8Array | string): Promise<string> => {
      const file = join(folder, 'odd');
      await writeFile(file, content);
      const error: unknown = await openCluster(file).catch((failure: unknown) => failure);
      return (error as Error).message.replace(file, 'FILE');
    };
    const damaged = 'Cannot open "FILE": it is damaged: its checksum does not match';
    expect(await open(bytes.subarray(0, -1))).toBe(damaged);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 100] = (flipped[bytes.length - 100] ?? 0) ^ 1;
    expect(await open(flipped)).toBe(damaged);
    const foreign = 'Cannot open "FILE": it is not a snapshot of a cluster';
    expect(await open('')).toBe(foreign);
    expect(await open('{"a":1}\n')).toBe(foreign);
    expect(await open(bytes.subarray(200))).toBe(foreign);
    const newer = bytes.toString('latin1').replace('"keelsonSnapshot":1', '"keelsonSnapshot":2');
    expect(await open(Buffer.from(newer, 'latin1'))).toBe(
      'Cannot open "FILE": it is a snapshot of version 2, and this program reads version 1',
    );
    await expect(openCluster(join(folder, 'none'))).rejects.toThrow(/^Cannot open ".*none": ENOENT/);
  });

  test('of a cluster with options that are code needs them again', async () => {
    const controllers: NonNullable<Parameters<typeof startCluster>[0]>['controllers'] = (builtIn) => builtIn;
    await using cluster = await startCluster({ controllers, nodes: 0 });
    const file = join(folder, 'code.snapshot');
    await cluster.save(file);
    await expect(openCluster(file)).rejects.toThrow(
      `Cannot open "${file}": the cluster was started with controllers of its own, which a file cannot hold: give them again`,
    );
    await using _opened = await openCluster(file, { controllers });
  });

  test('is opened by another process', async () => {
    const root = join(import.meta.dirname, '../../..');
    const program = join(root, 'node_modules', `.snapshot-${process.pid}.ts`);
    await writeFile(
      program,
      `import { openCluster } from '../src/testing/index.ts';
       await using cluster = await openCluster(process.argv[2] ?? '');
       const { items } = await cluster.client.core.v1.pods.namespace('default').list();
       console.log(items.map(({ metadata }) => metadata.uid).join(' '));`,
    );
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['scripts/run.mjs', program, path], { cwd: root });
      const { pods } = before as { readonly pods: readonly { readonly uid: string }[] };
      expect(stdout.trim()).toBe(pods.map(({ uid }) => uid).join(' '));
    } finally {
      await rm(program);
    }
  });
});
