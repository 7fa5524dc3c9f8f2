import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bridgeProblem } from './bridge-filter.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-bridge-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function set(ipv4: string, ipv6: string): Promise<void> {
  await writeFile(join(folder, 'bridge-nf-call-iptables'), `${ipv4}\n`);
  await writeFile(join(folder, 'bridge-nf-call-ip6tables'), `${ipv6}\n`);
}

test('a kernel that filters bridged packets has no problem', async () => {
  await set('1', '1');

  expect(await bridgeProblem(folder)).toBeUndefined();
});

test('what is off is named with the command that turns it on', async () => {
  await set('1', '0');
  expect(await bridgeProblem(folder)).toMatch(/: sysctl -w net\.bridge\.bridge-nf-call-ip6tables=1$/);

  await set('0', '0');
  expect(await bridgeProblem(folder)).toMatch(/iptables=1 && sysctl -w net\.bridge\.bridge-nf-call-ip6tables=1$/);
});

test('a kernel without the module says how to load it', async () => {
  expect(await bridgeProblem(join(folder, 'none'))).toContain('modprobe br_netfilter');
});
