// Logs, commands and forwarded ports of a pod of a real node, by kubectl: what `npm run bench:streams` runs beside our server and
// beside kube-apiserver. Its cluster is that of $KUBECONFIG.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { freePorts } from '../peers/index.ts';
import { runCommand } from '../test/interop/toolchain.ts';

const MEGABYTE = 1_000_000;
const LOG_LINES = 62_500; // 5 MB in lines of 80 bytes
const COPIED_BYTES = 256 * 1024 * 1024;
const FORWARDED_BYTES = 128 * 1024 * 1024;
const SHORT_COMMANDS = 12;
const PORT = 9000;
const LIMIT_MS = 120_000;
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, name: { type: 'string' } } });

const image = (await kubectl(['get', 'nodes', '-o', 'jsonpath={.items[0].status.images[*].names[*]}']))
  .split(' ')
  .find((name) => /\/busybox:/.test(name));
if (image === undefined) throw new Error('The node has no image of busybox: npm run conformance:images makes it');
const line = 'x'.repeat(79);
const script = `i=0; while [ $i -lt ${LOG_LINES} ]; do echo ${line}; i=$((i+1)); done; mkdir /www; head -c ${FORWARDED_BYTES} /dev/zero > /www/zeros; touch /written; exec httpd -f -p ${PORT} -h /www`;
/** Ready when its log is whole. */
const readinessProbe = { exec: { command: ['test', '-f', '/written'] }, periodSeconds: 1, failureThreshold: 1000 };
const container = { name: 'main', image, command: ['sh', '-c', script], readinessProbe };
const spec = { containers: [container], terminationGracePeriodSeconds: 0 };
await kubectl(['run', 'streams', `--image=${image}`, '--overrides', JSON.stringify({ apiVersion: 'v1', spec })]);
await kubectl(['wait', '--for=condition=Ready', 'pod/streams', '--timeout=100s']);

const rows: Readonly<Record<string, () => Promise<number>>> = {
  'logs of 5 MB, MB/s': () => speed(['logs', 'streams'], LOG_LINES * 80),
  'exec of 268 MB, MB/s': () =>
    speed(['exec', 'streams', '--', 'head', '-c', `${COPIED_BYTES}`, '/dev/zero'], COPIED_BYTES),
  'exec true, ms': shortCommand,
  'port-forward of 134 MB, MB/s': forwarded,
};
for (const [name, measure] of Object.entries(rows)) {
  const seen: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++) seen.push(await measure());
  console.log(`${values.name ?? 'server'}: ${name}: ${seen.map((each) => each.toFixed(1)).join(', ')}`);
}
await kubectl(['delete', 'pod', 'streams', '--wait=false']);

async function kubectl(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['kubectl', ...args], { cwd: '/', limitMs: LIMIT_MS });
  if (code !== 0) throw new Error(`kubectl ${args.slice(0, 2).join(' ')}: ${stderr}`);
  return stdout;
}

/** How fast kubectl prints it, with its own start. */
async function speed(args: readonly string[], bytes: number): Promise<number> {
  const started = performance.now();
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let received = 0;
  for await (const chunk of child.stdout) received += (chunk as Buffer).length;
  if (received !== bytes) throw new Error(`kubectl ${args[0] ?? ''} printed ${received} bytes of ${bytes}`);
  return bytes / MEGABYTE / ((performance.now() - started) / 1000);
}

async function shortCommand(): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < SHORT_COMMANDS; index++) {
    const started = performance.now();
    await kubectl(['exec', 'streams', '--', 'true']);
    times.push(performance.now() - started);
  }
  return times.sort((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0;
}

async function forwarded(): Promise<number> {
  const [local = 0] = await freePorts(1);
  const forwarding = spawn('kubectl', ['port-forward', 'pod/streams', `${local}:${PORT}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(forwarding.stdout, 'data');
    return await download(local);
  } finally {
    await end(forwarding);
  }
}

/** How fast a file arrives over HTTP. */
async function download(port: number): Promise<number> {
  const started = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/zeros`);
  let received = 0;
  for await (const chunk of answer.body ?? []) received += (chunk as Uint8Array).length;
  if (received !== FORWARDED_BYTES) throw new Error(`${received} bytes came of ${FORWARDED_BYTES}`);
  return FORWARDED_BYTES / MEGABYTE / ((performance.now() - started) / 1000);
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill();
  await ended;
}
