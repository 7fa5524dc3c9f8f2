import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePorts } from '../../peers/index.ts';

const root = join(import.meta.dirname, '..', '..');
let folder = '';
let bundle = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-waiting-'));
  bundle = join(folder, 'keelson.mjs');
  const esbuild = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');
  const options = ['--bundle', '--platform=node', '--format=esm', '--target=node20', '--log-level=error'];
  const entry = join(root, 'src/cli/main.ts');
  execFileSync(esbuild, [entry, ...options, '--define:KEELSON_VERSION="0"', `--outfile=${bundle}`]);
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['up', ['--port=0', '--nodes=0']],
  ['apiserver', ['--secure-port=0']],
])(
  'keelson %s waits for an etcd that is away, says so, and ends when it is told to',
  { timeout: 60_000 },
  async (command, flags) => {
    const [port] = await freePorts(1);
    const place = command === 'up' ? `--data-dir=${join(folder, 'up')}` : `--cert-dir=${join(folder, 'certs')}`;
    const args = [bundle, command, `--etcd-servers=http://127.0.0.1:${port}`, place, ...flags];
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (text) => (told += String(text)));
    const ended = once(started, 'exit');

    await vi.waitFor(
      () => expect(told).toMatch(new RegExp(`waiting for etcd.*127.0.0.1:${port}.*ECONNREFUSED`)),
      30_000,
    );
    started.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);
