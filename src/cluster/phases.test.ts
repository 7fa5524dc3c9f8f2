import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { discardLogger, messageOf, RealClock, SeededRandom } from '../base/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';
import { startControlPlane } from './start-control-plane.ts';

/** Storage, keys, encryption, access, admission, port: each phase of a start with a value that it cannot use, and its error. */
async function wrongInEveryPhase(): Promise<readonly (readonly [RegExp, Partial<ControlPlaneOptions>])[]> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-phases-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'file');
  await writeFile(file, 'not a folder');
  const serving = { pkiFolder: join(folder, 'pki'), listen: { host: '192.0.2.1', port: 0 } };
  const configuration = { EventRateLimit: 'kind: Nonsense' };
  return [
    [
      /^Cannot open store/,
      { storage: { type: 'durable', folder: file, encryption: { path: file, isReloading: false } } },
    ],
    [/^Cannot read .*ca\.crt/, { serving: { ...serving, pkiFolder: file } }],
    [
      /error decoding encryption provider configuration/,
      { storage: { type: 'memory', encryption: { path: file, isReloading: false } } },
    ],
    [/authorization-mode "Nonsense"/, { access: { authorization: { modes: ['Nonsense'] } } }],
    [/couldn't init admission plugin/, { admission: { enable: ['EventRateLimit'], configuration } }],
    [/EADDRNOTAVAIL/, { serving }],
  ];
}

test('a start fails in its first phase with a wrong value: storage, keys, encryption, access, admission, port', async () => {
  const good: ControlPlaneOptions = {
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    clock: new RealClock(),
    random: new SeededRandom('phases'),
    log: discardLogger,
    signal: new AbortController().signal,
  };
  const wrong = await wrongInEveryPhase();
  const failures: string[] = [];
  for (let phase = 0; phase < wrong.length; phase++) {
    const options = wrong.slice(phase).reduceRight<ControlPlaneOptions>((all, [, each]) => ({ ...all, ...each }), good);
    failures.push(await startControlPlane(options).then(() => 'started', messageOf));
  }
  expect(failures).toEqual(wrong.map(([message]) => expect.stringMatching(message) as string));
  await using _plane = await startControlPlane(good);
});
