// Pods whose containers are processes: what a kubelet's pods do, with real programs and the real clock.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../base/index.ts';
import type { ContainerConfig, NodeBackend, PodSandboxConfig } from '../node/index.ts';
import type { Client, Observed, Pod } from '../client/index.ts';
import { ImageCommands } from './image-commands.ts';
import { processBackend } from './process-backend.ts';
import { processIdentity } from './process-groups.ts';
import { ProcessHost } from './process-host.ts';
import { imageCommand } from './testing/test-processes.ts';

const folder = await mkdtemp(join(tmpdir(), 'keelson-processes-'));
afterAll(() => rm(folder, { recursive: true }));
const clock = new RealClock();
const PATIENCE = { timeout: 120_000, interval: 20 };
const NEVER = new AbortController().signal;

const shell = (script: string) => ['sh', '-c', script, 'sh'];
const commands = new ImageCommands([
  imageCommand('sleeper', shell('echo started; exec sleep 1000')),
  imageCommand('stubborn', shell('trap "" TERM; echo started; sleep 1000 & while :; do wait; done')),
  imageCommand('printer', shell('echo out; echo err >&2; printf rest; exit 4')),
  imageCommand('environment', ['env'], { env: { ADDRESS: '$(KEELSON_POD_ADDRESS):80', LEVEL: 'file' } }),
  imageCommand('arguments', ['echo', 'first'], { workingDirectory: '/' }),
  imageCommand('replaced', ['echo'], { args: ['$(HOSTNAME)'] }),
  imageCommand('reader', shell('read line; echo "got $line"')),
  imageCommand('missing', ['no-such-program']),
  imageCommand('nowhere', ['true'], { workingDirectory: '/no/such/folder' }),
  imageCommand('listener', [
    process.execPath,
    '-e',
    'require("net").createServer((s) => s.end("hello")).listen(Number(process.env.PORT), process.env.KEELSON_POD_ADDRESS).on("listening", () => console.log("listening"))',
  ]),
]);

async function openHost(): Promise<ProcessHost> {
  const host = await ProcessHost.open({
    folder: join(folder, 'run'),
    commands,
    apiServer: () => new URL('https://127.0.0.1:6443'),
    environment: { ...process.env, SECRET_OF_THE_USER: 'x' },
    clock,
    log: discardLogger,
    mountsVolumes: false,
  });
  onTestFinished(async () => {
    await host.stop();
    host[Symbol.dispose]();
  });
  return host;
}

class Node {
  readonly backend: NodeBackend;
  readonly host: ProcessHost;
  #count = 0;

  static async open(): Promise<Node> {
    const host = await openHost();
    const settings = {
      name: 'node',
      podCidrs: ['10.244.0.0/24'],
      addresses: ['10.0.0.1'],
      port: 0,
      labels: {},
      taints: [],
      drivers: [],
      maxParallelPulls: 1,
    };
    const content = async () => undefined;
    const client = {} as Client; // there are no drivers
    const context = {
      client,
      clock,
      random: new CryptoRandom(),
      log: discardLogger,
      changed: () => undefined,
      podChanged: () => undefined,
      content,
    };
    return new Node(host, await processBackend(host)(settings, context));
  }

  private constructor(host: ProcessHost, backend: NodeBackend) {
    this.host = host;
    this.backend = backend;
  }

  /** Makes a pod of one container, and perhaps starts it. Returns the ids. */
  async create(image: string, more: Partial<ContainerConfig> = {}, ports: readonly number[] = []) {
    const uid = `uid-${(this.#count += 1)}`;
    const containers = [{ name: 'main', image, ports: ports.map((containerPort) => ({ containerPort })) }];
    const metadata = { name: `pod-${this.#count}`, namespace: 'default', uid, resourceVersion: '1' };
    this.backend.podUpdated({ metadata, spec: { containers } } as unknown as Observed<Pod>);
    const sandboxConfig = {
      metadata: { ...metadata, attempt: 0 },
      hostname: metadata.name,
      logDirectory: join(this.backend.machine.folders.podLogs, `default_${metadata.name}_${uid}`),
      labels: {},
      annotations: {},
      portMappings: [],
      linux: { securityContext: { namespaceOptions: { network: 'POD' } } },
    } as unknown as PodSandboxConfig;
    const podSandboxId = await this.backend.runtime.runPodSandbox(sandboxConfig);
    const config = {
      metadata: { name: 'main', attempt: 0 },
      image: { image, userSpecifiedImage: image },
      logPath: 'main/0.log',
      labels: {},
      annotations: {},
      command: ['ignored'],
      args: [],
      envs: [],
      mounts: [],
      workingDir: '',
      stdin: false,
      linux: { securityContext: { supplementalGroups: [] } },
      ...more,
    } as unknown as ContainerConfig;
    const id = await this.backend.runtime.createContainer({ podSandboxId, config, sandboxConfig });
    return { id, podSandboxId, uid };
  }

  async start(...args: Parameters<Node['create']>) {
    const made = await this.create(...args);
    await this.backend.runtime.startContainer(made.id);
    return made;
  }

  async log(id: string): Promise<string> {
    const status = await this.backend.runtime.containerStatus(id);
    let text = '';
    for await (const { content, stream, isLineEnd } of this.backend.logs.entries(status, {
      follow: false,
      signal: NEVER,
    }))
      text += `${stream} ${Buffer.from(content).toString()}${isLineEnd ? '\n' : ''}`;
    return text;
  }

  async end(id: string) {
    await this.host.node('node').containers.get(id)?.ended;
    return this.backend.runtime.containerStatus(id);
  }
}

test('what a program prints is in its log, and its exit code in the status', async () => {
  const node = await Node.open();
  const { id } = await node.start('printer');
  expect(await node.end(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 4, reason: 'Error' });
  expect((await node.log(id)).split('\n').toSorted()).toEqual(['stderr err', 'stdout out', 'stdout rest'].toSorted());
});

test('the variables are those of the pod, of the file and a few of the user', async () => {
  const node = await Node.open();
  const envs = [
    { key: 'LEVEL', value: 'pod' },
    { key: 'KUBERNETES_SERVICE_HOST', value: '10.96.0.1' },
  ];
  const { id } = await node.start('environment', { envs });
  await node.end(id);
  const lines = (await node.log(id)).split('\n').map((line) => line.replace('stdout ', ''));
  const names = lines.map((line) => line.split('=')[0]);
  expect(lines).toContain('LEVEL=file');
  expect(lines).toContain('HOSTNAME=pod-1');
  expect(lines).toContain('KUBERNETES_SERVICE_HOST=127.0.0.1');
  expect(lines).toContain('KUBERNETES_SERVICE_PORT=6443');
  expect(lines).toContainEqual(expect.stringMatching(/^ADDRESS=127\.\d+\.\d+\.\d+:80$/));
  expect(names).toContain('PATH');
  expect(names).not.toContain('SECRET_OF_THE_USER');
  const kubeconfig = lines.find((line) => line.startsWith('KUBECONFIG='))?.slice('KUBECONFIG='.length) ?? '';
  expect(await readFile(kubeconfig, 'utf8')).toBe('apiVersion: v1\nkind: Config\n'); // not the user's: this pod has no account
});

test('arguments come from the pod, unless the file has some; the command of the pod is never run', async () => {
  const node = await Node.open();
  const { id } = await node.start('arguments', { args: ['second'] });
  await node.end(id);
  expect(await node.log(id)).toBe('stdout first second\n');
  const { id: other } = await node.start('replaced', { args: ['second'] });
  await node.end(other);
  expect(await node.log(other)).toBe('stdout pod-2\n');
});

test('a program that is not there, and a folder that is not there, are said', async () => {
  const node = await Node.open();
  await expect(node.start('missing')).rejects.toThrow('exec: "no-such-program": executable file not found in $PATH');
  await expect(node.start('nowhere')).rejects.toThrow('Cannot start in "/no/such/folder": there is no such folder');
});

test('stopping asks first, and kills the whole group after the grace period', async () => {
  const node = await Node.open();
  const { id } = await node.start('sleeper');
  await node.backend.runtime.stopContainer(id, 30);
  expect(await node.end(id)).toMatchObject({ exitCode: 143 });

  const { id: stubborn } = await node.start('stubborn');
  await expect.poll(() => node.log(stubborn), PATIENCE).toContain('started');
  await node.backend.runtime.stopContainer(stubborn, 0);
  expect(await node.end(stubborn)).toMatchObject({ exitCode: 137 });
});

test('commands run beside the program, with its variables, until they end or take too long', async () => {
  const node = await Node.open();
  const { id } = await node.start('sleeper', { envs: [{ key: 'COLOR', value: 'blue' }] });
  const { runtime } = node.backend;
  const { stdout, exitCode } = await runtime.execSync(id, ['sh', '-c', 'echo $COLOR; exit 5']);
  expect([Buffer.from(stdout).toString(), exitCode]).toEqual(['blue\n', 5]);
  await expect(runtime.execSync(id, ['sleep', '1000'], { timeoutMs: 50 })).rejects.toMatchObject({
    reason: 'DeadlineExceeded',
  });
  const endpoint = await runtime.exec({
    containerId: id,
    cmd: ['cat'],
    tty: false,
    stdin: true,
    stdout: true,
    stderr: true,
  });
  if (endpoint.type !== 'in process') throw new Error('Unreachable: it is in this process');
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('hello');
  }
  const running = endpoint.open({ stdin: input(), signal: NEVER });
  let text = '';
  for await (const bytes of running.stdout) text += Buffer.from(bytes).toString();
  expect([text, await running.exitCode]).toEqual(['hello', 0]);
});

test('a program with an open input reads what is attached', async () => {
  const node = await Node.open();
  const { id } = await node.start('reader', { stdin: true });
  const endpoint = await node.backend.runtime.attach({
    containerId: id,
    tty: false,
    stdin: true,
    stdout: true,
    stderr: true,
  });
  if (endpoint.type !== 'in process') throw new Error('Unreachable: it is in this process');
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a line\n');
  }
  const attached = endpoint.open({ stdin: input(), signal: NEVER });
  let text = '';
  for await (const bytes of attached.stdout) text += Buffer.from(bytes).toString();
  expect([text, await attached.exitCode]).toEqual(['got a line\n', 0]);
});

test('two pods have the same port at addresses of their own; a port that is taken is said', async () => {
  const free = createServer().listen(0, '0.0.0.0');
  await once(free, 'listening');
  const { port } = free.address() as { port: number };
  const envs = [{ key: 'PORT', value: String(port) }];
  const node = await Node.open();
  const refused = await node.start('listener', { envs }, [port]);
  const { message, exitCode } = await node.end(refused.id);
  expect(exitCode).toBe(1);
  expect(message).toContain(`port ${port} is taken by another program of this machine`);
  free.close();
  await once(free, 'close');
  if (process.platform !== 'linux') return; // other systems have one loopback address

  const pods = [await node.start('listener', { envs }, [port]), await node.start('listener', { envs }, [port])];
  for (const { id, podSandboxId } of pods) {
    await expect.poll(() => node.log(id), PATIENCE).toContain('listening');
    const endpoint = await node.backend.runtime.portForward({ podSandboxId, ports: [port] });
    if (endpoint.type !== 'in process') throw new Error('Unreachable: it is in this process');
    async function* nothing(): AsyncGenerator<Uint8Array> {
      // nothing is sent
    }
    let text = '';
    for await (const bytes of endpoint.open(port, nothing(), { signal: NEVER })) text += Buffer.from(bytes).toString();
    expect(text).toBe('hello');
  }
});

test('what processes use is measured', async () => {
  const node = await Node.open();
  const { id } = await node.start('sleeper');
  const used = async (): Promise<number | undefined> =>
    (await node.backend.runtime.containerStats({ id }))[0]?.workingSetBytes;
  await expect.poll(used).toBeGreaterThan(0); // on a busy machine, the process has no memory of its own yet
  const usage = await node.backend.usage.read([], undefined);
  expect(usage.containers.get(id)?.workingSetBytes).toBeGreaterThan(0);
});

test('images that are mapped to a command are present without a pull', async () => {
  const { backend } = await Node.open();
  expect(await backend.images.imageStatus({ image: 'sleeper' })).toMatchObject({
    repoTags: ['docker.io/library/sleeper:latest'],
  });
  expect(await backend.images.imageStatus({ image: 'nginx' })).toBeUndefined();
});

test('images that are not mapped stay simulated, in the same node', async () => {
  const node = await Node.open();
  const { id } = await node.start('nginx:1.29');
  expect(node.host.running()).toEqual([]);
  expect(await node.backend.runtime.containerStatus(id)).toMatchObject({ state: 'CONTAINER_RUNNING' });
});

test('stopping the host ends all processes, and its folder goes', async () => {
  const node = await Node.open();
  await node.start('sleeper');
  await node.start('stubborn');
  const pids = node.host.running().map(({ pid }) => pid ?? 0);
  for (const container of node.host.running()) container.kill();
  await node.host.stop();
  for (const pid of pids) expect(await processIdentity(pid)).toBeUndefined();
  node.host[Symbol.dispose]();
  expect(await readdir(join(folder, 'run'))).toEqual([]);
});

test('what a killed program has left is ended at the next start', async () => {
  const left = spawn('sh', ['-c', 'sleep 1000 & wait'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, KEELSON_CONTAINER_ID: 'left' },
  });
  const other = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void other.kill('SIGKILL'));
  const ended = once(left, 'exit');
  const identity = await processIdentity(left.pid ?? 0);
  const run = join(folder, 'run', '200');
  await mkdir(run, { recursive: true });
  const gone = { pid: 2 ** 22 + 1, startTime: '1' };
  const processes = [
    { ...identity, container: 'left' },
    { pid: other.pid, startTime: 'another', container: 'reused' }, // the id of a process that is not ours
  ];
  await writeFile(join(run, 'run.json'), JSON.stringify({ ...gone, processes }));
  const host = await openHost();
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await processIdentity(other.pid ?? 0)).toBeDefined();
  expect(await readdir(join(folder, 'run'))).toEqual([host.folder.split('/').at(-1)]);
});
