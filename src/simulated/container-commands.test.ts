import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NodeAgent } from '../node/index.ts';
import type { NodeCluster } from '../node/testing/node-cluster.ts';
import { startNodes } from './testing/simulated-nodes.ts';

const { signal } = new AbortController();

describe('the command of a simulated container', () => {
  let cluster: NodeCluster;
  let agent: NodeAgent;

  beforeAll(async () => {
    cluster = await startNodes({ onAgent: (made) => (agent = made) });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  async function log(name: string): Promise<string> {
    const all: Uint8Array[] = [];
    for await (const bytes of agent.streams.logs(`default/${name}`, 'web', { signal })) all.push(bytes);
    return Buffer.concat(all).toString();
  }

  async function state(name: string): Promise<unknown> {
    const { status } = await cluster.pods.get(name);
    const [container] = status?.containerStatuses ?? [];
    return [status?.phase, container?.ready, container?.state?.terminated?.exitCode];
  }

  function pod(command: readonly string[], more: object = {}): object {
    return { restartPolicy: 'Never', containers: [{ name: 'web', image: 'busybox', command, ...more }] };
  }

  async function run(name: string, spec: object, metadata: object = {}): Promise<void> {
    await cluster.run({ metadata: { name, ...metadata }, spec } as Parameters<NodeCluster['run']>[0]);
  }

  test('logs, waits by the clock, and exits with its code', async () => {
    await run('script', pod(['sh', '-c', 'echo hi; sleep 5; echo bye; exit 3']));
    await cluster.advance('4s');
    expect([await state('script'), await log('script')]).toEqual([['Running', true, undefined], 'hi\n']);
    await cluster.advance('2s');
    expect([await state('script'), await log('script')]).toEqual([['Failed', false, 3], 'hi\nbye\n']);
  });

  test('that is not known runs until it is stopped, and in a Job ends well after a second', async () => {
    const labels = { 'batch.kubernetes.io/job-name': 'report' };
    await run('server', pod(['/app/server']));
    await run('wrapped', pod(['sh', '-c', 'echo starting; exec /app/server']));
    await run('job', pod(['/app/report']), { labels });
    await cluster.advance('10s');
    expect([await state('server'), await state('wrapped'), await state('job')]).toEqual([
      ['Running', true, undefined],
      ['Running', true, undefined],
      ['Succeeded', false, 0],
    ]);
    expect([await log('server'), await log('wrapped')]).toEqual(['container web started\n', 'starting\n']);
  });

  test('is overruled by annotations', async () => {
    const annotations = { 'sim.keelson.dev/exit-code': '7', 'sim.keelson.dev/log': 'scripted' };
    await run('scripted', pod(['sh', '-c', 'echo hi; exit 3']), { annotations });
    await cluster.advance('1s');
    expect([await state('scripted'), await log('scripted')]).toEqual([['Failed', false, 7], 'scripted\n']);
  });

  test('shares its files with probes, and volumes with other containers', async () => {
    const mount = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const readinessProbe = { exec: { command: ['test', '-f', '/data/x'] }, periodSeconds: 1 };
    const spec = pod(['sh', '-c', 'cat /data/first; sleep 5; touch /data/x; sleep 600'], { ...mount, readinessProbe });
    const init = { name: 'setup', image: 'busybox', command: ['sh', '-c', 'echo from init > /data/first'], ...mount };
    await run('probed', { ...spec, volumes: [{ name: 'data', emptyDir: {} }], initContainers: [init] });
    await cluster.advance('3s');
    expect([await state('probed'), await log('probed')]).toEqual([['Running', false, undefined], 'from init\n']);
    await cluster.advance('5s');
    expect(await state('probed')).toEqual(['Running', true, undefined]);
  });

  test('handles the signal that stops it', async () => {
    const script = "trap 'echo stopping; exit 4' TERM; while true; do sleep 1; done";
    await run('trapping', pod(['sh', '-c', script]));
    const logs = log('trapping');
    await cluster.pods.delete('trapping');
    await cluster.advance('2s');
    await expect(cluster.pods.get('trapping')).rejects.toThrow('not found');
    expect(await logs).toBe('');
  });
});
