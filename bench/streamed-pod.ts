import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePorts, runProgram } from '../peers/index.ts';

const MEGABYTE = 1_000_000;
const LINE_BYTES = 80;
const PORT = 9000;
const LIMIT_MS = 120_000;
const NAME = 'streams';

/** How kubectl is called. */
export interface Kubectl {
  readonly program: string;
  /** What follows the program's name: the cluster, the namespace. */
  readonly flags: readonly string[];
}

export interface StreamedPodOptions {
  /** An image with a shell and BusyBox's httpd. */
  readonly image: string;
  /** The node; default the scheduler's choice. */
  readonly nodeName?: string;
  readonly logLines: number;
  /** The file that is downloaded through a forwarded port. */
  readonly fileBytes: number;
}

/** What a pod serves, for those who measure how it arrives. */
export type StreamedBytes = Pick<StreamedPodOptions, 'logLines' | 'fileBytes'>;

/** A pod whose log, commands and port are read by kubectl. */
export class StreamedPod implements AsyncDisposable {
  readonly #kubectl: Kubectl;
  readonly #options: StreamedBytes;

  private constructor(kubectl: Kubectl, options: StreamedBytes) {
    this.#kubectl = kubectl;
    this.#options = options;
  }

  /** A pod that says to run on a node that somebody else stands in for. */
  static async pretend(kubectl: Kubectl, options: StreamedBytes & { readonly nodeName: string }): Promise<StreamedPod> {
    const pod = new StreamedPod(kubectl, options);
    const spec = {
      nodeName: options.nodeName,
      tolerations: [{ operator: 'Exists' }],
      terminationGracePeriodSeconds: 0,
    };
    const overrides = JSON.stringify({ apiVersion: 'v1', spec });
    await pod.#run(['run', NAME, '--image=registry.invalid/none', '--overrides', overrides]);
    const state = { running: { startedAt: new Date().toISOString() } };
    const container = { name: NAME, image: 'none', imageID: 'none', ready: true, restartCount: 0, state };
    const status = { phase: 'Running', containerStatuses: [container] };
    const patch = JSON.stringify({ status });
    await pod.#run(['patch', 'pod', NAME, '--subresource=status', '--type=merge', '--patch', patch]);
    return pod;
  }

  /** Starts the pod on a real node and waits until its log and its file are whole. */
  static async start(kubectl: Kubectl, options: StreamedPodOptions): Promise<StreamedPod> {
    const pod = new StreamedPod(kubectl, options);
    const { image, nodeName, logLines, fileBytes } = options;
    const line = 'x'.repeat(LINE_BYTES - 1);
    const script = `i=0; while [ $i -lt ${logLines} ]; do echo ${line}; i=$((i+1)); done; mkdir /www; head -c ${fileBytes} /dev/zero > /www/zeros; touch /written; exec httpd -f -p ${PORT} -h /www`;
    const startupProbe = { exec: { command: ['test', '-f', '/written'] }, periodSeconds: 1, failureThreshold: 1000 };
    const containers = [{ name: 'main', image, command: ['sh', '-c', script], startupProbe }];
    const spec = { containers, nodeName, terminationGracePeriodSeconds: 0 };
    await pod.#run(['run', NAME, `--image=${image}`, '--overrides', JSON.stringify({ apiVersion: 'v1', spec })]);
    await pod.#run(['wait', '--for=condition=Ready', `pod/${NAME}`, '--timeout=100s']);
    return pod;
  }

  /** MB a second at which kubectl prints the log, with its own start. */
  logsSpeed(): Promise<number> {
    return this.#speed(['logs', NAME], this.#options.logLines * LINE_BYTES);
  }

  /** MB a second at which kubectl prints what a command writes; over WebSocket, unless told otherwise. */
  commandSpeed(bytes: number, isWebSocket = true): Promise<number> {
    const environment = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: String(isWebSocket) };
    return this.#speed(['exec', NAME, '--', 'head', '-c', `${bytes}`, '/dev/zero'], bytes, environment);
  }

  /** Milliseconds that each of some short commands takes, with kubectl's own start. */
  shortCommands(count: number): Promise<number[]> {
    return this.#times(count, ['exec', NAME, '--', 'true']);
  }

  /** Milliseconds in which kubectl reads the pod from the API server: what any of its commands takes at least. */
  reads(count: number): Promise<number[]> {
    return this.#times(count, ['get', 'pod', NAME]);
  }

  /** MB a second at which a file arrives over HTTP through a forwarded port. */
  async forwardSpeed(isWebSocket = true): Promise<number> {
    const [local = 0] = await freePorts(1);
    const environment = { KUBECTL_PORT_FORWARD_WEBSOCKETS: String(isWebSocket) };
    const forwarding = this.#spawn(['port-forward', `pod/${NAME}`, `${local}:${PORT}`], environment);
    try {
      await once(forwarding.stdout, 'data');
      return await download(local, this.#options.fileBytes);
    } finally {
      await end(forwarding);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run(['delete', 'pod', NAME, '--wait=false']);
  }

  async #speed(args: readonly string[], bytes: number, environment: Environment = {}): Promise<number> {
    const started = performance.now();
    let received = 0;
    for await (const chunk of this.#spawn(args, environment).stdout) received += (chunk as Buffer).length;
    if (received !== bytes) throw new Error(`kubectl ${args[0] ?? ''} printed ${received} bytes of ${bytes}`);
    return megabytesPerSecond(bytes, started);
  }

  async #times(count: number, args: readonly string[]): Promise<number[]> {
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      const started = performance.now();
      await this.#run(args);
      times.push(performance.now() - started);
    }
    return times;
  }

  #run(args: readonly string[]): Promise<string> {
    const { program, flags } = this.#kubectl;
    return runProgram([program, ...flags, ...args], { limitMs: LIMIT_MS });
  }

  #spawn(args: readonly string[], environment: Environment): ReturnType<typeof spawnReadable> {
    return spawnReadable(this.#kubectl.program, [...this.#kubectl.flags, ...args], environment);
  }
}

type Environment = Readonly<Record<string, string>>;

function spawnReadable(program: string, args: readonly string[], environment: Environment) {
  const env = { ...process.env, ...environment };
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: LIMIT_MS, env });
}

async function download(port: number, bytes: number): Promise<number> {
  const started = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/zeros`, { signal: AbortSignal.timeout(LIMIT_MS) });
  let received = 0;
  for await (const chunk of answer.body ?? []) received += (chunk as Uint8Array).length;
  if (received !== bytes) throw new Error(`${received} bytes came of ${bytes}`);
  return megabytesPerSecond(bytes, started);
}

function megabytesPerSecond(bytes: number, startedMs: number): number {
  return bytes / MEGABYTE / ((performance.now() - startedMs) / 1000);
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill();
  await ended;
}
