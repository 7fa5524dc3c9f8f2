import { Buffer } from 'node:buffer';
import { aborted, AbortScope, type Clock, messageOf, onAbort } from '../../base/index.ts';
import { type ContainerState, type ContainerStatus, OutputLog, RuntimeError } from '../../node/index.ts';
import { ByteInbox } from '../../wire/connections/index.ts';
import type { CriRuntimeDefinition, ProgramIo, RuntimeContainer } from './runtime-definition.ts';

const KILLED = 137;

interface Ending {
  readonly exitCode: number;
  readonly message: string;
  readonly finishedAtMs: number;
}

interface KeptContainerParts {
  readonly container: RuntimeContainer;
  readonly run: CriRuntimeDefinition['run'];
  readonly clock: Clock;
  /** The program has ended. */
  ended(): void;
}

/** A container of a runtime that is written with `criRuntime`: its state, its input and its output. */
export class KeptContainer {
  readonly container: RuntimeContainer;
  readonly output: OutputLog;
  /** Undefined for a program without input. */
  readonly input: ByteInbox | undefined;
  readonly #parts: KeptContainerParts;
  readonly #createdAtMs: number;
  readonly #stop = new AbortScope();
  readonly #over = new AbortController();
  #startedAtMs: number | undefined;
  #ending: Ending | undefined;

  constructor(parts: KeptContainerParts) {
    this.#parts = parts;
    this.container = parts.container;
    this.output = new OutputLog(parts.clock);
    this.input = parts.container.config.stdin ? new ByteInbox() : undefined;
    this.#createdAtMs = parts.clock.now();
  }

  get state(): ContainerState {
    if (this.#ending !== undefined) return 'CONTAINER_EXITED';
    return this.#startedAtMs === undefined ? 'CONTAINER_CREATED' : 'CONTAINER_RUNNING';
  }

  /** Aborts when the program has ended. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  isRunning(): boolean {
    return this.state === 'CONTAINER_RUNNING';
  }

  /** Resolves when the program has ended, or the signal aborts. */
  async ended(signal?: AbortSignal): Promise<void> {
    using scope = new AbortScope(this.over);
    using _given = signal === undefined ? undefined : onAbort(signal, () => scope.abort());
    if (signal?.aborted !== true) await aborted(scope.signal);
  }

  get exitCode(): number {
    return this.#ending?.exitCode ?? 0;
  }

  get status(): ContainerStatus {
    const { id, pod, config } = this.container;
    const { metadata, image, labels, annotations, logPath } = config;
    const { exitCode = 0, message = '', finishedAtMs } = this.#ending ?? {};
    return {
      id,
      podSandboxId: pod.id,
      metadata,
      image,
      imageRef: image.image,
      labels,
      annotations,
      logPath: logPath === '' ? '' : `${pod.config.logDirectory}/${logPath}`,
      state: this.state,
      createdAtMs: this.#createdAtMs,
      startedAtMs: this.#startedAtMs,
      finishedAtMs,
      exitCode,
      reason: this.#ending === undefined ? '' : exitCode === 0 ? 'Completed' : 'Error',
      message,
    };
  }

  start(): void {
    if (this.state !== 'CONTAINER_CREATED')
      throw new RuntimeError('Failed', `Cannot start container "${this.container.id}": it is in state ${this.state}`);
    this.#startedAtMs = this.#parts.clock.now();
    const io: ProgramIo = {
      stdin: this.input ?? nothing(),
      stdout: async (output) => this.output.write('stdout', bytesOf(output)),
      stderr: async (output) => this.output.write('stderr', bytesOf(output)),
      signal: this.#stop.signal,
    };
    void this.#run(io);
  }

  /** Lets the program end, and counts it as killed after `timeoutMs`. Resolves when it has ended. */
  async stop(timeoutMs: number): Promise<void> {
    if (this.state === 'CONTAINER_CREATED') this.#end(0, '');
    if (this.#ending !== undefined) return;
    using _kill = this.#parts.clock.timer(timeoutMs, () => this.kill());
    this.#stop.abort(new Error('The container is stopped'));
    await this.ended();
  }

  /** It counts as ended at once, whatever its program does. */
  kill(): void {
    this.#stop.abort(new Error('The container is killed'));
    this.#end(KILLED, '');
  }

  async #run(io: ProgramIo): Promise<void> {
    try {
      this.#end(await this.#parts.run(this.container, io), '');
    } catch (error) {
      this.output.write('stderr', bytesOf(`${messageOf(error)}\n`));
      this.#end(1, messageOf(error));
    }
  }

  #end(exitCode: number, message: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = { exitCode, message, finishedAtMs: this.#parts.clock.now() };
    this.output.end();
    this.input?.drop();
    this.#over.abort(new Error('The container has ended'));
    this.#parts.ended();
  }
}

export const bytesOf = (output: string | Uint8Array): Uint8Array =>
  typeof output === 'string' ? Buffer.from(output) : output;

export async function* nothing(): AsyncGenerator<Uint8Array> {
  // ends at once
}
