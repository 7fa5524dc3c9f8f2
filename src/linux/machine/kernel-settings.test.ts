import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureKernelSettings } from './kernel-settings.ts';

const AS_BOOTED = {
  'vm/overcommit_memory': 0,
  'vm/panic_on_oom': 0,
  'kernel/panic': 0,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-kernel-'));
  for (const [name, value] of Object.entries(AS_BOOTED)) {
    const path = join(root, 'proc/sys', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${value}\n`);
  }
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

const setting = async (name: string): Promise<string> => (await readFile(join(root, 'proc/sys', name), 'utf8')).trim();

test('settings of the kernel become what a kubelet wants, and are otherwise left as they are', async () => {
  await ensureKernelSettings('leave', root);
  expect(await setting('kernel/panic')).toBe('0');
  await ensureKernelSettings('change', root);
  expect(await setting('kernel/panic')).toBe('10');
  expect(await setting('vm/overcommit_memory')).toBe('1');
  await ensureKernelSettings('check', root);
});

test('a node that protects the settings of the kernel names each one that is wrong, and changes none', async () => {
  await expect(ensureKernelSettings('check', root)).rejects.toThrow(
    "Cannot use the settings of this machine's kernel: [invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: 0, invalid kernel flag: kernel/panic, expected value: 10, actual value: 0]; protectKernelDefaults: false lets the node change them",
  );
  expect(await setting('kernel/panic')).toBe('0');
});
