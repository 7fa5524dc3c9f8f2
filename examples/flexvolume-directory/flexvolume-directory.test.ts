import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundlePlugin } from '../../test/support/bundle-plugin.ts';
import { FlexNode } from '../../test/support/flex-node.ts';
import { skipWhen } from '../../src/base/testing/requires.ts';
import { directory } from './flexvolume-directory.ts';

const main = join(import.meta.dirname, 'main.ts');
const isRoot = process.getuid?.() === 0;

test('the driver tells what it can do, and refuses what it cannot', async () => {
  expect(JSON.parse((await directory.run(['init'])).stdout)).toEqual({
    status: 'Success',
    capabilities: { attach: false, selinuxRelabel: true, supportsMetrics: true, fsGroup: true, requiresFSResize: true },
  });
  expect(await directory.run(['attach', '{}', 'n1'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Not supported'),
  });
  expect(JSON.parse((await directory.run(['mount', '/nowhere', '{"base":"here"}'])).stdout)).toEqual({
    status: 'Failure',
    message: 'base must be a path of the node, got "here"',
  });
});

test('packed as a file, it is a driver by itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-flex-'));
  const program = await bundlePlugin(main, join(folder, 'directory'));
  const { stdout } = await promisify(execFile)(program, ['init']);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'Success' });
  expect((await readFile(program)).length).toBeLessThan(20_000);
  await rm(folder, { recursive: true });
});

test(
  'pods of a namespace share a folder, and what they write stays',
  skipWhen(!isRoot, 'mounts need root'),
  async () => {
    await using node = await FlexNode.create();
    await bundlePlugin(main, await node.driverPath('example.com/directory'));
    const source = { driver: 'example.com/directory', options: { base: join(node.folder, 'srv') } };

    const first = await node.mount('u1', source);
    await writeFile(join(first, 'log'), 'hello');
    const second = await node.mount('u2', { ...source, readOnly: true });
    expect(await readFile(join(second, 'log'), 'utf8')).toBe('hello');
    await expect(writeFile(join(second, 'log'), '')).rejects.toThrow('EROFS');
    await node.unmount('u1');
    await node.unmount('u2');

    expect(await readFile(join(node.folder, 'srv', 'default', 'log'), 'utf8')).toBe('hello');
    expect(await node.mountPoints()).toEqual([]);
  },
);
