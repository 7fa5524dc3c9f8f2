import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { LineLogger, settle, VirtualClock } from '../base/index.ts';
import { mergePatch } from '../client/index.ts';
import { duplexPair } from '../wire/connections/index.ts';
import { HttpClient, type HttpExchange } from '../wire/http/index.ts';
import { openSpdyCommand, SPDY_COMMAND_PROTOCOLS } from '../wire/remote-command/index.ts';
import { type NodeAgent, NodeServer } from '../node/index.ts';
import type { NodeCluster } from '../node/testing/node-cluster.ts';
import { startNodes } from './testing/simulated-nodes.ts';

const { signal } = new AbortController();

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

/** A node with its server, and a client that connects to it as the API server does. */
class ServedCluster implements AsyncDisposable {
  readonly cluster: NodeCluster;
  readonly server: NodeServer;
  readonly client: HttpClient;
  /** The client's ends of all connections. */
  readonly connections: Duplex[] = [];
  readonly problems: string[] = [];

  static async start(): Promise<ServedCluster> {
    let made: NodeAgent | undefined;
    const cluster = await startNodes({ onAgent: (agent) => (made = agent) });
    return new ServedCluster(cluster, made as NodeAgent);
  }

  private constructor(cluster: NodeCluster, { served }: NodeAgent) {
    this.cluster = cluster;
    const clock = new VirtualClock();
    const log = new LineLogger({ clock, level: 'warn', write: (line) => this.problems.push(line) });
    this.server = new NodeServer(served, log);
    const connection = (): Duplex => {
      const [near, far] = duplexPair();
      this.server.accept(far);
      this.connections.push(near);
      return near;
    };
    this.client = new HttpClient({ target: { server: new URL('http://node'), connection }, clock, isHttp1Only: true });
  }

  get(path: string, options: { readonly signal?: AbortSignal; readonly method?: string } = {}): Promise<HttpExchange> {
    return this.client.request({ method: 'GET', path, headers: {}, signal, ...options });
  }

  async answer(path: string, method = 'GET'): Promise<string> {
    const { status, chunks } = await this.get(path, { method });
    return `${status} ${await textOf(chunks)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.destroy();
    this.server[Symbol.dispose]();
    await this.cluster[Symbol.asyncDispose]();
  }
}

describe('the server of a node', () => {
  test('rejects requests for absent pods and containers with the kubelet’s messages', async () => {
    await using node = await ServedCluster.start();
    await node.cluster.run({ metadata: { name: 'web' } });
    expect(await node.answer('/healthz')).toBe('200 ok');
    expect(await node.answer('/nothing')).toBe('404 404: Page Not Found');
    expect(await node.answer('/pods', 'POST')).toBe('405 405: Method Not Allowed');
    expect(await node.answer('/containerLogs/default/no/web')).toBe('404 pod "no" does not exist');
    expect(await node.answer('/containerLogs/default/web/no')).toBe('404 container "no" not found in pod "web"');
    expect(await node.answer('/containerLogs/default/web/web?tailLines=x')).toBe(
      '400 {"message": "Unable to decode query."}',
    );
    expect(await node.answer('/containerLogs/default/web/web?previous=true')).toBe(
      '400 previous terminated container "web" in pod "web" not found',
    );
    expect(await node.answer('/exec/default/no/web?output=1', 'POST')).toBe('404 pod does not exist');
    expect(await node.answer('/exec/default/web/web', 'POST')).toBe(
      '400 you must specify at least 1 of stdin, stdout, stderr',
    );
    expect(await node.answer('/exec/default/web/no?output=1', 'POST')).toBe('500 container not found ("no")');
    expect(await node.answer('/attach/default/web/no?output=1', 'POST')).toBe(
      '500 container no not found in pod web_default',
    );
    expect(await node.answer('/exec/default/web/web?output=1', 'POST')).toBe(
      '400 unable to upgrade: missing upgrade headers in request',
    );
    expect(await node.answer('/run/default/web/web?cmd=echo%20hello', 'POST')).toBe('200 hello\n');
    expect(node.problems).toEqual([]);
  });

  test('has the metrics of a kubelet', async () => {
    await using node = await ServedCluster.start();
    const resources = { requests: { cpu: '500m' }, limits: { cpu: '1', memory: '1Gi' } };
    const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 10 };
    const failing = { name: 'bad', annotations: { 'sim.keelson.dev/start-fails': 'no' } };
    const web = await node.cluster.run({
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'web', resources, readinessProbe }] },
    });
    await node.cluster.run({ metadata: failing });
    await node.cluster.clock.advance(35_000);
    const [, agent = '', groups = '', probes = ''] = await Promise.all(
      ['/healthz', '/metrics', '/metrics/cadvisor', '/metrics/probes'].map((path) => node.answer(path)),
    );

    expect(agent.split('\n')).toEqual(
      expect.arrayContaining([
        'kubelet_node_name{node="keelson"} 1',
        'kubelet_running_pods 2',
        'kubelet_running_containers{container_state="running"} 1',
        'kubelet_desired_pods{static=""} 2',
        'kubelet_active_pods{static=""} 2',
        'kubelet_working_pods{config="desired",lifecycle="sync",static=""} 2',
        'kubelet_started_pods_total 2',
      ]),
    );
    expect(agent).toMatch(/\nkubelet_started_containers_total\{container_type="container"\} [34]\n/);
    expect(agent).toMatch(
      /\nkubelet_started_containers_errors_total\{code="RunContainerError",container_type="container"\} [23]\n/,
    );
    expect(agent).toContain('kubernetes_build_info{build_date="",compiler="",git_commit=""');
    const uid = web.metadata.uid;
    const id = `/kubepods/burstable/pod${uid}`;
    expect(groups).toMatch(
      new RegExp(
        `\ncontainer_cpu_usage_seconds_total\\{container="web",cpu="total",id="${id}/[0-9a-f]{64}",image="[^"]+",name="[0-9a-f]{64}",namespace="default",pod="web"\\} [0-9.]+ [0-9]+\n`,
      ),
    );
    expect(groups).toContain(`container_memory_working_set_bytes{container="",id="${id}",image=""`);
    expect(groups).toMatch(/\ncontainer_spec_cpu_quota\{container="web".*\} 100000\n/);
    expect(groups).toMatch(/\ncontainer_spec_memory_limit_bytes\{container="web".*\} 1073741824\n/);
    expect(groups).toMatch(/\nmachine_cpu_cores\{boot_id=".*"\} 8\n/);
    const labels = 'container="web",namespace="default",pod="web"';
    expect(probes).toContain(
      `prober_probe_total{${labels},pod_uid="${uid}",probe_type="Readiness",result="successful"} 4\n`,
    );
    expect(probes).toContain(`prober_probe_duration_seconds_count{${labels},probe_type="Readiness"} 4\n`);
    expect(await node.answer('/metrics/nothing')).toBe('404 404: Page Not Found');
  });

  test('reports half of the requests as usage, and later what annotations say', async () => {
    await using node = await ServedCluster.start();
    const requests = { cpu: '500m', memory: '1Gi' };
    const containers = [
      { name: 'web', image: 'web', resources: { requests } },
      { name: 'other', image: 'other' },
    ];
    await node.cluster.run({ metadata: { name: 'web' }, spec: { containers } });
    await node.cluster.clock.advance(10_000);
    const [, summary = ''] = /^200 (.*)$/s.exec(await node.answer('/stats/summary')) ?? [];
    const nanoCores = { usageNanoCores: 250_000_000, usageCoreNanoSeconds: 2_500_000_000 };
    expect(JSON.parse(summary)).toMatchObject({
      node: { cpu: { usageNanoCores: 351_000_000 }, memory: { workingSetBytes: (256 + 512 + 8) * 1024 * 1024 } },
      pods: [
        {
          containers: expect.arrayContaining([
            expect.objectContaining({ name: 'web', cpu: expect.objectContaining(nanoCores) }),
          ]),
        },
      ],
    });
    const [, short = ''] = /^200 (.*)$/s.exec(await node.answer('/stats/summary?only_cpu_and_memory=true')) ?? [];
    expect(JSON.parse(short)).toMatchObject({ node: { cpu: { usageNanoCores: 351_000_000 } } });
    expect(Object.keys((JSON.parse(short) as { readonly node: object }).node)).not.toContain('fs');
    await node.cluster.client.core.v1.pods
      .namespace('default')
      .patch('web', mergePatch({ metadata: { annotations: { 'sim.keelson.dev/cpu.web': '1' } } }));
    await node.cluster.settle();
    await node.cluster.clock.advance(1000);
    const metrics = await node.answer('/metrics/resource');
    expect(metrics).toMatch(/container_cpu_usage_seconds_total\{container="web",namespace="default",pod="web"\} 3\.5 /);
    expect(metrics).toMatch(
      /container_memory_working_set_bytes\{container="other",namespace="default",pod="web"\} 8388608 /,
    );
  });

  test('ends streams of a caller that has disconnected', async () => {
    await using node = await ServedCluster.start();
    await node.cluster.run({ metadata: { name: 'web', annotations: { 'sim.keelson.dev/log-every': '1s' } } });
    const leaving = new AbortController();
    const { chunks } = await node.get('/containerLogs/default/web/web?follow=true', { signal: leaving.signal });
    const reading = chunks[Symbol.asyncIterator]();
    await reading.next();
    const timers = node.cluster.clock.pending;
    leaving.abort(new Error('enough'));
    await expect(reading.next()).rejects.toThrow('enough');
    await node.cluster.settle();
    expect(node.cluster.clock.pending).toBeLessThan(timers);
    expect(node.problems).toEqual([]);
  });

  test('ends all streams when the node stops', async () => {
    await using node = await ServedCluster.start();
    await node.cluster.run({ metadata: { name: 'web' } });
    const { chunks } = await node.get('/containerLogs/default/web/web?follow=true');
    const reading = chunks[Symbol.asyncIterator]();
    await reading.next();
    node.server[Symbol.dispose]();
    await expect(reading.next()).rejects.toThrow('Lost the connection');
  });

  test('pauses a command whose output is not read', async () => {
    await using node = await ServedCluster.start();
    await node.cluster.run({ metadata: { name: 'web' } });
    const headers = {
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': SPDY_COMMAND_PROTOCOLS.join(','),
    };
    const path = '/exec/default/web/web?input=1&output=1&command=cat';
    const answer = await node.client.upgrade({ method: 'POST', path, headers, signal });
    if (!('socket' in answer)) throw new Error(`refused: ${await textOf(answer.chunks)}`);
    const wanted = { stdin: true, stdout: true, stderr: false, tty: false, resize: false };
    const command = await openSpdyCommand(answer.socket, wanted);
    const piece = Buffer.alloc(64 * 1024);
    let written = 0;
    const sending = (async () => {
      for (; written < 256; written++) await command.stdin?.write(piece);
      await command.stdin?.end();
    })();
    for (let turn = 0; turn < 200; turn++) await settle();
    const ahead = written;
    let bytes = 0;
    for await (const chunk of command.stdout) bytes += chunk.length;
    await sending;

    expect(ahead).toBeLessThan(64);
    expect(bytes).toBe(256 * piece.length);
  });
});
