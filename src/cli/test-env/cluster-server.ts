import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseRuntimeConfig } from '../../api/index.ts';
import { aborted, AbortScope, type Clock, CryptoRandom, describeError, type Logger } from '../../base/index.ts';
import { admissionProblems, kubeconfigText, startCluster } from '../../cluster/index.ts';
import { chooseControllers } from '../envtest/choose-controllers.ts';
import { type ClusterAnswer, type ClusterRequest, readLine, SOCKET } from './cluster-request.ts';

export interface ClusterServerOptions {
  /** How long it waits for somebody when no cluster is left. */
  readonly idleMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** So many clusters at once; more are refused. */
const MAX_CLUSTERS = 200;

/** Whoever starts the server is about to ask for something. */
const FIRST_WAIT_MS = 10_000;

/** Serves clusters over a socket in the folder, one for each connection, until nobody has asked for one for a while. */
export async function serveClusters(folder: string, options: ClusterServerOptions): Promise<void> {
  const { clock, log, idleMs } = options;
  using scope = new AbortScope(options.signal);
  const serving = new Set<Promise<void>>();
  let idle: Disposable | undefined;
  const waitAtMost = (ms: number): void => {
    idle?.[Symbol.dispose]();
    idle = clock.timer(ms, () => scope.abort());
  };
  const server = createServer((connection) => {
    idle?.[Symbol.dispose]();
    const served = serveOne(connection, { ...options, signal: scope.signal, isFull: serving.size >= MAX_CLUSTERS })
      .catch((error: unknown) => log.error('a test cluster failed', { error: describeError(error) }))
      .finally(() => {
        serving.delete(served);
        if (serving.size === 0) waitAtMost(idleMs);
      });
    serving.add(served);
  });
  const socket = join(folder, SOCKET);
  await rm(socket, { force: true }); // of a server that was killed: the folder is locked, so nobody listens there
  server.listen(socket);
  await once(server, 'listening');
  waitAtMost(Math.max(idleMs, FIRST_WAIT_MS));
  await aborted(scope.signal);
  idle?.[Symbol.dispose]();
  server.close();
  await Promise.all(serving);
}

async function serveOne(
  connection: Socket,
  { clock, log, signal, isFull }: ClusterServerOptions & { readonly isFull: boolean },
): Promise<void> {
  using life = new AbortScope(signal);
  connection.once('close', () => life.abort());
  connection.on('error', () => life.abort()); // the other side is gone, which is how a cluster usually ends
  try {
    const request = JSON.parse(await readLine(connection)) as ClusterRequest;
    if (isFull) throw new Error(`there are ${MAX_CLUSTERS} clusters already`);
    await using cluster = await startCluster({
      ...optionsOf(request),
      clock,
      log,
      signal: life.signal,
      random: new CryptoRandom(),
    });
    await cluster.nodesReady(life.signal);
    const { access } = cluster.plane;
    answer(connection, { kubeconfig: kubeconfigText(access), server: access.server });
    await Promise.race([aborted(life.signal), cluster.running]);
  } catch (error) {
    if (!life.signal.aborted) answer(connection, { problem: describeError(error) });
  } finally {
    connection.end();
  }
}

function answer(connection: Socket, message: ClusterAnswer): void {
  connection.write(`${JSON.stringify(message)}\n`);
}

type ClusterOptions = Omit<Parameters<typeof startCluster>[0], 'clock' | 'log' | 'signal' | 'random'>;

function optionsOf(request: ClusterRequest): ClusterOptions {
  const { controllers, nodes, scheduler, runtimeConfig, enableAdmission, disableAdmission } = request;
  const problems = admissionProblems({ enable: enableAdmission, disable: disableAdmission });
  if (problems.length > 0) throw new Error(problems.join('; '));
  return {
    name: 'keelson-test',
    storage: { type: 'memory' },
    listen: { host: '127.0.0.1', port: 0 },
    serviceCidrs: ['10.96.0.0/16'],
    runtimeConfig: parseRuntimeConfig(...runtimeConfig),
    enableAdmission,
    disableAdmission,
    controllers: controllers === '' ? false : (builtIn) => chooseControllers(controllers, builtIn),
    scheduler,
    nodes,
  };
}
