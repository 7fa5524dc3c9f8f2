import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePorts } from '../../peers/index.ts';
import { BundledCommand } from '../support/bundled-command.ts';

let keelson: BundledCommand;
beforeAll(async () => {
  keelson = await BundledCommand.make();
});
afterAll(() => keelson[Symbol.asyncDispose]());

test.each([
  ['up', ['--port=0', '--nodes=0']],
  ['apiserver', ['--secure-port=0']],
])('keelson %s waits for an etcd that is away, logs that, and ends on SIGTERM', async (command, flags) => {
  const [port] = await freePorts(1);
  const { folder, path } = keelson;
  const place = command === 'up' ? `--data-dir=${join(folder, 'up')}` : `--cert-dir=${join(folder, 'certs')}`;
  const args = [path, command, `--etcd-servers=http://127.0.0.1:${port}`, place, ...flags];
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = once(started, 'exit');

  await vi.waitFor(
    () => expect(output).toMatch(new RegExp(`waiting for etcd.*127.0.0.1:${port}.*ECONNREFUSED`)),
    120_000,
  );
  started.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
