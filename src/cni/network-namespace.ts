import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

/** A network namespace with its loopback interface, which is gone when it is disposed of: a process holds it. */
export class NetworkNamespace implements AsyncDisposable {
  readonly #holder: ChildProcess;

  static async create(): Promise<NetworkNamespace> {
    // it ends by itself when this process does, because its standard input is closed then
    const holder = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo ready && exec cat'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [text] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'close')])) as readonly unknown[];
    if (!Buffer.isBuffer(text)) throw new Error('Cannot make a network namespace: unshare(1) failed, which needs root');
    return new NetworkNamespace(holder);
  }

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  get path(): string {
    return `/proc/${this.#holder.pid}/ns/net`;
  }

  /** Runs a program in it and returns what it prints. */
  async run(program: string, ...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('nsenter', [`--net=${this.path}`, '--', program, ...args]);
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    this.#holder.kill('SIGKILL');
    await once(this.#holder, 'exit');
  }
}
