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

/** Enough to start with, and soon full. */
const HEAP = '--max-old-space-size=64';
/** Of each pod; controllers, scheduler and nodes keep pods in their caches. */
const ANNOTATION_BYTES = 200_000;
const MAX_PODS = 300;

test('a process whose heap fills with objects stops its programs, serves on and ends well', async () => {
  const kubeconfig = join(keelson.folder, 'kubeconfig');
  const flags = ['--in-memory', '--port=0', `--kubeconfig-out=${kubeconfig}`];
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
  for (let index = 0; index < MAX_PODS && !isOff(); index++) {
    const a = String(index).padEnd(ANNOTATION_BYTES, 'x');
    await pods.create({ metadata: { name: `p${index}`, annotations: { a } }, spec });
  }
  expect(lines).toContainEqual(expect.stringMatching(/^programs are off: objects fill \d+ of 64 MB of the heap;/));
  expect(await client.text('/readyz')).toBe('ok');
  await pods.deleteCollection({ gracePeriodSeconds: 0 });
  up.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
