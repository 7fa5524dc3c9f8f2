// A program is one folder (heartbeat) and one line (one-line.ts): nothing else names it.
import { startCluster } from 'keelson/testing';
import { expect, test, vi } from 'vitest';
import { flagsPage } from '../../scripts/flags-page.ts';
import { CryptoRandom, discardLogger, RealClock } from '../../src/base/index.ts';
import { runProgram } from '../../src/cli/program.ts';
import { launchCluster } from '../../src/cluster/index.ts';
import { withHeartbeat } from './one-line.ts';

interface Running {
  readonly ended: Promise<number>;
  stop(): void;
  printed(): string;
}

function start(...args: readonly string[]): Running {
  let stop = (): void => undefined;
  let printed = '';
  const process = {
    env: {},
    stdout: { write: (text: string) => (printed += text) },
    stderr: { write: (text: string) => (printed += text) },
    once: (event: string, listener: () => void) => event === 'SIGTERM' && (stop = listener),
  };
  const ended = runProgram(args, process, withHeartbeat);
  return { ended, stop: () => stop(), printed: () => printed };
}

async function printedBy(...args: readonly string[]): Promise<string> {
  const { ended, printed } = start(...args);
  await ended;
  return printed();
}

test('the command line, its help and the page of flags know the program', async () => {
  expect(await printedBy('help')).toMatch(/Run parts of one:\n[^]*\n {2}heartbeat +Tell each namespace\n/);
  expect(await printedBy('help', 'heartbeat')).toContain('--beat TEXT');
  expect(await printedBy('heartbeat', '--help-all')).toMatch(
    /\nHeartbeat:\n {2}--beat TEXT +The text that each namespace gets\n/,
  );
  expect(await printedBy('up', '--help-all')).toMatch(
    /\nHeartbeat:\n {2}--beat TEXT +The text that each namespace gets\n/,
  );
  expect(await printedBy('heartbeat', '--baet=x')).toContain('unknown flag --baet; did you mean --beat?');
  expect(await printedBy('heartbeat', '--rhythm=wild')).toContain('--rhythm is refused: a heart has one rhythm');
  const page = await flagsPage(withHeartbeat);
  expect(page).toMatch(/## heartbeat\n\n2 flags: 1 obeyed, 0 accepted, 1 refused\./);
  expect(page).toContain('## heartbeat, as `keelson heartbeat`');
});

test('a cluster runs it with its identity, its user agent and its role', async () => {
  const added = { programs: withHeartbeat, heartbeat: 'steady' };
  await using cluster = await launchCluster({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    nodes: 0,
    scheduler: false,
    controllers: false,
    admission: { disable: ['ServiceAccount'] },
    clock: new RealClock(),
    random: new CryptoRandom(),
    log: discardLogger,
    signal: new AbortController().signal,
    ...added,
  });
  await using client = cluster.plane.client({ user: 'admin', groups: ['system:masters'] });
  await vi.waitFor(async () => {
    const map = await client.core.v1.configmaps.namespace('default').get('heartbeat');
    expect(map.data).toEqual({ beat: 'steady' });
    expect(map.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['heartbeat']);
  }, 120_000);
  const binding = await client.rbac.v1.clusterrolebindings.get('keelson:heartbeat');
  expect(binding.subjects).toEqual([{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:heartbeat' }]);
});

test('it runs alone on any API server', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const running = start('heartbeat', `--kubeconfig=${await cluster.kubeconfig()}`, '--beat=apart');
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  await vi.waitFor(async () => expect((await maps.get('heartbeat')).data).toEqual({ beat: 'apart' }), 120_000);
  running.stop();
  expect(await running.ended).toBe(0);
  expect(running.printed()).toContain('working on https://');
});
