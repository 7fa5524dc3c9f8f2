import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster, type TestCluster } from 'keelson/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';

const command = findKubectl() ?? '';

const PODS = `
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations:
    sim.keelson.dev/log: "one\\ntwo\\nthree"
    sim.keelson.dev/log-every: 10s
spec:
  containers:
  - {name: web, image: nginx, ports: [{containerPort: 80}]}
  - {name: side, image: nginx}
---
apiVersion: v1
kind: Pod
metadata:
  name: failing
  annotations: {sim.keelson.dev/exec-code: "7", sim.keelson.dev/exec-output: "no such thing"}
spec: {containers: [{name: app, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: restarted
  annotations: {sim.keelson.dev/exit-after: "5s,never", sim.keelson.dev/exit-code: "1,0"}
spec: {containers: [{name: app, image: nginx}]}
`;

const CONFIGURED = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: blue}
---
apiVersion: v1
kind: Pod
metadata: {name: configured}
spec:
  containers:
  - name: app
    image: nginx
    volumeMounts: [{name: config, mountPath: /etc/config}, {name: config, mountPath: /etc/color, subPath: color}]
  volumes: [{name: config, configMap: {name: settings}}]
`;

const UNBOUND = `
apiVersion: v1
kind: Pod
metadata: {name: unbound}
spec: {schedulingGates: [{name: example.com/wait}], containers: [{name: app, image: nginx}]}
`;

const PROTOCOLS = [
  ['WebSocket', 'true'],
  ['SPDY', 'false'],
] as const;

describe.each(PROTOCOLS)('kubectl over %s', requires('kubectl'), (_protocol, isWebSocket) => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  const environment = {
    KUBECTL_REMOTE_COMMAND_WEBSOCKETS: isWebSocket,
    KUBECTL_PORT_FORWARD_WEBSOCKETS: isWebSocket,
  };
  beforeAll(async () => {
    cluster = await startCluster();
    kubectl = new Kubectl(command, await cluster.kubeconfig(), environment);
    await kubectl.create(PODS);
    await cluster.settle();
    await cluster.clock.advance('15s');
    await cluster.settle();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('logs shows what a container printed, as much of it as was asked for', async () => {
    const logs = (...more: string[]): Promise<string> => kubectl.output('logs', 'web', '-c', 'web', ...more);
    expect(await logs()).toBe('one\ntwo\nthree\none\ntwo\nthree\n');
    expect(await logs('--tail=2')).toBe('two\nthree\n');
    expect(await logs('--limit-bytes=5')).toBe('one\nt');
    expect(await logs('--since=6s')).toBe('one\ntwo\nthree\n');
    expect(await logs('--timestamps', '--tail=1')).toMatch(/^\d{4}-\d\d-\d\dT\S+Z three\n$/);
  });

  test('logs -f goes on until the container has ended', async () => {
    await kubectl.output(
      ...['run', 'ticking', '--image=nginx', '--restart=Never'],
      '--annotations=sim.keelson.dev/exit-after=25s',
      '--annotations=sim.keelson.dev/log-every=10s',
      '--annotations=sim.keelson.dev/log=tick',
    );
    await cluster.settle();
    const child = spawn(command, ['logs', '-f', 'ticking'], {
      env: { ...process.env, ...environment, KUBECONFIG: await cluster.kubeconfig() },
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    await cluster.clock.advance('10s');
    while (printed !== 'tick\ntick\n') await once(child.stdout, 'data');
    await cluster.clock.advance('15s');
    expect(await ended).toEqual([0, null]);
    expect(printed).toBe('tick\ntick\ntick\n');
  });

  test('logs --previous shows the run before, if there was one', async () => {
    expect(await kubectl.output('logs', 'restarted', '--previous')).toBe('container app started\n');
    const refused = await kubectl.run(['logs', 'failing', '--previous']);
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'Error from server (BadRequest): previous terminated container "app" in pod "failing" not found\n',
    });
  });

  test('exec passes input and output on, and ends with the code of the command', async () => {
    expect(await kubectl.output('exec', 'web', '-c', 'web', '--', 'echo', 'hello', 'world')).toBe('hello world\n');
    const cat = await kubectl.run(['exec', '-i', 'web', '-c', 'web', '--', 'cat'], 'sent\n'.repeat(50_000));
    expect(cat).toMatchObject({ code: 0, stdout: 'sent\n'.repeat(50_000) });
    expect(await kubectl.run(['exec', 'failing', '--', 'anything'])).toEqual({
      code: 7,
      stdout: 'no such thing',
      stderr: 'command terminated with exit code 7\n',
    });
  });

  test('exec, attach and logs say what is wrong with what was asked for', async () => {
    const said = async (...args: string[]): Promise<string> => (await kubectl.run(args)).stderr;
    expect(await said('exec', 'nobody', '--', 'true')).toBe('Error from server (NotFound): pods "nobody" not found\n');
    expect(await said('exec', 'web', '-c', 'wrong', '--', 'true')).toContain(
      'container wrong is not valid for pod web',
    );
    expect(await said('logs', 'web', '-c', 'wrong')).toContain('container wrong is not valid for pod web');
    await kubectl.create(UNBOUND);
    expect(await said('attach', 'unbound')).toContain('pod unbound does not have a host assigned');
    expect(await kubectl.output('logs', 'unbound')).toBe('');
    expect(await said('exec', 'unbound', '--', 'true')).toContain('pod unbound does not have a host assigned');
  });

  test('port-forward passes connections on, several at a time', async () => {
    const child = spawn(command, ['port-forward', 'pod/web', ':7'], {
      env: { ...process.env, ...environment, KUBECONFIG: await cluster.kubeconfig() },
    });
    const ended = once(child, 'close');
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
    const echoed = await Promise.all(['first', 'second'].map((text) => sentBack(port, text.repeat(100_000))));
    expect(echoed).toEqual(['first'.repeat(100_000), 'second'.repeat(100_000)]);
    child.kill();
    await ended;
  });

  test('port-forward ends with its pod', async () => {
    await kubectl.output('run', 'short-lived', '--image=web');
    await cluster.settle();
    const child = spawn(command, ['port-forward', 'pod/short-lived', ':7'], {
      env: { ...process.env, ...environment, KUBECONFIG: await cluster.kubeconfig() },
    });
    const ended = once(child, 'close');
    let problem = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text));
    await once(child.stdout, 'data');
    await kubectl.output('delete', 'pod', 'short-lived', '--now', '--wait=false');
    await cluster.clock.advance('2s');
    await cluster.settle();
    expect(await ended).toEqual([1, null]);
    expect(problem).toContain('lost connection to pod');
  });

  test('cp copies files there and back, and says when there is no room', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-cp-'));
    const bytes = randomBytes(300_000);
    await mkdir(join(folder, 'from', 'sub'), { recursive: true });
    await writeFile(join(folder, 'from', 'sub', 'bytes'), bytes);
    await writeFile(join(folder, 'big'), Buffer.alloc(2 * 1024 * 1024));
    await kubectl.output('cp', join(folder, 'from'), 'web:/tmp/there', '-c', 'web');
    await kubectl.output('cp', 'web:/tmp/there', join(folder, 'back'), '-c', 'web');
    expect(await readFile(join(folder, 'back', 'sub', 'bytes'))).toEqual(bytes);
    const full = await kubectl.run(['cp', join(folder, 'big'), 'web:/tmp/big', '-c', 'web']);
    expect(full.code).toBe(2);
    expect(full.stderr).toContain('tar: No space left on device');
    await rm(folder, { recursive: true });
  });

  test('a shell has the environment of its container', async () => {
    const script = 'echo $KUBERNETES_SERVICE_PORT > /tmp/port && cat /tmp/port; hostname; exit 4';
    const ran = await kubectl.run(['exec', 'web', '-c', 'web', '--', 'sh', '-c', script]);
    expect([ran.code, ran.stdout]).toEqual([4, '443\nweb\n']);
    const piped = await kubectl.run(['exec', '-i', 'web', '-c', 'web', '--', 'sh'], 'cd /tmp\npwd\n');
    expect([piped.code, piped.stdout]).toEqual([0, '/tmp\n']);
  });

  test('debug adds a container to whose shell one can attach', async () => {
    await kubectl.output('debug', 'web', '--image=busybox', '--container=look', '--attach=false', '-i');
    await cluster.settle();
    const attached = await kubectl.run(['attach', '-i', 'web', '-c', 'look'], 'hostname\nexit 0\n');
    expect([attached.code, attached.stdout]).toEqual([0, 'web\n']);
    await cluster.settle();
    const reason = 'jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.reason}';
    expect(await kubectl.output('get', 'pod', 'web', '-o', reason)).toBe('Completed');
  });

  test('a user who may only get pods/exec runs no command', async () => {
    const rule = ['--verb=get', '--resource=pods,pods/exec,pods/attach,pods/portforward'];
    await kubectl.output('create', 'role', 'looker', ...rule);
    await kubectl.output('create', 'rolebinding', 'looker', '--role=looker', '--user=eve');
    await cluster.settle();
    const refused = await kubectl.run(['exec', 'failing', '--as=eve', '--', 'true']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      isWebSocket === 'true'
        ? 'pods "failing" is forbidden: '
        : 'pods "failing" is forbidden: User "eve" cannot create resource "pods/exec" in API group "" in the namespace "default"',
    );
  });

  test('volumes have the files of ConfigMaps and the token of the service account, which are read-only', async () => {
    await kubectl.create(CONFIGURED);
    await cluster.settle();
    const exec = (...words: string[]) => kubectl.run(['exec', 'configured', '--', ...words]);
    expect((await exec('cat', '/etc/config/color', '/etc/color')).stdout).toBe('blueblue');
    const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
    expect((await exec('ls', folder)).stdout).toBe('ca.crt\nnamespace\ntoken\n');
    expect((await exec('cat', `${folder}/token`)).stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const refused = await exec('sh', '-c', 'echo red > /etc/config/color');
    expect(refused.stderr).toContain('Read-only file system');
    await kubectl.run(['patch', 'configmap', 'settings', '--type=merge', '-p', '{"data":{"color":"red"}}']);
    await cluster.clock.advance('61s');
    expect((await exec('cat', '/etc/config/color', '/etc/color')).stdout).toBe('redblue'); // a part stays as it was
  });
});

/** What comes back from a port that is sent a text, until it closes its side. */
async function sentBack(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(text);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += String(chunk);
  return answer;
}
