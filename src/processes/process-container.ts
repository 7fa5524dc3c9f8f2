import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { aborted, BoundedQueue, type Clock } from '../base/index.ts';
import type {
  ContainerConfig,
  ContainerEventType,
  ContainerState,
  ContainerStatus,
  MeasuredUsage,
  PodSandboxConfig,
} from '../node/index.ts';
import { ContainerLog } from './container-log.ts';
import type { Launch, Launcher } from './launcher.ts';
import {
  exitCodeOf,
  type GroupUsage,
  isSignal,
  processIdentity,
  type ProcessIdentity,
  signalGroup,
} from './process-groups.ts';

export interface ProcessContainerParts {
  readonly id: string;
  /** The sandbox that the container was made in. */
  readonly sandboxId: string;
  readonly sandbox: Pick<PodSandboxConfig, 'metadata' | 'labels' | 'annotations' | 'logDirectory'>;
  readonly config: ContainerConfig;
  readonly imageRef: string;
  readonly launch: Launch;
  /** The TCP ports that the pod says it has. */
  readonly ports: readonly number[];
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** Called with all that the program prints. */
  readonly onOutput: ((bytes: Uint8Array) => void) | undefined;
  /** Explains an end with a failure, if the machine is the reason; undefined when it is not known to be. */
  explain(container: ProcessContainer): Promise<string | undefined>;
  changed(container: ProcessContainer, type: ContainerEventType): void;
}

/** Output that someone who has attached has not read yet, in pieces; more than this ends the connection. */
const MAX_UNREAD = 1000;
/** How long output may keep coming from processes that have left the group of one that has ended. */
const LAST_OUTPUT_MS = 500;

interface Attached {
  readonly stdout: BoundedQueue<Uint8Array>;
  readonly stderr: BoundedQueue<Uint8Array>;
}

/** A container that is a process of this machine, and the leader of a group of processes. */
export class ProcessContainer {
  readonly parts: ProcessContainerParts;
  readonly createdAtMs: number;
  /** Resolves when the process has ended and all it has printed is in the log. */
  readonly ended: Promise<void>;
  readonly #attached = new Set<Attached>();
  /** The groups of commands that run in the container beside its program. */
  readonly #commands = new Set<number>();
  #end: () => void = () => undefined;
  #child: ChildProcess | undefined;
  #state: ContainerState = 'CONTAINER_CREATED';
  #startedAtMs: number | undefined;
  #finishedAtMs: number | undefined;
  #exitCode = 0;
  #message = '';
  #cpuNanoseconds = 0;

  constructor(parts: ProcessContainerParts) {
    this.parts = parts;
    this.createdAtMs = parts.clock.now();
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  get id(): string {
    return this.parts.id;
  }

  get podUid(): string {
    return this.parts.sandbox.metadata.uid;
  }

  get state(): ContainerState {
    return this.#state;
  }

  /** The process, which leads a group of the same id; undefined before the start. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get stdin(): ChildProcess['stdin'] | undefined {
    return this.#child?.stdin;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  status(podSandboxId: string): ContainerStatus {
    const { config, sandbox, imageRef } = this.parts;
    const { metadata, image, labels, annotations } = config;
    return {
      id: this.id,
      podSandboxId,
      metadata,
      image,
      labels,
      annotations,
      imageRef,
      logPath: `${sandbox.logDirectory}/${config.logPath}`,
      state: this.#state,
      createdAtMs: this.createdAtMs,
      startedAtMs: this.#startedAtMs,
      finishedAtMs: this.#finishedAtMs,
      exitCode: this.#exitCode,
      reason: this.#state !== 'CONTAINER_EXITED' ? '' : this.#exitCode === 0 ? 'Completed' : 'Error',
      message: this.#message,
    };
  }

  /** Starts the program. Rejects with a RuntimeError when that is not possible; the container has then ended. */
  async start(): Promise<ProcessIdentity> {
    const { launch, launcher, clock, config, sandbox, changed } = this.parts;
    const log = await ContainerLog.open(`${sandbox.logDirectory}/${config.logPath}`, clock);
    let child: ChildProcess;
    try {
      child = await launcher.spawn(launch, [config.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe']);
    } catch (error) {
      await log.close();
      this.#exitCode = 128;
      this.#finish();
      throw error;
    }
    this.#child = child;
    this.#startedAtMs = clock.now();
    this.#state = 'CONTAINER_RUNNING';
    child.stdin?.on('error', () => undefined); // the process has closed its input
    const copied = Promise.all([this.#copy('stdout', log), this.#copy('stderr', log)]);
    void this.#awaitEnd(child, { log, copied });
    changed(this, 'CONTAINER_STARTED_EVENT');
    const pid = child.pid ?? 0;
    return (await processIdentity(pid)) ?? { pid, startTime: '' };
  }

  /** Asks the processes to end, and kills those that still run after the grace period. */
  async stop(graceMs: number, signal?: AbortSignal): Promise<void> {
    const { clock, config } = this.parts;
    if (this.#state !== 'CONTAINER_RUNNING') return;
    const { stopSignal = 'SIGTERM' } = config;
    this.#signal(isSignal(stopSignal) ? stopSignal : 'SIGTERM');
    using _deadline = clock.timer(graceMs, () => this.kill());
    await (signal === undefined ? this.ended : Promise.race([this.ended, aborted(signal)]));
  }

  /** Kills all processes of the container. */
  kill(): void {
    this.#signal('SIGKILL');
    for (const group of this.#commands) signalGroup(group, 'SIGKILL');
  }

  /** Kills a command when the container ends, until the result is disposed of. */
  owns(group: number): Disposable {
    this.#commands.add(group);
    if (this.#state !== 'CONTAINER_RUNNING') signalGroup(group, 'SIGKILL');
    return { [Symbol.dispose]: () => void this.#commands.delete(group) };
  }

  /** What the program prints from now on. */
  attach(signal: AbortSignal): Attached {
    const attached = {
      stdout: new BoundedQueue<Uint8Array>(MAX_UNREAD),
      stderr: new BoundedQueue<Uint8Array>(MAX_UNREAD),
    };
    const leave = (): void => {
      this.#attached.delete(attached);
      attached.stdout.close();
      attached.stderr.close();
    };
    if (signal.aborted || this.#state !== 'CONTAINER_RUNNING') leave();
    else {
      this.#attached.add(attached);
      signal.addEventListener('abort', leave, { once: true });
    }
    return attached;
  }

  /** Its usage, given that of its group. */
  usage({ cpuNanoseconds, memoryBytes }: GroupUsage): MeasuredUsage {
    this.#cpuNanoseconds = Math.max(this.#cpuNanoseconds, cpuNanoseconds); // processes that end take their time with them
    return {
      timestampMs: this.parts.clock.now(),
      usageCoreNanoSeconds: this.#cpuNanoseconds,
      workingSetBytes: memoryBytes,
    };
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined && this.#state === 'CONTAINER_RUNNING') signalGroup(this.#child.pid, signal);
  }

  async #copy(name: 'stdout' | 'stderr', log: ContainerLog): Promise<void> {
    const source = this.#child?.[name] as NonNullable<ChildProcess['stdout']>;
    const attached = this.#attached;
    const { onOutput } = this.parts;
    async function* shown(): AsyncGenerator<Buffer> {
      for await (const bytes of source as AsyncIterable<Buffer>) {
        onOutput?.(bytes);
        for (const each of attached) if (!each[name].offer(bytes)) each[name].close();
        yield bytes;
      }
    }
    await log.copy(shown(), name).catch(() => undefined); // the pipe was cut, or the disk is full: the process goes on
    source.resume();
  }

  async #awaitEnd(
    child: ChildProcess,
    { log, copied }: { readonly log: ContainerLog; readonly copied: Promise<unknown> },
  ): Promise<void> {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    this.kill(); // what is left of the group, as when the first process of a container ends
    const { clock } = this.parts;
    using _cut = clock.timer(LAST_OUTPUT_MS, () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    await copied;
    await log.close().catch(() => undefined); // a disk that is full does not keep the container from ending
    this.#exitCode = exitCodeOf(code, signal);
    if (this.#exitCode !== 0) this.#message = (await this.parts.explain(this)) ?? '';
    this.#finish();
  }

  #finish(): void {
    this.#state = 'CONTAINER_EXITED';
    this.#finishedAtMs = this.parts.clock.now();
    for (const { stdout, stderr } of this.#attached) {
      stdout.close();
      stderr.close();
    }
    this.#end();
    this.parts.changed(this, 'CONTAINER_STOPPED_EVENT');
  }
}
