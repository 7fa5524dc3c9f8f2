// A program that volumes.test.ts starts in a mount namespace of its own. Prints what came of each trial as JSON.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, discardLogger, messageOf, RealClock } from '../../src/base/index.ts';
import type { Observed, Pod } from '../../src/client/index.ts';
import type { SubPathRequest, Volume, VolumePayload, VolumePlugin } from '../../src/node/index.ts';
import { DriverFolder } from '../../src/flexvolume/index.ts';
import { Mounts, removeTree, SmallShell } from '../../src/system/index.ts';
import { linuxVolumes } from '../../src/linux/volumes/index.ts';

const MEBIBYTE = 1024 * 1024;
const signal = new AbortController().signal;
const shell = new SmallShell(new RealClock());
const mounts = new Mounts(shell);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'keelson-volumes-')));
const root = join(base, 'kubelet');
const outside = join(base, 'outside');
mkdirSync(outside);
writeFileSync(join(outside, 'secret'), 'not for pods');

const plugins = linuxVolumes({
  root,
  mounts,
  clock: new RealClock(),
  random: new CryptoRandom(),
  log: discardLogger,
  allocatableMemory: () => 64 * MEBIBYTE,
  shell,
  flexDrivers: new DriverFolder(join(base, 'drivers'), { clock: new RealClock(), log: discardLogger }),
});

function podOf(uid: string, spec: object = {}): Observed<Pod> {
  const metadata = { name: uid, namespace: 'default', uid, resourceVersion: '1', creationTimestamp: '' };
  return { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers: [], ...spec } };
}

interface Mounted {
  readonly path: string;
  readonly plugin: VolumePlugin;
}

async function mount(pod: Observed<Pod>, volume: Volume, payload?: () => Promise<VolumePayload>): Promise<Mounted> {
  const plugin = plugins.find((each) => each.supports({ volume, persistentVolume: undefined }));
  if (plugin === undefined) throw new Error('no plugin');
  return { plugin, path: await plugin.mount({ pod, volume, persistentVolume: undefined, payload, signal }) };
}

const part = (uid: string, path: string, subPath: string): SubPathRequest => ({
  podUid: uid,
  volume: 'data',
  mountName: 'data',
  container: 'web',
  index: 0,
  path,
  subPath,
});

async function bindPart({ plugin, path }: Mounted, uid: string, subPath: string): Promise<string> {
  return (await plugin.subPath?.(part(uid, path, subPath))) ?? '';
}

/** What is left of a pod: mount points and entries of its folder. */
async function rest(uid: string): Promise<unknown> {
  const folder = join(root, 'pods', uid);
  const points = (await mounts.below(folder)).map(({ point }) => point.slice(folder.length));
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return { points, entries: entries.filter((entry) => /ready|data|web|secret/.test(entry)) };
}

const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o7777).toString(8);
const failure = async (work: Promise<unknown>): Promise<string> => work.then(() => 'no failure', messageOf);

async function partsOfVolumes(): Promise<unknown> {
  const volume = await mount(podOf('parts'), { name: 'data', emptyDir: {} });
  await mkdir(join(volume.path, 'real/deep'), { recursive: true });
  await writeFile(join(volume.path, 'real/deep/file'), 'first');
  await symlink('real', join(volume.path, 'link'));
  await chmod(volume.path, 0o2770);
  const folder = await bindPart(volume, 'parts', 'real/deep');
  const again = await bindPart(volume, 'parts', 'link/deep');
  const count = (await mounts.below(join(root, 'pods/parts'))).length;
  const seen = await readFile(join(folder, 'file'), 'utf8');
  const file = await bindPart(volume, 'parts', 'real/deep/file');
  const fileSeen = await readFile(file, 'utf8');
  await rename(join(volume.path, 'real/deep/file'), join(volume.path, 'old'));
  await writeFile(join(volume.path, 'real/deep/file'), 'second');
  const replaced = await readFile(await bindPart(volume, 'parts', 'real/deep/file'), 'utf8');
  await bindPart(volume, 'parts', 'made/by/agent');
  const modes = [await mode(join(volume.path, 'made')), await mode(join(volume.path, 'made/by/agent'))];
  await volume.plugin.unmount({ podUid: 'parts', volume: 'data' });
  return {
    at: folder.slice(root.length),
    isSame: folder === again,
    count,
    seen,
    fileSeen,
    replaced,
    modes,
    rest: await rest('parts'),
  };
}

async function hostileLinks(): Promise<unknown> {
  const volume = await mount(podOf('hostile'), { name: 'data', emptyDir: {} });
  await symlink(outside, join(volume.path, 'out'));
  await symlink('/nowhere', join(volume.path, 'dangling'));
  await symlink('loop', join(volume.path, 'loop'));
  const refused: Record<string, string> = {};
  for (const path of ['out', 'out/secret', 'out/new', 'dangling', 'dangling/new', 'loop'])
    refused[path] = await failure(bindPart(volume, 'hostile', path));
  const points = (await mounts.below(join(root, 'pods/hostile'))).length;
  await volume.plugin.unmount({ podUid: 'hostile', volume: 'data' });
  return { refused, points, outside: await readdir(outside) };
}

/** Replaces a folder by a link to elsewhere, over and over, while parts are bound: none may show what is elsewhere. */
async function race(): Promise<unknown> {
  const volume = await mount(podOf('race'), { name: 'data', emptyDir: {} });
  await mkdir(join(volume.path, 'folder'));
  await symlink(outside, join(volume.path, 'link'));
  const swap = `cd "${volume.path}"; while [ ! -e stop ]; do mv folder tmp; mv link folder; mv folder link; mv tmp folder; done`;
  const attacker = spawn('sh', ['-c', swap], { stdio: 'ignore' });
  const ended = new Promise((resolve) => attacker.on('close', resolve));
  let leaks = 0;
  for (let run = 0; run < 20; run += 1) {
    const at = await bindPart(volume, 'race', 'folder').catch(() => undefined);
    if (at !== undefined && (await readdir(at)).includes('secret')) leaks += 1;
  }
  await writeFile(join(volume.path, 'stop'), '');
  await ended;
  await volume.plugin.unmount({ podUid: 'race', volume: 'data' });
  return leaks;
}

async function memory(): Promise<unknown> {
  const resources = { limits: { memory: '8Mi' } };
  const pod = podOf('memory', { containers: [{ name: 'web', image: 'web', resources }] });
  const size = async (emptyDir: object, owner = pod): Promise<number> => {
    const { path, plugin } = await mount(owner, { name: 'data', emptyDir: { medium: 'Memory', ...emptyDir } });
    const stats = await plugin.stats?.({ podUid: 'memory', volume: 'data', path }, signal);
    await chmod(path, 0o700);
    await mount(owner, { name: 'data', emptyDir: { medium: 'Memory', ...emptyDir } });
    if ((await mode(path)) !== '700') throw new Error('a volume that was ready was changed');
    await plugin.unmount({ podUid: 'memory', volume: 'data' });
    return (stats?.capacityBytes ?? 0) / MEBIBYTE;
  };
  const unlimited = podOf('memory');
  return {
    sizes: [await size({}), await size({ sizeLimit: '4Mi' }), await size({}, unlimited)],
    pages: await failure(mount(pod, { name: 'data', emptyDir: { medium: 'HugePages' } })),
    rest: (await mounts.below(join(root, 'pods/memory'))).length,
  };
}

async function secrets(): Promise<unknown> {
  const containers = [
    {
      name: 'web',
      image: 'web',
      volumeMounts: [
        { name: 'data', mountPath: '/keys' },
        { name: 'other', mountPath: '/keys/more' },
      ],
    },
  ];
  const pod = podOf('secrets', { containers, securityContext: { fsGroup: 0 } });
  let text = 'old';
  const payload = async (): Promise<VolumePayload> => ({
    files: [{ path: 'deep/key', mode: 0o400, bytes: Buffer.from(text) }],
    missing: [],
    isFixed: false,
  });
  const { path, plugin } = await mount(pod, { name: 'data', secret: { secretName: 'keys' } }, payload);
  const kind = (await mounts.at(path))?.type;
  text = 'new';
  await mount(pod, { name: 'data', secret: { secretName: 'keys' } }, payload);
  const result = {
    kind,
    text: await readFile(join(path, 'deep/key'), 'utf8'),
    modes: [await mode(path), await mode(join(path, 'deep')), await mode(join(path, 'deep/key'))],
    isPoint: (await lstat(join(path, 'more'))).isDirectory(),
    found: (await plugin.mounted()).map(({ podUid, volume }) => `${podUid}/${volume}`),
  };
  await plugin.unmount({ podUid: 'secrets', volume: 'data' });
  return { ...result, rest: await rest('secrets') };
}

async function removal(): Promise<unknown> {
  const folder = join(base, 'removed');
  await mkdir(join(folder, 'a/bound'), { recursive: true });
  await writeFile(join(folder, 'a/file'), '');
  await mounts.bind(outside, join(folder, 'a/bound'));
  const refused = await failure(removeTree(folder));
  await mounts.removeFolder(folder);
  const kept = await readdir(outside);
  let deep = folder;
  for (let level = 0; level < 300; level += 1) deep = join(deep, 'd');
  await mkdir(deep, { recursive: true });
  await symlink(outside, join(deep, 'link'));
  await removeTree(folder);
  return { refused, kept, isGone: (await failure(stat(folder))).includes('ENOENT'), still: await readdir(outside) };
}

async function busy(): Promise<unknown> {
  const { path, plugin } = await mount(podOf('busy'), { name: 'data', emptyDir: { medium: 'Memory' } });
  const child = spawn('sh', ['-c', 'echo; cat'], { cwd: path, stdio: ['pipe', 'pipe', 'ignore'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const refused = await failure(plugin.unmount({ podUid: 'busy', volume: 'data' }));
  child.stdin.end();
  await new Promise((resolve) => child.on('close', resolve));
  await plugin.unmount({ podUid: 'busy', volume: 'data' });
  return { refused: /busy/.test(refused), rest: await rest('busy') };
}

async function local(): Promise<unknown> {
  const persistentVolume = {
    kind: 'PersistentVolume' as const,
    apiVersion: 'v1' as const,
    metadata: { name: 'disk', uid: 'v', resourceVersion: '1', creationTimestamp: '' },
    spec: { local: { path: outside } },
  };
  const volume = { name: 'data', persistentVolumeClaim: { claimName: 'c', readOnly: true } };
  const plugin = plugins.find((each) => each.supports({ volume, persistentVolume }));
  const request = { pod: podOf('local'), volume, persistentVolume, payload: undefined, signal };
  const path = (await plugin?.mount(request)) ?? '';
  const seen = await readdir(path);
  const written = await failure(writeFile(join(path, 'x'), ''));
  await plugin?.unmount({ podUid: 'local', volume: 'disk' });
  return { at: path.slice(root.length), seen, written: written.includes('EROFS'), rest: await rest('local') };
}

/** Without the helper of NFS. With it, the mount program would wait for the server. */
async function nfs(): Promise<unknown> {
  if (existsSync('/sbin/mount.nfs')) return [];
  const volume = { name: 'data', nfs: { server: '127.0.0.1', path: '/none' } };
  const message = await failure(mount(podOf('nfs'), volume));
  return message.replaceAll(root, 'ROOT').split('\n').slice(0, 3);
}

const trials = { partsOfVolumes, hostileLinks, race, memory, secrets, removal, busy, local, nfs };

async function main(): Promise<void> {
  const results: Record<string, unknown> = {};
  try {
    for (const [name, trial] of Object.entries(trials))
      results[name] = await trial().catch((error: unknown) => ({
        failed: error instanceof Error ? error.stack : error,
      }));
  } finally {
    await mounts.unmountBelow(base);
    await rm(base, { recursive: true, force: true });
  }
  process.stdout.write(JSON.stringify(results));
}

void main();
