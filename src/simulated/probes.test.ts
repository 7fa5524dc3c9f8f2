import { createServer, type Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VirtualClock } from '../base/index.ts';
import { NetworkActions, RuntimeError, type RuntimeService } from '../node/index.ts';
import type { NodeCluster } from '../node/testing/node-cluster.ts';
import { startNodes } from './testing/simulated-nodes.ts';

const probe = { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 3 };

async function readiness(cluster: NodeCluster): Promise<string> {
  const { started, ready, restartCount } = (await cluster.pods.get('web')).status?.containerStatuses?.[0] ?? {};
  return `${started === true ? 'started' : 'not started'}, ${ready === true ? 'ready' : 'not ready'}, ${restartCount} restarts`;
}

describe('probes of a pod on a simulated node', () => {
  test('make it ready from the first success on', async () => {
    await using cluster = await startNodes();
    await cluster.run({
      metadata: { name: 'web', annotations: { 'sim.keelson.dev/ready-after': '12s' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1', readinessProbe: { ...probe, initialDelaySeconds: 5 } }] },
    });
    const seen: string[] = [];
    for (const wait of ['0s', '12s', '3s'] as const) {
      await cluster.advance(wait);
      seen.push(await readiness(cluster));
    }
    expect(seen).toEqual([
      'started, not ready, 0 restarts',
      'started, not ready, 0 restarts',
      'started, ready, 0 restarts',
    ]);
    expect(await cluster.events('web')).toContain('Warning Unhealthy: Readiness probe failed: scripted');
  });

  test('run in order: no other probe runs before the startup probe has succeeded', async () => {
    await using cluster = await startNodes();
    await cluster.run({
      metadata: { name: 'web', annotations: { 'sim.keelson.dev/started-after': '11s' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1', startupProbe: probe, readinessProbe: probe }] },
    });
    expect(await readiness(cluster)).toBe('not started, not ready, 0 restarts');
    await cluster.advance('19s');
    expect(await readiness(cluster)).toBe('not started, not ready, 0 restarts');
    await cluster.advance('1s');
    expect(await readiness(cluster)).toBe('started, ready, 0 restarts');
  });

  test('kill a container that is not alive, and it is restarted', async () => {
    await using cluster = await startNodes();
    const annotations = { 'sim.keelson.dev/unhealthy-after': '25s,never' };
    await cluster.run({
      metadata: { name: 'web', annotations },
      spec: { containers: [{ name: 'web', image: 'nginx:1', livenessProbe: probe }] },
    });
    await cluster.advance('49s');
    expect(await readiness(cluster)).toBe('started, ready, 0 restarts');
    await cluster.advance('1s');
    expect(await readiness(cluster)).toBe('started, ready, 1 restarts');
    expect(await cluster.events('web')).toContain(
      'Normal Killing: Container web failed liveness probe, will be restarted',
    );
    const { resourceVersion } = (await cluster.pods.get('web')).metadata;
    await cluster.advance('1h');
    expect((await cluster.pods.get('web')).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('kill a container that never starts, finally if it must not be restarted', async () => {
    await using cluster = await startNodes();
    await cluster.run({
      metadata: { name: 'web', annotations: { 'sim.keelson.dev/started-after': 'never' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'web', image: 'nginx:1', startupProbe: probe }] },
    });
    await cluster.advance('20s');
    expect(await cluster.events('web')).toContain('Normal Killing: Container web failed startup probe');
    expect((await cluster.pods.get('web')).status?.phase).toBe('Succeeded'); // exits with 0 when it is stopped
  });

  test('keep their results when the node restarts', async () => {
    await using cluster = await startNodes();
    await cluster.run({
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'nginx:1', startupProbe: probe, readinessProbe: probe }] },
    });
    expect(await readiness(cluster)).toBe('started, ready, 0 restarts');
    const before = await cluster.pods.get('web');
    await cluster.stopNodes();
    await cluster.startNodes();
    await cluster.advance('1m');
    expect(await cluster.pods.get('web')).toEqual(before);
  });

  test('follow a changed script', async () => {
    await using cluster = await startNodes();
    const pod = await cluster.run({
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'nginx:1', readinessProbe: probe }] },
    });
    const annotations = { 'sim.keelson.dev/ready-after': 'never' };
    await cluster.pods.update({ ...pod, metadata: { ...pod.metadata, annotations } });
    await cluster.advance('29s');
    expect(await readiness(cluster)).toBe('started, ready, 0 restarts');
    await cluster.advance('1s');
    expect(await readiness(cluster)).toBe('started, not ready, 0 restarts');
  });
});

describe('lifecycle hooks', () => {
  const exec = { exec: { command: ['true'] } };

  test('that fail after the start stop the container again', async () => {
    await using cluster = await startNodes();
    const pod = await cluster.run({
      metadata: { name: 'web', annotations: { 'sim.keelson.dev/exec-code': '1' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1', lifecycle: { postStart: exec } }] },
    });
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('PostStartHookError');
    expect(await cluster.events('web')).toEqual(
      expect.arrayContaining([
        'Warning FailedPostStartHook: PostStartHook failed',
        'Normal Killing: FailedPostStartHook',
      ]),
    );
  });

  test('before the stop are awaited, at most for the grace period', async () => {
    await using cluster = await startNodes();
    const hooked = (name: string, seconds: number): Promise<unknown> =>
      cluster.run({
        metadata: { name },
        spec: {
          terminationGracePeriodSeconds: 20,
          containers: [{ name: 'web', image: 'nginx:1', lifecycle: { preStop: { sleep: { seconds } } } }],
        },
      });
    await hooked('short', 10);
    await hooked('long', 19);
    await cluster.pods.delete('short');
    await cluster.pods.delete('long', { gracePeriodSeconds: 12 });
    const left = async (): Promise<string[]> => (await cluster.pods.list()).items.map(({ metadata }) => metadata.name);
    await cluster.advance('9s');
    expect(await left()).toEqual(['long', 'short']);
    await cluster.advance('1s');
    expect(await left()).toEqual(['long']);
    await cluster.advance('2s');
    expect(await left()).toEqual([]);
  });
});

describe('probes over the network', () => {
  let server: Server;
  const actions = (exitCode: number | 'late' = 0): NetworkActions => {
    const execSync = async (): Promise<unknown> => {
      if (exitCode === 'late') throw new RuntimeError('DeadlineExceeded', 'command timed out');
      return { exitCode, stdout: Buffer.from('out'), stderr: Buffer.from('err') };
    };
    return new NetworkActions({ execSync } as unknown as RuntimeService, new VirtualClock());
  };
  const target = {
    containerId: 'c',
    container: { name: 'web', ports: [{ name: 'http', containerPort: 1 }] },
    podIp: '127.0.0.1',
    purpose: 'readiness',
  } as const;
  const options = { signal: new AbortController().signal };
  const port = (): number => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      response.writeHead(Number(url.slice(1)));
      response.end('body');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());

  test('of HTTP succeed below 400', async () => {
    const ask = (path: string): Promise<unknown> => actions().run({ httpGet: { port: port(), path } }, target, options);
    expect(await ask('/204')).toEqual({ result: 'success', output: '' });
    expect(await ask('302')).toMatchObject({ result: 'warning' });
    expect(await ask('/503')).toEqual({ result: 'failure', output: 'HTTP probe failed with statuscode: 503' });
  });

  test('of TCP succeed when the port is open', async () => {
    expect(await actions().run({ tcpSocket: { port: port() } }, target, options)).toMatchObject({ result: 'success' });
    expect(await actions().run({ tcpSocket: { port: 'http' } }, target, options)).toMatchObject({ result: 'failure' });
    await expect(actions().run({ tcpSocket: { port: 'none' } }, target, options)).rejects.toThrow(
      'invalid port number',
    );
  });

  test('by commands succeed with code 0 within the timeout', async () => {
    const ask = (exitCode: number | 'late'): Promise<unknown> =>
      actions(exitCode).run({ exec: { command: ['a'] } }, target, options);
    expect(await ask(0)).toEqual({ result: 'success', output: 'outerr' });
    expect(await ask(3)).toEqual({ result: 'failure', output: 'outerr' });
    expect(await ask('late')).toEqual({ result: 'failure', output: 'command timed out' });
  });

  test('of gRPC succeed when the server reports SERVING', async () => {
    const services = new Map([
      ['', 1],
      ['down', 2],
    ]);
    const health = createHttp2Server();
    health.on('stream', (stream, headers) => {
      const parts: Buffer[] = [];
      stream.on('data', (bytes: Buffer) => parts.push(bytes));
      stream.on('end', () => {
        const name = Buffer.concat(parts).subarray(7).toString();
        const status = headers[':path'] === '/grpc.health.v1.Health/Check' ? services.get(name) : undefined;
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status === undefined ? '12' : '0' }));
        stream.end(Buffer.from(status === undefined ? [] : [0, 0, 0, 0, 2, 8, status]));
      });
    });
    await new Promise<void>((resolve) => health.listen(0, '127.0.0.1', resolve));
    const { port } = health.address() as AddressInfo;
    const ask = (service: string): Promise<unknown> => actions().run({ grpc: { port, service } }, target, options);
    expect(await ask('')).toEqual({ result: 'success', output: 'service healthy' });
    expect(await ask('down')).toEqual({
      result: 'failure',
      output: 'service unhealthy (responded with "NOT_SERVING")',
    });
    expect(await ask('other')).toMatchObject({ result: 'failure' });
    health.close();
  });
});
