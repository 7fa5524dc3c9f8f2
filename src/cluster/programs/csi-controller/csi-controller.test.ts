import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../../base/index.ts';
import { csiDriver, memoryRecords } from '../../../csi/index.ts';
import { startCluster } from '../../../testing/index.ts';
import type { FlagValues } from '../flag.ts';
import type { ConnectedProgram, StandaloneTools } from '../program.ts';
import { body } from './csi-controller.ts';
import { program } from './program.ts';

/** Flags of a command line that has only these; the others have their defaults. */
function flagsOf(given: Readonly<Record<string, string>>): FlagValues {
  const definitions = program.flags.standalone ?? {};
  const text = (name: string): string | undefined => given[name] ?? definitions[name]?.default?.toString();
  return {
    has: (name) => name in given,
    text,
    isSet: (name) => text(name) === 'true',
    list: (name) => (given[name] === undefined ? [] : given[name].split(',')),
    integer: (name) => (text(name) === undefined ? undefined : Number(text(name))),
  };
}

const untouched = {} as StandaloneTools; // it is refused before it uses any

describe('flags', () => {
  test.each([
    ['csi-address', 'csi.sock', '--csi-address must be the path of a socket such as /csi/csi.sock, got "csi.sock"'],
    ['csi-address', '/a.sock,unix:///a.sock', '--csi-address names /a.sock twice'],
    ['feature-gates', 'Topology', '--feature-gates must be NAME=true or NAME=false, got "Topology"'],
    [
      'feature-gates',
      'CrossNamespaceVolumeDataSource=true',
      '--feature-gates: CrossNamespaceVolumeDataSource is not supported',
    ],
    ['feature-gates', 'HonorPVReclaimPolicy=false', '--feature-gates: HonorPVReclaimPolicy cannot be turned off'],
    ['feature-gates', 'Magic=true', '--feature-gates: no sidecar has a feature Magic'],
    ['node-name', 'n1', '--node-name needs --node-deployment'],
    [
      'node-deployment',
      'true',
      '--node-deployment needs the name of the node: NODE_NAME in the environment, or --node-name',
    ],
    ['capacity-ownerref-level', '-2', '--capacity-ownerref-level must be -1 or more, got "-2"'],
    ['retry-interval-start', '1h', '--retry-interval-start must not be greater than --retry-interval-max'],
    ['volume-name-prefix', '', '--volume-name-prefix must not be empty'],
    ['timeout', 'soon', '--timeout must be a duration such as 30s or 1h, got "soon"'],
  ])('--%s %s is refused', async (name, value, message) => {
    await expect(body.standalone?.(flagsOf({ [name]: value }), untouched)).rejects.toThrow(message);
  });

  test('a cluster runs it for the drivers that it is given', () => {
    expect(program.isWanted({})).toBe(false);
    expect(program.isWanted({ csiDrivers: ['/csi/csi.sock'] })).toBe(true);
    expect(body.readFlags?.(flagsOf({ 'csi-address': 'unix:///csi/csi.sock' }), { clock: new RealClock() })).toEqual({
      csiDrivers: ['/csi/csi.sock'],
    });
  });
});

test('the program works for a driver that comes later, with kinds of snapshots that it installs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csi-controller-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [clock, random, log] = [new RealClock(), new CryptoRandom(), discardLogger];
  await using cluster = await startCluster({ seed: 'program', nodes: 0, scheduler: false });
  const { client } = cluster;
  await client.storage.v1.storageclasses.create({ metadata: { name: 'shelf' }, provisioner: 'shelf.example.com' });
  const claims = client.core.v1.persistentvolumeclaims.namespace('default');
  await claims.create({
    metadata: { name: 'data' },
    spec: { storageClassName: 'shelf', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const stop = new AbortController();
  const socket = join(folder, 'csi.sock');
  const tools = { clock, random, log, print: () => undefined, signal: stop.signal };
  const started = await body.standalone?.(flagsOf({ 'csi-address': socket, 'http-endpoint': '127.0.0.1:0' }), tools);
  const running = started?.run({ ...tools, client } as unknown as ConnectedProgram, stop.signal);
  const driver = csiDriver({
    name: 'shelf.example.com',
    version: '1',
    controller: {
      records: memoryRecords(),
      create: async () => undefined,
      delete: async () => undefined,
      snapshot: async () => undefined,
      deleteSnapshot: async () => undefined,
    },
  }).serve({ listen: `unix://${socket}` });
  const serving = driver.run(stop.signal);

  await expect.poll(async () => (await claims.get('data')).status?.phase).toBe('Bound');
  await expect
    .poll(
      async () =>
        (await client.apiextensions.v1.customresourcedefinitions.list()).items.map(({ metadata }) => metadata.name),
      { timeout: 120_000 },
    )
    .toEqual([
      'volumesnapshotclasses.snapshot.storage.k8s.io',
      'volumesnapshotcontents.snapshot.storage.k8s.io',
      'volumesnapshots.snapshot.storage.k8s.io',
    ]);
  stop.abort();
  await Promise.all([running, serving]);
});
