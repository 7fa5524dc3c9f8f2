// `npm run node:try`: a cluster with a real node on this machine, pods on it, and nothing left afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runProgram } from '../../peers/index.ts';
import { runInNamespaces } from '../real-node/index.ts';
import { machineRuntime, type TryRuntime } from './machine-runtime.ts';
import { ownRuntime, whyNoOwnRuntime } from './own-runtime.ts';
import { buildTryImage, TRY_IMAGE } from './try-image.ts';

const USAGE = `usage: npm run node:try -- [--container-runtime-endpoint URL | --peers]

Starts a cluster with this machine as its node, runs pods, shows logs, exec and port-forward, and takes everything away again.
  --container-runtime-endpoint URL  Socket of the container runtime (default unix:///run/containerd/containerd.sock)
  --peers                           Use the containerd of "npm run peers -- node" instead, in namespaces of its own`;
const PORT = /127\.0\.0\.1:(\d+)/;
const LIMIT_MS = 120_000;
const RUN_LIMIT_MS = 10 * 60_000;
const bundle = resolve(import.meta.dirname, '..', '..', 'dist', 'keelson.js');

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      'container-runtime-endpoint': { type: 'string', default: 'unix:///run/containerd/containerd.sock' },
      peers: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.peers) {
    const reason = whyNoOwnRuntime();
    if (reason !== undefined) {
      console.log(`cannot try a node: ${reason}`);
      return 1;
    }
    const code = await runInNamespaces({ limitMs: RUN_LIMIT_MS, print: console.log });
    if (code !== undefined) return code;
  }
  const runtime = values.peers ? await ownRuntime() : await machineRuntime(values['container-runtime-endpoint']);
  if ('missing' in runtime) {
    console.log(`cannot try a node here; this machine lacks ${runtime.missing}`);
    return 1;
  }
  const undos: Undo[] = [];
  const scratch = await mkdtemp(join(tmpdir(), 'keelson-try-'));
  try {
    await tryNode(runtime, scratch, (undo) => undos.unshift(undo));
    return 0;
  } finally {
    for (const undo of undos) await undo();
    await rm(scratch, { recursive: true, force: true });
    console.log('all of it is gone again');
  }
}

type Undo = () => Promise<unknown>;

/** `later` takes what has to be done at the end, the last one first. */
async function tryNode(runtime: TryRuntime, scratch: string, later: (undo: Undo) => void): Promise<void> {
  const { ctr, sandboxImage, endpoint } = runtime;
  const images = await runProgram([...ctr, 'images', 'list', '--quiet']);
  const isThere = images.split('\n').includes(sandboxImage);
  step('an image of Node.js and a few programs of this machine');
  const archive = await buildTryImage({ scratch, sandboxImage: isThere ? undefined : sandboxImage });
  await runProgram([...ctr, 'images', 'import', archive], { limitMs: LIMIT_MS });
  later(async () => {
    for (const name of [TRY_IMAGE, ...(isThere ? [] : [sandboxImage])])
      await runProgram([...ctr, 'images', 'remove', name]).catch(() => undefined); // the runtime may have removed it
  });

  step(`keelson up --container-runtime-endpoint ${endpoint}`);
  const kubeconfig = join(scratch, 'kubeconfig');
  const rootDir = join(scratch, 'kubelet');
  const cluster = startCluster([
    ...['up', '--in-memory', '--port', '0', '--kubeconfig-out', kubeconfig, '--root-dir', rootDir],
    ...['--container-runtime-endpoint', endpoint],
  ]);
  later(() => ended(cluster));
  const kubectl = (...args: readonly string[]): Promise<string> =>
    runProgram(['kubectl', '--kubeconfig', kubeconfig, ...args], { limitMs: LIMIT_MS });
  await until('a cluster', async () => existsSync(kubeconfig));
  await until('a node', async () => /\bReady\b/.test(await kubectl('get', 'nodes')));
  await show(kubectl, 'get', 'nodes', '-o', 'wide');
  await until('service accounts', async () => (await kubectl('get', 'serviceaccounts')).includes('default'));

  step('two pods');
  const manifest = join(scratch, 'pods.json');
  await writeFile(manifest, JSON.stringify(pods()));
  const containers = async (): Promise<number> =>
    (await runProgram([...ctr, 'containers', 'list', '--quiet'])).split('\n').length;
  const before = await containers();
  await show(kubectl, 'apply', '-f', manifest);
  later(async () => {
    await show(kubectl, 'delete', '-f', manifest, '--grace-period=2');
    await until('the end of the containers', async () => (await containers()) <= before);
  });
  await show(kubectl, 'wait', '--for=condition=Ready', 'pod/web', '--timeout=90s');
  await show(kubectl, 'wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/once', '--timeout=90s');
  await show(kubectl, 'get', 'pods', '-o', 'wide');
  await show(kubectl, 'logs', 'once');
  await show(kubectl, 'exec', 'web', '--', 'sh', '-c', 'id; cat /config/greeting; ls /');
  await forwarded(kubeconfig);
  await show(kubectl, 'logs', 'web');
  await show(kubectl, 'top', 'node').catch(() => undefined); // needs a metrics server
}

async function forwarded(kubeconfig: string): Promise<void> {
  const args = ['--kubeconfig', kubeconfig, 'port-forward', 'pod/web', ':8080'];
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let printed = '';
    child.stdout.on('data', (text: Buffer) => (printed += text.toString()));
    await until('a forwarded port', async () => PORT.test(printed));
    const port = PORT.exec(printed)?.[1] ?? '';
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    console.log(`$ kubectl port-forward pod/web :8080\n${(await answer.text()).trim()}`);
  } finally {
    child.kill('SIGTERM');
  }
}

function pods(): object {
  const web = {
    containers: [
      {
        name: 'web',
        image: TRY_IMAGE,
        imagePullPolicy: 'Never',
        readinessProbe: { httpGet: { port: 8080, path: '/' }, periodSeconds: 1 },
        volumeMounts: [{ name: 'config', mountPath: '/config' }],
      },
    ],
    volumes: [{ name: 'config', configMap: { name: 'try' } }],
  };
  const once = {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'once',
        image: TRY_IMAGE,
        imagePullPolicy: 'Never',
        command: ['sh', '-c', 'echo one line; echo and another'],
      },
    ],
  };
  const items = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'try' }, data: { greeting: 'from a ConfigMap\n' } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: web },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'once' }, spec: once },
  ];
  return { apiVersion: 'v1', kind: 'List', items };
}

function startCluster(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [bundle, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const end = once(child, 'exit');
  child.kill('SIGTERM');
  await end;
}

function step(text: string): void {
  console.log(`\n# ${text}`);
}

async function show(
  kubectl: (...args: readonly string[]) => Promise<string>,
  ...args: readonly string[]
): Promise<void> {
  const output = await kubectl(...args);
  console.log(`$ kubectl ${args.join(' ')}\n${output.trimEnd()}`);
}

async function until(what: string, isThere: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + LIMIT_MS;
  while (!(await isThere().catch(() => false))) {
    if (Date.now() > untilMs) throw new Error(`Cannot go on: there is no sign of ${what} after two minutes`);
    await sleep(100);
  }
}
