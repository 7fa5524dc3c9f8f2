import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import type { Clock } from '../base/index.ts';
import {
  CONTAINER_KIND,
  type ContainerIdentity,
  type ContainerState,
  type ContainerStatus,
  type MeasuredUsage,
  POD_UID,
  type PodContent,
  RuntimeError,
  type ContainerReadiness,
  type ContainerSpec,
} from '../node/index.ts';
import { type ContainerSetup, mountsOf } from './container-setup.ts';
import { ProcessorMeter } from './processor-meter.ts';
import { type Annotations, type ContainerScript, containerScript } from './script.ts';
import { containerUsage, measuredUsage, type Usage } from './usage.ts';
import { FileTree, type MountedVolume, type ShellMachine } from './shell/index.ts';

/** How a container ended. */
interface Ending {
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly finishedAtMs: number;
}

export interface SimulatedContainerParts {
  readonly id: string;
  readonly podSandboxId: string;
  readonly identity: ContainerIdentity;
  readonly setup: ContainerSetup;
  /** Of its pod. */
  readonly hostname: string;
  readonly imageRef: string;
  readonly createdAtMs: number;
  readonly clock: Clock;
  /** The pod's current annotations. */
  readonly annotations: () => Annotations;
  readonly onEnd: () => void;
}

/** Where the files of a container's mounts come from. */
export interface FileSource {
  /** The agent's folder on the machine. */
  readonly root: string;
  content(path: string): Promise<PodContent | undefined>;
}

const MOUNT_AGAIN_MS = 60_000;
/** A file where mounts are folders. */
const HOSTS = '/etc/hosts';
const DIRECTORIES = ['/bin', '/dev', '/etc', '/home', '/root', '/tmp', '/usr', '/var'];
const KILLED = 137;
const NOT_STARTED = 128;

/** A container that only runs and ends, according to its script. */
export class SimulatedContainer {
  readonly id: string;
  readonly podSandboxId: string;
  readonly name: string;
  readonly attempt: number;
  readonly #parts: SimulatedContainerParts;
  readonly #waiters = new Set<() => void>();
  #startedAtMs: number | undefined;
  #ending: Ending | undefined;
  #exit: Disposable | undefined;
  /** The last parsed script, and its annotations. */
  #script: { readonly from: Annotations; readonly script: ContainerScript } | undefined;
  #kill: { readonly atMs: number; readonly timer: Disposable } | undefined;

  /** The meter of this run, created on first use. */
  #meter: ProcessorMeter | undefined;
  /** Created by the first command. */
  #machine: ShellMachine | undefined;

  constructor(parts: SimulatedContainerParts) {
    this.id = parts.id;
    this.podSandboxId = parts.podSandboxId;
    this.name = parts.identity.metadata.name;
    this.attempt = parts.identity.metadata.attempt;
    this.#parts = parts;
  }

  get state(): ContainerState {
    if (this.#ending !== undefined) return 'CONTAINER_EXITED';
    return this.#startedAtMs === undefined ? 'CONTAINER_CREATED' : 'CONTAINER_RUNNING';
  }

  get status(): ContainerStatus {
    const { id, podSandboxId, identity, imageRef, createdAtMs } = this.#parts;
    const { metadata, image, labels, annotations, logPath } = identity;
    const { exitCode = 0, reason = '', message = '', finishedAtMs } = this.#ending ?? {};
    return {
      id,
      podSandboxId,
      metadata,
      state: this.state,
      createdAtMs,
      startedAtMs: this.#startedAtMs,
      finishedAtMs,
      exitCode,
      image,
      imageRef,
      reason,
      message,
      labels,
      annotations,
      logPath,
    };
  }

  /** The script of this run. */
  get script(): ContainerScript {
    const { identity } = this.#parts;
    const annotations = this.#parts.annotations();
    if (this.#script?.from === annotations) return this.#script.script;
    const { name, attempt } = identity.metadata;
    const kind = identity.annotations[CONTAINER_KIND] ?? 'regular';
    const script = containerScript(annotations, { name, attempt, kind });
    this.#script = { from: annotations, script };
    return script;
  }

  /** The usage while it runs, with the resources of its spec; undefined when it does not run. */
  usage(
    resources: ContainerSpec['resources'],
  ): { readonly usage: Usage; readonly measured: MeasuredUsage } | undefined {
    if (this.state !== 'CONTAINER_RUNNING' || this.#startedAtMs === undefined) return undefined;
    const usage = containerUsage(this.script.usage, resources);
    this.#meter ??= new ProcessorMeter(this.#startedAtMs);
    return { usage, measured: measuredUsage(usage, this.#meter, this.#parts.clock.now()) };
  }

  get setup(): ContainerSetup {
    return this.#parts.setup;
  }

  /** The script's message when it exited by itself. */
  #exitMessage = '';
  /** When the files of its volumes were read. */
  #mountedAtMs: number | undefined;
  /** Files of subPath mounts, which do not follow the volume. */
  readonly #fixed = new Map<string, MountedVolume>();

  /** This container, with the files of its volumes: they are read again after the time in which a kubelet updates them. */
  async mounted(clock: Clock, { root, content }: FileSource): Promise<this> {
    const nowMs = clock.now();
    if (this.#mountedAtMs !== undefined && nowMs - this.#mountedAtMs < MOUNT_AGAIN_MS) return this;
    const { machine } = this.shellSetup(clock);
    const found: MountedVolume[] = [];
    for (const [place, path] of mountsOf(this.setup, root, this.#parts.identity.labels[POD_UID] ?? '')) {
      const volume = path === '' ? undefined : await content(path);
      if (volume === undefined) continue;
      const files = volume.files.map((file) => ({
        ...file,
        path: file.path === '' ? place : posix.join(place, file.path),
      }));
      found.push({ path: posix.resolve('/', place), isFixed: volume.isFixed, files });
    }
    for (const each of found) if (each.isFixed && !this.#fixed.has(each.path)) this.#fixed.set(each.path, each);
    machine.files.mount(
      found.map((each) => this.#fixed.get(each.path) ?? each),
      nowMs,
    );
    this.#mountedAtMs = nowMs;
    return this;
  }

  /** The termination message: what a command has written to the file, or the script's text. */
  get terminationMessage(): Uint8Array | undefined {
    const { annotations } = this.#parts.identity;
    const path = annotations['io.kubernetes.container.terminationMessagePath'] ?? '';
    const written = path === '' ? undefined : this.#machine?.files.get(path);
    if (written?.type === 'file') return written.bytes;
    return this.#exitMessage === '' ? undefined : Buffer.from(this.#exitMessage);
  }

  /** The environment of a command: the container's files, which live as long as the container, and its variables. */
  shellSetup(clock: Clock): {
    readonly machine: ShellMachine;
    readonly environment: ReadonlyMap<string, string>;
    readonly directory: string;
  } {
    const { setup, hostname } = this.#parts;
    const directory = setup.workingDirectory === '' ? '/' : setup.workingDirectory;
    const mounts = mountsOf(setup, '', '')
      .map(([path]) => path)
      .filter((path) => path !== HOSTS);
    this.#machine ??= { hostname, clock, files: new FileTree([...DIRECTORIES, directory, ...mounts], clock.now()) };
    const own = setup.environment.split('\0').filter((text) => text !== '');
    const environment = ['PATH=/usr/local/bin:/usr/bin:/bin', `HOSTNAME=${hostname}`, 'HOME=/root', ...own].map(
      (text): [string, string] => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)],
    );
    return { machine: this.#machine, environment: new Map(environment), directory };
  }

  get readiness(): ContainerReadiness {
    const { startedAfterMs, readyAfterMs } = this.script;
    const startedMs = this.#startedAtMs ?? Infinity;
    const nowMs = this.#parts.clock.now();
    const isStarted = nowMs >= startedMs + startedAfterMs;
    const isReady = isStarted && nowMs >= startedMs + readyAfterMs;
    const changesAtMs = isStarted ? startedMs + readyAfterMs : startedMs + startedAfterMs;
    return { isStarted, isReady, ...(isReady || changesAtMs === Infinity ? {} : { changesAtMs }) };
  }

  /** When its liveness probe begins to fail. */
  get unhealthyAtMs(): number {
    return (this.#startedAtMs ?? Infinity) + this.script.unhealthyAfterMs;
  }

  start(): void {
    if (this.state !== 'CONTAINER_CREATED')
      throw new RuntimeError('Invalid', `Cannot start container "${this.id}": it is in state ${this.state}`);
    const { startFails } = this.script;
    const nowMs = this.#parts.clock.now();
    if (startFails !== undefined) {
      this.#end({ exitCode: NOT_STARTED, reason: 'StartError', message: startFails, finishedAtMs: nowMs });
      throw new RuntimeError('Failed', startFails);
    }
    this.run(nowMs);
  }

  /** Marks it as running since the given time. */
  run(sinceMs: number): void {
    this.#startedAtMs = sinceMs;
    this.followScript();
  }

  /** Marks it as ended. */
  hasEnded(startedAtMs: number | undefined, ending: Ending): void {
    this.#startedAtMs = startedAtMs;
    this.#ending = ending;
  }

  /** The script may have changed: updates the time of its exit. */
  followScript(): void {
    this.#exit?.[Symbol.dispose]();
    this.#exit = undefined;
    if (this.state !== 'CONTAINER_RUNNING' || this.#startedAtMs === undefined) return;
    const script = this.script;
    if (script.exitAfterMs === undefined) return;
    const { clock } = this.#parts;
    const inMs = Math.max(0, this.#startedAtMs + script.exitAfterMs - clock.now());
    this.#exit = clock.timer(inMs, () => this.#exitByItself());
  }

  /** Stops it, and kills it after `timeoutMs`. Resolves when it has ended or the signal aborts. */
  async stop(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.state === 'CONTAINER_CREATED')
      this.#end({ exitCode: 0, reason: 'Completed', message: '', finishedAtMs: this.#parts.clock.now() });
    if (this.#ending !== undefined) return;
    const { stopAfterMs, stopCode } = this.script;
    if (stopAfterMs === 0) return this.#endNow(stopCode, '');
    this.#killAfter(stopAfterMs, stopCode, timeoutMs);
    await this.ended(signal);
  }

  /** Its program has exited with this code. */
  exit(code: number): void {
    this.#endNow(code, '');
  }

  /** Ends it at once with code 137. */
  kill(): void {
    if (this.#ending === undefined) this.#endNow(KILLED, '');
  }

  /** Cancels its timers. */
  [Symbol.dispose](): void {
    this.#exit?.[Symbol.dispose]();
    this.#kill?.timer[Symbol.dispose]();
    for (const wake of this.#waiters) wake();
  }

  /** A further stop can only bring the kill forward; the exit counts from the first stop. */
  #killAfter(stopAfterMs: number, stopCode: number, timeoutMs: number): void {
    const { clock } = this.#parts;
    const endsInMs = Math.min(stopAfterMs, timeoutMs);
    const atMs = clock.now() + endsInMs;
    if (this.#kill !== undefined && this.#kill.atMs <= atMs) return;
    this.#kill?.timer[Symbol.dispose]();
    const exitCode = stopAfterMs <= timeoutMs ? stopCode : KILLED;
    this.#kill = { atMs, timer: clock.timer(endsInMs, () => this.#endNow(exitCode, '')) };
  }

  #exitByItself(): void {
    const { exitCode, exitReason, exitMessage } = this.script;
    this.#exitMessage = exitMessage;
    this.#endNow(exitCode, '', exitReason);
  }

  #endNow(exitCode: number, message: string, reason = exitCode === 0 ? 'Completed' : 'Error'): void {
    if (this.#ending !== undefined) return;
    this.#end({ exitCode, reason, message, finishedAtMs: this.#parts.clock.now() });
  }

  #end(ending: Ending): void {
    this.#ending = ending;
    this[Symbol.dispose]();
    this.#parts.onEnd();
  }

  /** Resolves when it has ended, or the signal aborts. */
  async ended(signal?: AbortSignal): Promise<void> {
    if (this.#ending !== undefined) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiters.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiters.add(wake);
      if (signal?.aborted === true) wake();
      else signal?.addEventListener('abort', wake, { once: true });
    });
  }
}
