import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { skipWhen } from '../../src/base/testing/requires.ts';

/** Mounts are made in a namespace of their own, so that none can be left on the machine; without root also in one of users. */
const ENTER = ['--user', '--map-root-user', '--mount', '--propagation', 'private'];
const canEnter = process.platform === 'linux' && spawnSync('unshare', [...ENTER, 'true']).status === 0;
const root = join(import.meta.dirname, '../..');
const NOTHING = { points: [], entries: [] };

let results: Readonly<Record<string, unknown>> = {};

async function runTrials(): Promise<Readonly<Record<string, unknown>>> {
  const folder = await mkdtemp(join(root, 'node_modules', '.volume-trials-'));
  try {
    const outfile = join(folder, 'trials.mjs');
    await build({
      entryPoints: [join(root, 'test/volumes/volume-trials.ts')],
      outfile,
      bundle: true,
      target: 'node20',
      platform: 'node',
      format: 'esm',
      packages: 'external',
      ignoreAnnotations: true,
      logLevel: 'error',
    });
    const { stdout } = await promisify(execFile)('unshare', [...ENTER, process.execPath, outfile]);
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('volumes with mounts', skipWhen(!canEnter, 'user and mount namespaces are not allowed'), () => {
  beforeAll(async () => {
    results = await runTrials();
  });

  test('parts of volumes are bound where the kubelet binds them, made with the mode of the volume, and removed', () => {
    expect(results['partsOfVolumes']).toEqual({
      at: '/pods/parts/volume-subpaths/data/web/0',
      isSame: true,
      count: 1,
      seen: 'first',
      fileSeen: 'first',
      replaced: 'second',
      modes: ['2770', '2770'],
      rest: NOTHING,
    });
  });

  test('links that a pod makes lead nowhere but into its own volume', () => {
    const prepare = 'failed to prepare subPath for volumeMount "data" of container "web"';
    const create = 'failed to create subPath directory for volumeMount "data" of container "web"';
    expect(results['hostileLinks']).toEqual({
      refused: {
        out: prepare,
        'out/secret': prepare,
        'out/new': create,
        dangling: create,
        'dangling/new': create,
        loop: create,
      },
      points: 0,
      outside: ['secret'],
    });
    expect(results['race']).toBe(0);
  });

  test('memory is limited by volume, pod and node, and a volume that is ready is left as the pod has it', () => {
    expect(results['memory']).toEqual({
      sizes: [8, 4, 64],
      pages: 'medium HugePages: hugePages storage requested, but there is no resource request for huge pages',
      rest: 0,
    });
  });

  test('secrets are in memory, belong to the group of the pod, change, are found again and leave nothing', () => {
    expect(results['secrets']).toEqual({
      kind: 'tmpfs',
      text: 'new',
      modes: ['3777', '2755', '440'],
      isPoint: true,
      found: ['secrets/data'],
      rest: { points: [], entries: ['volumes/kubernetes.io~secret'] },
    });
  });

  test('nothing is removed through a mount, however deep it is, and links are not followed', () => {
    expect(results['removal']).toMatchObject({ kept: ['secret'], isGone: true, still: ['secret'] });
    expect(results['removal']).toMatchObject({
      refused: expect.stringMatching(/bound: a file system is mounted there$/),
    });
  });

  test('a volume that is busy stays until it is not', () => {
    expect(results['busy']).toEqual({ refused: true, rest: NOTHING });
  });

  test('a local volume is bound read-only for a claim that says so', () => {
    expect(results['local']).toEqual({
      at: '/pods/local/volumes/kubernetes.io~local-volume/disk',
      seen: ['secret'],
      written: true,
      rest: NOTHING,
    });
  });

  const noNfs = skipWhen(existsSync('/sbin/mount.nfs'), 'the machine has the helper of NFS');
  test('an NFS volume without the helper of the mount program says which command failed', noNfs, () => {
    expect(results['nfs']).toEqual([
      'mount failed: exit status 32',
      'Mounting command: mount',
      'Mounting arguments: -t nfs 127.0.0.1:/none ROOT/pods/nfs/volumes/kubernetes.io~nfs/data',
    ]);
  });
});
