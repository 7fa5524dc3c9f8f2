import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { skipWhen } from '../../src/base/testing/requires.ts';

const ENTER = ['--mount', '--net', '--pid', '--fork', '--mount-proc', '--propagation', 'private'];
const LOGIND = '/lib/systemd/systemd-logind';
const isThere = (program: string): boolean => spawnSync('which', [program]).status === 0;
const canRun =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  ['dbus-daemon', 'busctl', 'systemd-inhibit'].every(isThere) &&
  existsSync(LOGIND) &&
  spawnSync('unshare', [...ENTER, 'true']).status === 0;

/** A bus and a logind of their own, which end with the namespaces. */
const SURROUNDINGS = `
mount -t tmpfs tmpfs /run
mkdir -p /run/dbus /run/systemd/system /run/systemd/seats /run/systemd/users /run/systemd/sessions /run/systemd/inhibit
dbus-daemon --system --fork --nopidfile
${LOGIND} >/dev/null 2>&1 &
until busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager InhibitDelayMaxUSec >/dev/null 2>&1; do
  kill -0 $! || exit 1
done
"$@"
`;

let results: Readonly<Record<string, unknown>> = {};

describe('logind', skipWhen(!canRun, 'it needs root, dbus-daemon, busctl, systemd-inhibit and systemd-logind'), () => {
  beforeAll(async () => {
    const root = join(import.meta.dirname, '../..');
    const folder = await mkdtemp(join(root, 'node_modules', '.logind-'));
    try {
      const outfile = join(folder, 'trial.mjs');
      const entryPoints = [join(root, 'test/logind/logind-trial.ts')];
      const how = {
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
        logLevel: 'error',
        target: 'node20',
      } as const;
      await build({ entryPoints, outfile, ...how });
      const command = ['bash', '-c', SURROUNDINGS, 'bash', process.execPath, outfile];
      const { stdout } = await promisify(execFile)('unshare', [...ENTER, ...command]);
      results = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('announces shutdowns and cancellations, and is delayed until pods have ended', () => {
    expect(results['once']).toEqual({
      seen: [true, false],
      held: [true, true, true, true],
      line: 'kubelet systemd-inhibit shutdown Kubelet needs time to handle node shutdown delay',
    });
  });

  test('is asked to wait for as long as pods may take; where it cannot be, the log says so', () => {
    expect(results['tooLong']).toEqual({
      message: expect.stringContaining('shutdowns of the machine cannot be delayed: busctl call failed'),
      written: '# Written by the agent of this node\n[Login]\nInhibitDelayMaxSec=30\n',
    });
  });
});
