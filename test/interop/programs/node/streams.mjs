// A program on @kubernetes/client-node's streams: Exec, Attach, Log, PortForward and Cp.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { Attach, CoreV1Api, Cp, Exec, KubeConfig, Log, PortForward } from '@kubernetes/client-node';
import { eventually, expect, Report } from './outcomes.mjs';

/** Keeps what is written to it. */
class Kept extends Writable {
  text = '';

  _write(chunk, _encoding, done) {
    this.text += String(chunk);
    done();
  }
}

const POD = 'shell';
const CONTAINER = 'main';
const { values } = parseArgs({ options: { namespace: { type: 'string', default: 'interop-node-streams' } } });
const namespace = values.namespace;
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);

const { version } = createRequire(import.meta.url)('@kubernetes/client-node/package.json');
const report = new Report('@kubernetes/client-node streams', version);
for (const [name, run] of Object.entries({
  pods,
  exec,
  'end of input': input,
  terminal,
  refusals,
  logs,
  attach,
  'port-forward': forward,
  cp: copy,
})) {
  await report.step(name, run);
}
await core.deleteNamespace({ name: namespace }).catch(() => undefined); // the server goes away too
report.print();
process.exit(0); // connections of ended streams would hold us

async function pods() {
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  const annotations = { 'sim.keelson.dev/log': 'first\nsecond', 'sim.keelson.dev/http-body': 'hello' };
  const spec = { containers: [{ name: CONTAINER, image: 'registry.invalid/main:1' }] };
  // It is refused until there is a service account.
  await eventually(() => core.createNamespacedPod({ namespace, body: { metadata: { name: POD, annotations }, spec } }));
  await eventually(async () => {
    const { status } = await core.readNamespacedPod({ name: POD, namespace });
    expect(status?.phase === 'Running', `the pod is ${status?.phase}`);
  });
}

/** Runs a command to its end. */
async function run(command, { stdin = null, tty = false } = {}) {
  const stdout = new Kept();
  const stderr = tty ? null : new Kept();
  const status = await new Promise((resolve, reject) => {
    new Exec(config)
      .exec(namespace, POD, CONTAINER, command, stdout, stderr, stdin, tty, resolve)
      .then((socket) => (socket.onclose = () => reject(new Error('it was closed without a status'))))
      .catch((error) => reject(new Error(error.message)));
  });
  return { status, stdout: stdout.text, stderr: stderr?.text };
}

function codeOf({ details }) {
  return details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
}

async function exec() {
  const { status, stdout, stderr } = await run(['sh', '-c', 'echo out; echo problem >&2; exit 3']);
  expect(stdout === 'out\n' && stderr === 'problem\n', `it wrote ${JSON.stringify({ stdout, stderr })}`);
  expect(status.reason === 'NonZeroExitCode' && codeOf(status) === '3', `it ended with ${JSON.stringify(status)}`);
  const good = await run(['true']);
  expect(good.status.status === 'Success', `it ended with ${JSON.stringify(good.status)}`);
}

async function input() {
  const piece = '0123456789abcdef'.repeat(4096);
  const { status, stdout } = await run(['cat'], { stdin: Readable.from([piece, piece, piece, piece]) });
  expect(stdout === piece.repeat(4), `${stdout.length} characters came back`);
  expect(status.status === 'Success', `it ended with ${JSON.stringify(status)}`);
}

async function terminal() {
  const { status, stdout } = await run(['sh'], { stdin: Readable.from(['echo problem >&2\nexit 4\n']), tty: true });
  expect(stdout.includes('problem\r\n'), `it wrote ${JSON.stringify(stdout)}`);
  expect(codeOf(status) === '4', `it ended with ${JSON.stringify(status)}`);
}

async function refusals() {
  const refused = await new Exec(config).exec(namespace, POD, 'other', ['true'], new Kept(), null, null, false).then(
    () => 'let through',
    (error) => error.message,
  );
  expect(refused.includes('400'), `it was ${refused}`);
}

async function logs() {
  const last = new Kept();
  await new Log(config).log(namespace, POD, CONTAINER, last, { tailLines: 1 });
  await eventually(async () => expect(last.text === 'second\n', `the last line is ${JSON.stringify(last.text)}`));
  const followed = new PassThrough();
  const leaving = await new Log(config).log(namespace, POD, CONTAINER, followed, { follow: true });
  for await (const chunk of followed) {
    expect(String(chunk).startsWith('first\n'), `followed, it begins with ${String(chunk)}`);
    break;
  }
  leaving.abort();
}

async function attach() {
  const stdout = new Kept();
  const socket = await new Attach(config).attach(namespace, POD, CONTAINER, stdout, null, null, false);
  await exec();
  expect(stdout.text === '', `an idle container says ${stdout.text}`);
  socket.close();
}

async function forward() {
  const output = new Kept();
  const problems = new Kept();
  const sent = new PassThrough();
  const socket = await new PortForward(config).portForward(namespace, POD, [8080], output, problems, sent);
  sent.write('GET / HTTP/1.1\r\nHost: shell\r\nConnection: close\r\n\r\n');
  await eventually(async () => {
    expect(output.text.startsWith('HTTP/1.1 200 OK\r\n'), `it answered ${JSON.stringify(output.text)}`);
    expect(output.text.trimEnd().endsWith('hello'), `it answered ${JSON.stringify(output.text)}`);
  });
  expect(problems.text === '', `it failed: ${problems.text}`);
  socket.close();
}

/** To the pod only: what the client asks for the other way is packed with gzip, which it does not unpack. */
async function copy() {
  const folder = await mkdtemp(join(tmpdir(), 'interop-cp-'));
  try {
    await writeFile(join(folder, 'greeting'), 'hello\n');
    await run(['mkdir', '-p', '/tmp/copied']);
    await new Cp(config).cpToPod(namespace, POD, CONTAINER, folder, '/tmp/copied');
    await eventually(async () => {
      const { stdout, stderr } = await run(['cat', '/tmp/copied/greeting']);
      expect(stdout === 'hello\n', `there is ${JSON.stringify(stdout + stderr)}`);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
