import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon, findPeers, startKeelson, startKube } from '../../peers/index.ts';
import { type Client, connect, hasReason } from '../../src/client/index.ts';
import { inTurns } from '../in-turns.ts';
import { cpuMsOf, rssMbOf } from '../process-use.ts';
import { unhurriedScheduler } from '../scheduling/beside-kube.ts';
import { kwokFlags } from './kwok.ts';
import { untilAll } from './until-all.ts';

export const OURS = 'keelson';
export const PEER = 'Kubernetes and kwok';
export type PlaneKind = typeof OURS | typeof PEER;

/** A whole cluster with simulated nodes that are ready, ours or theirs. */
export interface ControlPlane extends AsyncDisposable {
  readonly client: Client;
  /** Aborts when one of its processes has ended. */
  readonly signal: AbortSignal;
  /** Until all nodes were ready: from the start of our process, or from the first request for a node of the peer. */
  readonly nodesMs: number;
  /** Resident memory of all its processes. */
  rssMb(): number;
  /** Processor time that all its processes have used. */
  cpuMs(): number;
}

const PARTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
const UNHURRIED = ['--kube-api-qps=5000', '--kube-api-burst=5000'];

/** Why the peer cannot be started here, in words to print; undefined when it can. */
export function whyNoPeer(): string | undefined {
  const found = findPeers(PARTS);
  return found.paths === undefined ? found.reason : undefined;
}

export interface ControlPlaneOptions {
  readonly nodes: number;
  /** Flags of `keelson up` on top of those that every run has. */
  readonly flags: readonly string[];
}

/** Starts a cluster whose nodes are ready when it resolves; nothing is left when it rejects. */
export async function startControlPlane(kind: PlaneKind, options: ControlPlaneOptions): Promise<ControlPlane> {
  const started: Started = { daemons: [], owned: [], ended: new AbortController() };
  const stop = async (): Promise<void> => {
    for (const one of started.owned.toReversed()) await one[Symbol.asyncDispose]();
  };
  try {
    const { client, nodesMs } = await (kind === OURS ? startOurs(options, started) : startPeer(options, started));
    const sum = (of: (pid: number) => number): number => started.daemons.reduce((total, { pid }) => total + of(pid), 0);
    return {
      client,
      signal: started.ended.signal,
      nodesMs,
      rssMb: () => sum(rssMbOf),
      cpuMs: () => sum(cpuMsOf),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What has been started so far. */
interface Started {
  readonly daemons: Daemon[];
  /** Disposed of from the last to the first. */
  readonly owned: AsyncDisposable[];
  readonly ended: AbortController;
}

function addDaemons({ daemons, ended }: Started, more: readonly Daemon[]): void {
  for (const daemon of more) {
    daemons.push(daemon);
    void daemon.ended.then(() => ended.abort(new Error(daemon.failure)));
  }
}

type Ready = Pick<ControlPlane, 'client' | 'nodesMs'>;

/** `keelson up`, as a user starts it, on the durable store. */
async function startOurs({ nodes, flags }: ControlPlaneOptions, started: Started): Promise<Ready> {
  const { owned, ended } = started;
  const begun = performance.now();
  const server = await startKeelson({ flags: [`--nodes=${nodes}`, ...flags] });
  owned.push(server);
  addDaemons(started, server.daemons);
  const client = await connect({ kubeconfig: server.kubeconfig });
  owned.push(client);
  await nodesReady(client, { count: nodes, signal: ended.signal });
  const nodesMs = performance.now() - begun;
  await defaultAccount(client);
  return { client, nodesMs };
}

/** etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok. */
async function startPeer({ nodes }: ControlPlaneOptions, started: Started): Promise<Ready> {
  const { owned, ended } = started;
  const found = findPeers(PARTS);
  if (found.paths === undefined) throw new Error(`Cannot start the peer: ${found.reason}`);
  const kube = await startKube({ parts: ['kube-controller-manager'], controllerManagerFlags: UNHURRIED });
  owned.push(kube);
  const logPath = (name: string): string => join(kube.folder, `${name}.log`);
  const beside = [
    new Daemon(found.paths['kube-scheduler'], await unhurriedScheduler(kube), { logPath: logPath('kube-scheduler') }),
    new Daemon(found.paths.kwok, await kwokFlags(kube), { logPath: logPath('kwok') }),
  ];
  owned.push(...beside);
  addDaemons(started, [...kube.daemons, ...beside]);
  const client = await connect({ kubeconfig: kube.kubeconfig });
  owned.push(client);
  await defaultAccount(client);
  const begun = performance.now();
  await inTurns(nodes, async (index) => {
    const allocatable = { cpu: '8', memory: '16Gi', pods: '110' };
    const name = `node-${index}`;
    const labels = { 'kubernetes.io/hostname': name };
    await client.core.v1.nodes.create({ metadata: { name, labels }, status: { allocatable, capacity: allocatable } });
  });
  await nodesReady(client, { count: nodes, signal: ended.signal });
  return { client, nodesMs: performance.now() - begun };
}

async function nodesReady(
  client: Client,
  { count, signal }: { readonly count: number; readonly signal: AbortSignal },
): Promise<void> {
  await untilAll(client.core.v1.nodes, {
    amount: count,
    signal,
    amountOf: ({ status }) =>
      status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
        ? 1
        : 0,
  });
}

/** Pods are refused until the controllers have made the account that they run as. */
async function defaultAccount(client: Client): Promise<void> {
  for (;;) {
    try {
      await client.core.v1.serviceaccounts.namespace('default').get('default');
      return;
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      await sleep(50);
    }
  }
}
