import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { RealClock } from '../base/index.ts';
import { ConfigMap } from '../client/index.ts';
import { TestCluster } from '../client/testing/test-cluster.ts';
import { app, controller, run } from './index.ts';

/** Captures what the program writes to standard error, and the exit code that it sets. */
function watchProcess(): { readonly lines: string[] } {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const code = process.exitCode;
  onTestFinished(() => {
    vi.restoreAllMocks();
    process.exitCode = code;
  });
  return { lines };
}

describe('run()', () => {
  test('finds the cluster by kubeconfig, works until SIGTERM, and lets work finish', async () => {
    await using cluster = await TestCluster.start({ clock: new RealClock() });
    const folder = await mkdtemp(join(tmpdir(), 'kit-run-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const kubeconfig = join(folder, 'config');
    await writeFile(kubeconfig, cluster.kubeconfig());
    const { lines } = watchProcess();
    const done: string[] = [];
    let begun = (): void => undefined;
    let finish = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const finishing = new Promise<void>((resolve) => (finish = resolve));
    const maps = controller(ConfigMap, {
      where: { labelSelector: 'mine' },
      async reconcile(map, { signal, objects, key }) {
        begun();
        await finishing;
        const { data } = await objects(ConfigMap).update({ ...map, data: { seen: 'yes' } });
        done.push(`${key} ${data?.['seen']} ${signal.aborted}`);
      },
    });
    const before = process.listenerCount('SIGTERM');
    const running = run(app('mapper', [maps]), { kubeconfig });
    const client = cluster.client();
    await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm', labels: { mine: '' } } });
    await hasBegun;
    process.emit('SIGTERM', 'SIGTERM');
    finish();
    await running;

    expect(done).toEqual(['default/m yes false']);
    const { metadata } = await client.core.v1.configmaps.namespace('default').get('m');
    expect(metadata.managedFields?.map(({ manager }) => manager)).toContain('mapper');
    expect(process.listenerCount('SIGTERM')).toBe(before);
    expect(lines.map((line) => / "(.*?)"/.exec(line)?.[1])).toEqual(['app runs', 'app stopped']);
    expect(process.exitCode ?? 0).toBe(0);
  });

  test('in a process of its own, ends at SIGTERM while a reconciler asks for after(0) without end', async () => {
    await using cluster = await TestCluster.start({ clock: new RealClock() });
    const folder = await mkdtemp(join(tmpdir(), 'kit-run-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const kubeconfig = join(folder, 'config');
    await writeFile(kubeconfig, cluster.kubeconfig());
    const configMaps = cluster.client().core.v1.configmaps.namespace('default');
    await configMaps.create({ metadata: { name: 'm', labels: { mine: '' } } });
    const root = join(import.meta.dirname, '..', '..');
    const program = [join(root, 'scripts', 'run.mjs'), join(import.meta.dirname, 'testing', 'restless-app.ts')];
    const child = spawn(process.execPath, program, {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    expect(String((await once(child.stdout, 'data'))[0])).toContain('a thousand runs');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('logs what went wrong, and sets the exit code', async () => {
    const { lines } = watchProcess();
    await run(app('mapper', []), { kubeconfig: '/none', logFormat: 'json' });
    expect(process.exitCode).toBe(1);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'error', msg: 'app failed', app: 'mapper' });
  });
});
