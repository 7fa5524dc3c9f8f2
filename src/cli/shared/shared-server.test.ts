import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { discardLogger, RealClock } from '../../base/index.ts';
import type { CommandContext } from '../command.ts';
import { askForApiserver } from './ask-for-apiserver.ts';
import { askForCluster } from './ask-for-cluster.ts';
import { type ConnectOptions, ensureServer } from './connect-to-server.ts';
import type { ClusterRequest } from './requests.ts';
import { runSharedServer } from './shared-server.ts';

const request: ClusterRequest = {
  type: 'cluster',
  nodes: 0,
  controllers: '',
  scheduler: false,
  kubernetesVersion: '1.36',
  runtimeConfig: [],
  enableAdmission: [],
  disableAdmission: [],
};

/** A server that ends as soon as it has no clients. */
async function withServer(use: (options: ConnectOptions) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-shared-'));
  const clock = new RealClock();
  const stop = new AbortController();
  const running = runSharedServer(folder, { idleMs: 0, clock, log: discardLogger, signal: stop.signal });
  try {
    const program = { node: process.execPath, file: '/nowhere' };
    await use({ program, folder, idle: '0s', clock, signal: stop.signal });
    await running; // it ends by itself
  } finally {
    stop.abort();
    await running;
    await rm(folder, { recursive: true, force: true });
  }
}

test('each connection has its own cluster, which ends with it; the server ends with the last one', () =>
  withServer(async (options) => {
    const [first, second] = await Promise.all([askForCluster(request, options), askForCluster(request, options)]);
    const servers = [first, second].map(({ kubeconfig }) => /server: (\S+)/.exec(kubeconfig)?.[1]);

    expect(new Set(servers).size).toBe(2);
    first[Symbol.dispose]();
    second[Symbol.dispose]();
    await Promise.all([first.closed, second.closed]);
  }));

test('a silent connection does not keep the server alive', () =>
  withServer(async (options) => {
    using _cluster = await askForCluster(request, options);
    for (let attempt = 0; attempt < 10; attempt++) await ensureServer(options);
  }));

test('a failed start is reported, and does not affect other clients', () =>
  withServer(async (options) => {
    using _other = await askForCluster(request, options);
    await expect(askForCluster({ ...request, controllers: 'unknown' }, options)).rejects.toThrow(
      'Cannot start a test cluster: There is no controller "unknown"',
    );
    await expect(askForCluster({ ...request, disableAdmission: ['Nothing'] }, options)).rejects.toThrow('Nothing');
  }));

test('an API server in the shared process prints what one in a separate process would', () =>
  withServer(async (options) => {
    const lines: string[] = [];
    const print = (text: string): void => void lines.push(text);
    const context: CommandContext = {
      environment: {},
      signal: new AbortController().signal,
      isTerminal: false,
      print,
      printError: print,
    };
    const code = await askForApiserver({ type: 'apiserver', args: ['--made-up=1'], environment: {} }, context, options);

    expect(code).toBe(2);
    expect(lines.join('\n')).toContain('keelson apiserver: unknown flag --made-up');
  }));
