import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settle, VirtualClock } from '../base/index.ts';
import {
  type ContainerStatus,
  FileLogs,
  logOutput,
  type NodeAgent,
  type OpenProcess,
  type StreamEndpoint,
} from '../node/index.ts';
import type { NodeCluster } from '../node/testing/node-cluster.ts';
import { startNodes } from './testing/simulated-nodes.ts';

const { signal } = new AbortController();

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

async function start(): Promise<{ cluster: NodeCluster; agent: () => NodeAgent }> {
  let made: NodeAgent | undefined;
  const cluster = await startNodes({ onAgent: (agent) => (made = agent) });
  return { cluster, agent: () => made as NodeAgent };
}

function opened(endpoint: StreamEndpoint<OpenProcess>): OpenProcess {
  if (endpoint.type === 'url') throw new Error(`Cannot open ${endpoint.url} here`);
  return endpoint.open;
}

async function* sent(...words: string[]): AsyncGenerator<Uint8Array> {
  for (const word of words) yield Buffer.from(word);
}

describe('the streams of a simulated node', () => {
  test('show what the containers’ scripts print', async () => {
    const { cluster, agent } = await start();
    await using _cluster = cluster;
    const annotations = { 'sim.keelson.dev/log': 'one\ntwo', 'sim.keelson.dev/log-every': '10s' };
    await cluster.run({ metadata: { name: 'web', annotations } });
    await cluster.run({ metadata: { name: 'plain' } });
    await cluster.advance('10s');
    const { streams } = agent();
    expect(await text(streams.logs('default/plain', 'web', { signal }))).toBe('container web started\n');
    expect(await text(streams.logs('default/web', 'web', { signal }))).toBe('one\ntwo\none\ntwo\n');
    expect(await text(streams.logs('default/web', 'web', { signal, tailLines: 1, timestamps: true }))).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{9}Z two\n$/,
    );
    expect(await text(streams.logs('default/web', 'web', { signal, limitBytes: 5 }))).toBe('one\nt');
    const sinceMs = cluster.clock.now() - 1000;
    expect(await text(streams.logs('default/web', 'web', { signal, sinceMs }))).toBe('one\ntwo\n');
  });

  test('follow a container to its end, and show the previous run', async () => {
    const { cluster, agent } = await start();
    await using _cluster = cluster;
    const annotations = { 'sim.keelson.dev/log-every': '2s', 'sim.keelson.dev/exit-after': '5s' };
    await cluster.run({ metadata: { name: 'web', annotations } });
    const following = text(agent().streams.logs('default/web', 'web', { signal, follow: true }));
    await cluster.advance('5s');
    expect(await following).toBe('container web started\n'.repeat(3));
    const previous = await text(agent().streams.logs('default/web', 'web', { signal, previous: true }));
    expect(previous).toBe('container web started\n'.repeat(3));
  });

  test('are rejected with a reason when there is nothing to show', async () => {
    const { cluster, agent } = await start();
    await using _cluster = cluster;
    await cluster.run({ metadata: { name: 'web', annotations: { 'sim.keelson.dev/pull-fails': 'no' } } });
    const logs = (key: string, container: string): Promise<string> =>
      text(agent().streams.logs(key, container, { signal }));
    await expect(logs('default/none', 'web')).rejects.toThrow('pod "none" cannot be found - no logs available');
    await expect(logs('default/web', 'other')).rejects.toThrow('container "other" in pod "web" is not available');
    await expect(logs('default/web', 'web')).rejects.toThrow(
      'container "web" in pod "web" is waiting to start: trying and failing to pull image',
    );
    const command = { container: 'web', command: ['ls'] };
    await expect(agent().streams.exec('default/web', command)).rejects.toThrow('container not found ("web")');
  });

  test('run commands', async () => {
    const { cluster, agent } = await start();
    await using _cluster = cluster;
    const scripted = { 'sim.keelson.dev/exec-output': 'no such file', 'sim.keelson.dev/exec-code': '2' };
    await cluster.run({ metadata: { name: 'web' } });
    await cluster.run({ metadata: { name: 'scripted', annotations: scripted } });
    const run = async (key: string, command: readonly string[], stdin = sent()): Promise<unknown> => {
      const open = opened(await agent().streams.exec(key, { container: 'web', command }));
      const { stdout, exitCode } = open({ stdin, signal });
      return [await text(stdout), await exitCode];
    };
    expect(await run('default/web', ['/bin/echo', 'hello', 'you'])).toEqual(['hello you\n', 0]);
    expect(await run('default/web', ['cat'], sent('a', 'b'))).toEqual(['ab', 0]);
    expect(await run('default/scripted', ['ls', 'x'])).toEqual(['no such file', 2]);
  });

  test('attach to containers and forward ports', async () => {
    const { cluster, agent } = await start();
    await using _cluster = cluster;
    const annotations = {
      'sim.keelson.dev/log-every': '2s',
      'sim.keelson.dev/exit-after': '5s',
      'sim.keelson.dev/exit-code': '7',
    };
    await cluster.run({ metadata: { name: 'web', annotations } });
    const { stdout, exitCode } = opened(await agent().streams.attach('default/web', 'web'))({ signal });
    const shown = text(stdout);
    const port = await agent().streams.portForward('default/web', [80]);
    expect(port.type === 'in process' && (await text(port.open(80, sent('ping'), { signal })))).toBe('ping');
    await cluster.advance('5s');
    expect(await shown).toBe('container web started\n'.repeat(2));
    expect(await exitCode).toBe(7);
  });
});

describe('streams end with what they lead to', () => {
  async function* forever(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('ping');
    await new Promise(() => undefined);
  }

  test('forwarded ports, commands, terminals and followed logs of a pod that is deleted', async () => {
    const { cluster, agent } = await start();
    await using _cluster = cluster;
    await cluster.run({ metadata: { name: 'web' } });
    const { streams } = agent();
    const ports = await streams.portForward('default/web', [80]);
    if (ports.type === 'url') throw new Error('Cannot forward ports here');
    const forwarded = text(ports.open(80, forever(), { signal }));
    const shell = opened(await streams.exec('default/web', { container: 'web', command: ['cat'] }, { stdin: true }));
    const { exitCode } = shell({ stdin: forever(), signal });
    const attached = opened(await streams.attach('default/web', 'web'))({ signal });
    const shown = text(attached.stdout);
    const following = text(streams.logs('default/web', 'web', { signal, follow: true }));
    await settle();
    expect(ports.ended?.aborted).toBe(false);

    await cluster.client.core.v1.pods.namespace('default').delete('web', { gracePeriodSeconds: 0 });
    await cluster.advance('31s');
    expect(await forwarded).toBe('ping');
    expect(await exitCode).toBe(137);
    expect(await shown).toBe('');
    expect(await following).toBe('container web started\n');
    expect(ports.ended?.aborted).toBe(true);
    await expect(text(ports.open(80, sent('ping'), { signal }))).rejects.toThrow('connection refused');
  });

  test('a connection to a port ends with the containers; while none runs, connections are refused', async () => {
    const { cluster, agent } = await start();
    await using _cluster = cluster;
    const annotations = { 'sim.keelson.dev/exit-after': '5s', 'sim.keelson.dev/exit-code': '1' };
    await cluster.run({ metadata: { name: 'web', annotations } });
    const ports = await agent().streams.portForward('default/web', [80]);
    if (ports.type === 'url') throw new Error('Cannot forward ports here');
    const forwarded = text(ports.open(80, forever(), { signal }));
    await cluster.advance('5s');
    expect(await forwarded).toBe('ping');
    await cluster.advance('5s');
    await cluster.advance('1s'); // it has failed twice and waits
    await expect(text(ports.open(80, sent('ping'), { signal }))).rejects.toThrow(
      'dial tcp4 127.0.0.1:80: connect: connection refused',
    );
    expect(ports.ended?.aborted).toBe(false);
  });
});

describe('logs in files', () => {
  const line = (second: number, tag: string, words: string): string =>
    `2026-01-01T00:00:0${second}.000000000Z stdout ${tag} ${words}\n`;

  test('are read line by line, from the end if requested, and followed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-logs-'));
    const logPath = join(folder, '0.log');
    await writeFile(logPath, line(1, 'F', 'one') + line(2, 'P', 'tw') + line(3, 'F', 'o') + 'nonsense\n');
    const container = { id: 'c', logPath } as ContainerStatus;
    const clock = new VirtualClock();
    let isRunning = true;
    const logs = new FileLogs(clock, async () => isRunning);
    const show = (tailLines?: number): Promise<string> => {
      const query = { follow: false, signal, ...(tailLines === undefined ? {} : { tailLines }) };
      return text(logOutput(logs.entries(container, query), { signal }));
    };
    expect(await show()).toBe('one\ntwo\n');
    expect(await show(3)).toBe('two\n');
    expect(await show(0)).toBe('');

    const following = text(logOutput(logs.entries(container, { follow: true, signal }), { signal, timestamps: true }));
    await settle();
    await appendFile(logPath, line(4, 'F', 'three'));
    isRunning = false;
    const ticking = (async () => {
      for (let turn = 0; turn < 100; turn++) await clock.advance('1s');
    })();
    expect((await following).split('\n').slice(-2)).toEqual(['2026-01-01T00:00:04.000000000Z three', '']);
    await ticking;
    await rm(folder, { recursive: true });
  });

  test('are read completely whatever their length, past invalid lines, and with tail from the right line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-logs-'));
    const logPath = join(folder, '0.log');
    const words = Array.from({ length: 3000 }, (_, index) => `${index} ${'x'.repeat(index % 97)}`);
    await writeFile(logPath, `\n${words.map((word) => line(1, 'F', word)).join('\n')}`); // more than two blocks
    const container = { id: 'c', logPath } as ContainerStatus;
    const logs = new FileLogs(new VirtualClock(), async () => false);
    const show = (query: object): Promise<string> =>
      text(logOutput(logs.entries(container, { follow: false, signal, ...query }), { signal }));

    expect(await show({})).toBe(`${words.join('\n')}\n`);
    expect(await show({ tailLines: 4001 })).toBe(`${words.slice(-2001).join('\n')}\n`);
    expect(await show({ tailLines: 10_000 })).toBe(`${words.join('\n')}\n`);
    await rm(folder, { recursive: true });
  });

  test('continue in the file that replaces a rotated one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-logs-'));
    const logPath = join(folder, '0.log');
    await writeFile(logPath, line(1, 'F', 'old'));
    const seen: string[] = [];
    let asked = 0;
    const logs = new FileLogs(new VirtualClock(), async () => {
      if (++asked === 1) {
        await rename(logPath, `${logPath}.1`);
        await writeFile(logPath, line(2, 'F', 'new'));
      }
      return false;
    });
    const container = { id: 'c', logPath } as ContainerStatus;
    for await (const { content } of logs.entries(container, { follow: true, signal })) seen.push(String(content));
    expect(seen).toEqual(['old', 'new']);
    await rm(folder, { recursive: true });
  });
});
