import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { BundledCommand } from '../support/bundled-command.ts';

let keelson: BundledCommand;
beforeAll(async () => {
  keelson = await BundledCommand.make();
});
afterAll(() => keelson[Symbol.asyncDispose]());

/** Half of it is enough to start with, and it is soon full. */
const HEAP = '--max-old-space-size=96';
/** Of each pod; controllers, scheduler and nodes keep pods in their caches. */
const ANNOTATION_BYTES = 250_000;
const MAX_PODS = 300;

test('a process whose heap fills with objects stops its programs, serves on, and runs them again when there is room', async () => {
  const kubeconfig = join(keelson.folder, 'kubeconfig');
  const flags = ['--in-memory', '--port=0', '--store-history-bytes=64Ki', `--kubeconfig-out=${kubeconfig}`];
  const up = spawn(process.execPath, [HEAP, keelson.path, 'up', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void up.kill('SIGKILL'));
  up.stderr.resume();
  const ended = once(up, 'exit');
  const lines: string[] = [];
  const reading = createInterface(up.stdout);
  reading.on('line', (line) => lines.push(line));
  while (!lines.some((line) => line.startsWith('ready at'))) await once(reading, 'line');

  await using client = await connect({ kubeconfig, environment: {} });
  const pods = client.core.v1.pods.namespace('default');
  const isOff = (): boolean => lines.some((line) => line.startsWith('programs are off: objects fill'));
  const spec = { nodeSelector: { no: 'where' }, containers: [{ name: 'a', image: 'a' }] };
  let made = 0;
  for (; made < MAX_PODS && !isOff(); made++) {
    const a = String(made).padEnd(ANNOTATION_BYTES, 'x');
    await pods.create({ metadata: { name: `p${made}`, annotations: { a } }, spec });
  }
  expect(lines).toContainEqual(expect.stringMatching(/^programs are off: objects fill \d+ of 96 MB of the heap;/));
  expect(await client.text('/readyz')).toBe('ok');
  while (made > 0) await pods.delete(`p${--made}`, { gracePeriodSeconds: 0 });
  await expect.poll(() => lines, { timeout: 120_000, interval: 500 }).toContain('programs are on again');
  await pods.create({ metadata: { name: 'after' }, spec: { containers: [{ name: 'a', image: 'a' }] } });
  await expect.poll(async () => (await pods.get('after')).status?.phase).toBe('Running');
  up.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
