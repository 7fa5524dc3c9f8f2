import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { findPeers, freePorts, type RunningServer, runProgram, startKeelson, startKube } from '../peers/index.ts';
import { median } from './median.ts';
import { cpuMsOf } from './process-use.ts';
import { type Kubectl, StreamedPod } from './streamed-pod.ts';

const NODE = 'stand-in';
const SERVED = { logLines: 62_500, fileBytes: 128 * 1024 * 1024 };
const COMMAND_BYTES = 256 * 1024 * 1024;
const SHORT_COMMANDS = 12;

const ROWS: Readonly<Record<string, (pod: StreamedPod) => Promise<number>>> = {
  'logs of 5 MB, MB/s': (pod) => pod.logsSpeed(),
  'exec of 268 MB over WebSocket, MB/s': (pod) => pod.commandSpeed(COMMAND_BYTES),
  'exec of 268 MB over SPDY, MB/s': (pod) => pod.commandSpeed(COMMAND_BYTES, false),
  '12 × exec true, ms each': async (pod) => median(await pod.shortCommands(SHORT_COMMANDS)),
  'port-forward of 134 MB over WebSocket, MB/s': (pod) => pod.forwardSpeed(),
  'port-forward of 134 MB over SPDY, MB/s': (pod) => pod.forwardSpeed(false),
};

interface Measured {
  readonly name: string;
  readonly pod: StreamedPod;
  /** The process of the API server. */
  readonly pid: number;
}

export interface StreamServersOptions {
  readonly folder: string;
  readonly rounds: number;
  readonly bundle: string;
}

/**
 * Logs, commands and ports of a stand-in for a kubelet, through our server and through kube-apiserver, in turns. Prints medians, and the
 * processor time of the server, which says more than speed where other programs share the machine.
 */
export async function measureServers({ folder, rounds, bundle }: StreamServersOptions): Promise<void> {
  const found = findPeers(['kubectl', 'stream-source', 'kube-apiserver', 'etcd']);
  if (found.paths === undefined) return console.log(`the servers are not compared: ${found.reason}`);
  const [port = 0] = await freePorts(1);
  const source = spawn(found.paths['stream-source'], [port, SERVED.logLines, SERVED.fileBytes].map(String), {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const { kubectl } = found.paths;
  try {
    await using ours = await startKeelson({ bundle, folder: join(folder, 'ours'), flags: ['--nodes=0'] });
    await using peer = await startKube({ folder: join(folder, 'kube') });
    const servers: Measured[] = [];
    for (const [name, server] of Object.entries({ Keelson: ours, 'kube-apiserver': peer }))
      servers.push({ name, pod: await podOf(server, kubectl, port), pid: server.daemons.at(-1)?.pid ?? 0 });
    for (const [row, measure] of Object.entries(ROWS)) await measureRow(row, measure, { servers, rounds });
  } finally {
    const ended = once(source, 'close');
    source.kill();
    await ended;
  }
}

async function measureRow(
  row: string,
  measure: (pod: StreamedPod) => Promise<number>,
  { servers, rounds }: { readonly servers: readonly Measured[]; readonly rounds: number },
): Promise<void> {
  const seen = new Map(servers.map(({ name }) => [name, { values: [] as number[], cpuMs: [] as number[] }]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, pod, pid } of servers) {
      const before = cpuMsOf(pid);
      seen.get(name)?.values.push(await measure(pod));
      seen.get(name)?.cpuMs.push(cpuMsOf(pid) - before);
    }
  }
  for (const [name, { values, cpuMs }] of seen) {
    const range = `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`;
    const figures = `${median(values).toFixed(1)} (${range}), processor time of the server ${median(cpuMs)} ms`;
    console.log(`${name}: ${row}: ${figures}, load ${loadavg()[0]?.toFixed(1)}`);
  }
}

/** A pod of a node that is the stand-in. */
async function podOf({ kubeconfig }: RunningServer, program: string, port: number): Promise<StreamedPod> {
  const kubectl: Kubectl = { program, flags: [`--kubeconfig=${kubeconfig}`] };
  const run = (...args: string[]): Promise<string> => runProgram([program, ...kubectl.flags, ...args]);
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  const file = `${kubeconfig}.node.json`;
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } }));
  await run('create', '--filename', file);
  await run('patch', 'node', NODE, '--subresource=status', '--type=merge', '--patch', JSON.stringify({ status }));
  await run('create', 'serviceaccount', 'default').catch(() => undefined); // a controller has made it, where there is one
  return StreamedPod.pretend(kubectl, { ...SERVED, nodeName: NODE });
}
