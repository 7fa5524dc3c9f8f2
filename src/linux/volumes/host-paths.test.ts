import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { discardLogger, messageOf, VirtualClock } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { Volume } from '../../node/index.ts';
import { Mounts, SmallShell } from '../../system/index.ts';
import { HostPaths } from './host-paths.ts';
import { SubPaths } from './sub-paths.ts';

type HostPathType = NonNullable<NonNullable<Volume['hostPath']>['type']>;

let folder: string;
let server: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-host-path-'));
});
afterEach(async () => {
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The path that is mounted, or why there is none. */
async function mount(name: string, type?: HostPathType | 'Door'): Promise<string> {
  const plugin = new HostPaths({
    root: folder,
    subPaths: new SubPaths(folder, { mounts: new Mounts(new SmallShell(new VirtualClock())), log: discardLogger }),
  });
  const metadata = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  const pod: Observed<Pod> = { kind: 'Pod', apiVersion: 'v1', metadata };
  const volume: Volume = {
    name: 'data',
    hostPath: { path: join(folder, name), ...(type === undefined ? {} : { type: type as HostPathType }) },
  };
  const signal = new AbortController().signal;
  const request = { pod, volume, persistentVolume: undefined, payload: undefined, signal };
  return await plugin.mount(request).then(
    (path) => path.slice(folder.length),
    (error) => messageOf(error).replace(folder, ''),
  );
}

test('a path without a type is mounted as it is, also when there is nothing', async () => {
  expect(await mount('none')).toBe('/none');
  expect(await mount('none', '')).toBe('/none');
});

test('a path has to be what its type says', async () => {
  await writeFile(join(folder, 'file'), '');
  await symlink('file', join(folder, 'link'));
  server = createServer();
  await new Promise<void>((resolve) => server?.listen(join(folder, 'socket'), resolve));
  expect(await mount('', 'Directory')).toBe('');
  expect(await mount('link', 'File')).toBe('/link');
  expect(await mount('socket', 'Socket')).toBe('/socket');
  expect(await mount('none', 'Directory')).toBe('hostPath type check failed: /none is not a directory');
  expect(await mount('file', 'Directory')).toBe('hostPath type check failed: /file is not a directory');
  expect(await mount('file', 'DirectoryOrCreate')).toBe('hostPath type check failed: /file is not a directory');
  expect(await mount('', 'FileOrCreate')).toBe('hostPath type check failed:  is not a file');
  expect(await mount('file', 'Socket')).toBe('hostPath type check failed: /file is not a socket file');
  expect(await mount('file', 'CharDevice')).toBe('hostPath type check failed: /file is not a character device');
  expect(await mount('file', 'BlockDevice')).toBe('hostPath type check failed: /file is not a block device');
  expect(await mount('file', 'Door')).toBe('Door is an invalid volume type');
});

test('what is missing is made, but not the folder of a file', async () => {
  expect(await mount('a/b', 'DirectoryOrCreate')).toBe('/a/b');
  expect((await stat(join(folder, 'a/b'))).isDirectory()).toBe(true);
  expect(await mount('a/file', 'FileOrCreate')).toBe('/a/file');
  expect((await stat(join(folder, 'a/file'))).isFile()).toBe(true);
  expect(await mount('none/file', 'FileOrCreate')).toContain('ENOENT');
});
