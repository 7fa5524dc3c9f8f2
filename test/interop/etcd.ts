// npm run interop:etcd [-- --peer-bin DIR]: a real kube-apiserver reads an etcd that Keelson wrote, and back; then all of it is
// copied into the embedded store, and from there into an etcd again.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { peersFolder } from '../../peers/index.ts';
import { manifests } from '../kubectl/manifests.ts';
import { differencesOf, differenceText } from '../support/differences.ts';
import { type CustomKind, customKind } from './custom-kinds.ts';

const { values: flags } = parseArgs({ options: { 'peer-bin': { type: 'string' } } });
const binaries = flags['peer-bin'] ?? process.env['PEER_BIN'] ?? peersFolder();
for (const name of ['kube-apiserver', 'etcd']) {
  if (!existsSync(join(binaries, name))) {
    console.log(`interop:etcd: skipped, no "${name}" in "${binaries}" (--peer-bin DIR)`);
    process.exit(0);
  }
}
const TOKEN = 'interop';
/** Kinds whose status kube-apiserver itself writes as soon as it sees them. */
const CHANGED_BY_SERVER = new Set([
  'APIService',
  'CustomResourceDefinition',
  'FlowSchema',
  'PriorityLevelConfiguration',
]);
const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-'));
const running: ChildProcess[] = [];
let failures = 0;
try {
  await writeFile(join(folder, 'tokens'), `${TOKEN},admin,1,"system:masters"\n`);
  spawnSync('openssl', ['genrsa', '-out', join(folder, 'sa.key'), '2048'], { stdio: 'ignore' });
  const etcd = await startEtcd();
  const objects = manifests(undefined).filter(({ kind }) => !CHANGED_BY_SERVER.has(kind));

  console.log('Keelson writes');
  const first = await startKeelson([`--etcd-servers=${etcd}`]);
  create(first, objects);
  const ours = customKind('Cache');
  define(first, ours);
  objects.push(ours.definition, ...ours.objects);
  const written = readAll(first, objects);
  await stop(first.child);

  console.log('kube-apiserver reads, and changes every object');
  const second = await startKube(etcd);
  compare('kube-apiserver', written, readAll(second, objects));
  const theirs = customKind('Queue');
  define(second, theirs);
  objects.push(theirs.definition, ...theirs.objects);
  for (const { apiVersion, kind, metadata } of objects) {
    kubectl(second, ['annotate', typeOf(apiVersion, kind), metadata.name, 'seen-by=kube-apiserver']);
  }
  const changed = readAll(second, objects);
  await stop(second.child);

  console.log('Keelson reads what kube-apiserver left');
  const third = await startKeelson([`--etcd-servers=${etcd}`]);
  compare('Keelson', changed, readAll(third, objects));
  await stop(third.child);

  console.log('Keelson reads the copy in its own store');
  const data = join(folder, 'data');
  copy(['--from', etcd, '--to', data, '--bump-revision', '0']);
  const fourth = await startKeelson([`--data-dir=${data}`]);
  compare('Keelson', changed, readAll(fourth, objects));
  await stop(fourth.child);

  console.log('kube-apiserver reads the copy of that, under another prefix');
  copy(['--from', data, '--to', etcd, '--etcd-prefix', '/moved']);
  const fifth = await startKube(etcd, ['--etcd-prefix=/moved']);
  compare('kube-apiserver', withoutRevisions(changed), withoutRevisions(readAll(fifth, objects)));
} finally {
  await Promise.all(running.map(stop));
  await rm(folder, { recursive: true, force: true });
}
console.log(
  failures === 0 ? 'interop:etcd: all objects are the same on both sides' : `interop:etcd: ${failures} differences`,
);
process.exit(failures === 0 ? 0 : 1);

interface Server {
  readonly child: ChildProcess;
  readonly kubeconfig: string;
}

function start(command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: 'ignore' });
  running.push(child);
  return child;
}

async function startEtcd(): Promise<string> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  start(join(binaries, 'etcd'), [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]);
  return url;
}

async function startKeelson(storage: readonly string[]): Promise<Server> {
  const port = await freePort();
  const child = start(process.execPath, [
    join(process.cwd(), 'dist', 'keelson.js'),
    'apiserver',
    ...storage,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, 'keelson-certs')}`,
    `--token-auth-file=${join(folder, 'tokens')}`,
    '--disable-admission-plugins=ServiceAccount',
  ]);
  return ready(child, port);
}

async function startKube(etcd: string, more: readonly string[] = []): Promise<Server> {
  const port = await freePort();
  const key = join(folder, 'sa.key');
  const child = start(join(binaries, 'kube-apiserver'), [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, 'kube-certs')}`,
    `--token-auth-file=${join(folder, 'tokens')}`,
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--disable-admission-plugins=ServiceAccount',
    ...more,
  ]);
  return ready(child, port);
}

async function ready(child: ChildProcess, port: number): Promise<Server> {
  const kubeconfig = join(folder, `kubeconfig-${port}`);
  const cluster = { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'x', cluster }],
    users: [{ name: 'x', user: { token: TOKEN } }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    'current-context': 'x',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const server = { child, kubeconfig };
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(`the server on port ${port} ended with ${child.exitCode}`);
    if (kubectl(server, ['get', '--raw', '/readyz'], { mayFail: true }) === 'ok') return server;
    await sleep(200);
  }
  throw new Error(`the server on port ${port} did not become ready`);
}

function kubectl(
  server: Server,
  args: readonly string[],
  options: { readonly mayFail?: boolean; readonly input?: string } = {},
): string {
  const { status, stdout, stderr } = spawnSync('kubectl', args, {
    env: { ...process.env, KUBECONFIG: server.kubeconfig, KUBECACHEDIR: `${server.kubeconfig}.cache` },
    input: options.input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0 && options.mayFail !== true) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function create(server: Server, objects: readonly object[]): void {
  kubectl(server, ['create', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) });
}

function define(server: Server, { definition, objects }: CustomKind): void {
  create(server, [definition]);
  kubectl(server, ['wait', '--for=condition=Established', `crd/${definition.metadata.name}`]);
  create(server, objects);
}

function readAll(server: Server, objects: ReturnType<typeof manifests>): Map<string, unknown> {
  return new Map(
    objects.map(({ apiVersion, kind, metadata: { name } }) => {
      const text = kubectl(server, ['get', typeOf(apiVersion, kind), name, '-o', 'json', '--show-managed-fields']);
      return [`${kind}/${name}`, JSON.parse(text) as unknown];
    }),
  );
}

function copy(args: readonly string[]): void {
  const program = [join(process.cwd(), 'dist', 'keelson.js'), 'store', 'copy', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`keelson store copy ${args.join(' ')}: ${stderr}`);
  console.log(stdout.trimEnd());
}

/** etcd has revisions of its own. */
function withoutRevisions(objects: ReadonlyMap<string, unknown>): Map<string, unknown> {
  return new Map(
    [...objects].map(([name, object]) => {
      const { metadata, ...rest } = object as { readonly metadata: Readonly<Record<string, unknown>> };
      return [name, { ...rest, metadata: { ...metadata, resourceVersion: '' } }];
    }),
  );
}

function compare(reader: string, expected: ReadonlyMap<string, unknown>, actual: ReadonlyMap<string, unknown>): void {
  for (const [name, value] of expected) {
    const differences = differencesOf(value, actual.get(name));
    if (differences.length === 0) continue;
    failures += 1;
    console.error(`${reader} sees another ${name}:`);
    for (const difference of differences) console.error(`  ${differenceText(difference)}`);
  }
  console.log(`${reader} read ${actual.size} objects`);
}

function typeOf(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.split('/');
  return version === undefined ? kind : `${kind}.${version}.${group ?? ''}`;
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const impatience = setTimeout(() => child.kill('SIGKILL'), 5000); // kube-apiserver waits a minute for its own watches
    child.once('exit', () => {
      clearTimeout(impatience);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
