// npm run bench:streams [-- --only stand-in,simulated,kubelet --rounds N]: logs, commands and ports of a stand-in for a kubelet, through our server and through
// kube-apiserver; a gibibyte there and back through `kubectl port-forward`, to a simulated pod and, where the tools are there, to a pod of a real kubelet; then
// logs, commands and ports of a real kubelet, through our server and through kube-apiserver.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as openSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findPeers, freePorts, type RunningServer, startKeelson } from '../peers/index.ts';
import { connect } from '../src/client/index.ts';
import { joinKubelet, NODE, whyNoKubelet } from '../test/interop/kubelet.ts';
import { LOOK_IMAGE } from '../test/interop/kubelet-image.ts';
import { runCommand } from '../test/interop/toolchain.ts';
import { eventually } from '../test/interop/trial.ts';
import { rssMbOf } from './process-use.ts';
import { measureServers } from './stream-servers.ts';

const MEBIBYTE = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const START_LIMIT_MS = 120_000;
const BUNDLE = resolve('dist', 'keelson.js');
const { values } = parseArgs({
  options: {
    mebibytes: { type: 'string', default: '1024' },
    only: { type: 'string', default: 'stand-in,simulated,kubelet' },
    rounds: { type: 'string', default: '5' },
  },
});
const bytes = Number(values.mebibytes) * MEBIBYTE;
const rounds = Number(values.rounds);
const parts = new Set(values.only.split(','));

const found = findPeers(['kubectl']);
if (found.paths === undefined) throw new Error(found.reason);
const { kubectl } = found.paths;
const folder = await mkdtemp(join(tmpdir(), 'keelson-streams-'));
try {
  if (parts.has('stand-in')) await measureServers({ folder, rounds, bundle: BUNDLE });
  if (parts.has('simulated')) await thereAndBackOfAll();
  if (parts.has('kubelet')) await besideBoth();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function thereAndBackOfAll(): Promise<void> {
  await using server = await startKeelson({
    bundle: BUNDLE,
    folder: join(folder, 'server'),
    flags: ['--enable-bootstrap-token-auth', '--kubelet-preferred-address-types=InternalIP'],
  });
  await run(server, ['run', 'simulated', '--image=registry.invalid/main:1', '--overrides', overrides('keelson')]);
  await measureBoth(server, 'simulated', 8080);
  const missing = whyNoKubelet();
  if (missing === undefined) await besideKubelet(server);
  else console.log(`the kubelet is left out: ${missing}`);
}

/** Logs, commands and ports of a pod of a real kubelet, through our server and through kube-apiserver, twice in turns. */
async function besideBoth(): Promise<void> {
  for (const name of ['keelson', 'kube', 'keelson', 'kube']) {
    const measured = ['scripts/run.mjs', 'bench/pod-streams.ts', '--name', name];
    const rig = ['scripts/run.mjs', 'test/real-node/main.ts', '--server', name, '--minutes', '10', '--bundle', BUNDLE];
    const child = spawn(process.execPath, [...rig, process.execPath, ...measured], { stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`The streams of a real node on ${name} were not measured`);
  }
}

async function besideKubelet(server: RunningServer): Promise<void> {
  await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'bench' });
  await using _kubelet = await joinKubelet(folder, server, client);
  const [port = 0] = await freePorts(1);
  const spec = overrides(NODE, { hostNetwork: true, terminationGracePeriodSeconds: 0 });
  const image = [`--image=${LOOK_IMAGE}`, '--image-pull-policy=Never'];
  await run(server, ['run', 'real', ...image, '--overrides', spec, '--', 'echo', String(port)]);
  await eventually(AbortSignal.timeout(START_LIMIT_MS), async () => {
    const requests = (await run(server, ['get', 'csr', '-o', 'name'])).trim().split('\n');
    await run(server, ['certificate', 'approve', ...requests]);
    await run(server, ['logs', 'real']); // needs the certificate with which the kubelet serves
  });
  await measureBoth(server, 'real', port);
  await run(server, ['delete', 'pod', 'real', '--wait=false']);
}

function overrides(nodeName: string, more: object = {}): string {
  return JSON.stringify({ apiVersion: 'v1', spec: { nodeName, ...more } });
}

async function run({ kubeconfig }: RunningServer, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand([kubectl, `--kubeconfig=${kubeconfig}`, ...args], {
    cwd: folder,
    limitMs: START_LIMIT_MS,
  });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function measureBoth(server: RunningServer, pod: string, port: number): Promise<void> {
  await run(server, ['wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=100s']);
  for (const isWebSocket of [true, false]) await measure(server, { pod, port, isWebSocket });
}

interface Forwarded {
  readonly pod: string;
  readonly port: number;
  readonly isWebSocket: boolean;
}

async function measure(server: RunningServer, { pod, port, isWebSocket }: Forwarded): Promise<void> {
  const [local = 0] = await freePorts(1);
  const args = [`--kubeconfig=${server.kubeconfig}`, 'port-forward', `pod/${pod}`, `${local}:${port}`];
  const environment = { ...process.env, KUBECTL_PORT_FORWARD_WEBSOCKETS: String(isWebSocket) };
  const forwarding = spawn(kubectl, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(forwarding.stdout, 'data');
    const pid = server.daemons[0]?.pid ?? 0;
    const before = rssMbOf(pid);
    const { seconds, most } = await thereAndBack(local, pid);
    const speed = bytes / MEBIBYTE / seconds;
    console.log(
      `${pod} pod over ${isWebSocket ? 'WebSocket' : 'SPDY'}: ${speed.toFixed(0)} MiB/s each way, ` +
        `server ${before.toFixed(0)} MiB before and at most ${most.toFixed(0)} MiB`,
    );
  } finally {
    await end(forwarding);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill();
  await ended;
}

/** Sends and reads at once, and looks at the memory of the server meanwhile. */
async function thereAndBack(port: number, pid: number): Promise<{ readonly seconds: number; readonly most: number }> {
  const socket = openSocket(port, '127.0.0.1');
  await once(socket, 'connect');
  const stop = new AbortController();
  let most = 0;
  const watching = (async () => {
    while (!stop.signal.aborted) {
      most = Math.max(most, rssMbOf(pid));
      await sleep(100);
    }
  })();
  const started = performance.now();
  let received = 0;
  const reading = (async () => {
    for await (const chunk of socket) {
      received += (chunk as Buffer).length;
      if (received >= bytes) return;
    }
  })();
  for (let sent = 0; sent < bytes; sent += PIECE.length) if (!socket.write(PIECE)) await once(socket, 'drain');
  await reading;
  const seconds = (performance.now() - started) / 1000;
  stop.abort();
  await watching;
  if (received !== bytes) throw new Error(`${received} bytes came back of ${bytes}`);
  return { seconds, most };
}
