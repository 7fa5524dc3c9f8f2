import { Buffer } from 'node:buffer';
import type { Clock, Random, Turns } from '../base/index.ts';
import {
  CONTAINER_KIND,
  type ContainerState,
  type ContainerStatus,
  type MeasuredUsage,
  type OutputLog,
  RuntimeError,
  type ContainerReadiness,
  type ContainerSpec,
} from '../node/index.ts';
import { CatchUpClock } from './catch-up-clock.ts';
import { canRun, isInteractiveShell, isServing } from './container-program.ts';
import {
  ContainerFiles,
  type ContainerFilesParts,
  containerMounts,
  type ContainerPlaces,
  workingDirectory,
} from './container-files.ts';
import type { ContainerSetup } from './container-setup.ts';
import { MainProcess, SOON_MS } from './main-process.ts';
import { ProcessorMeter } from './processor-meter.ts';
import { type Annotations, type ContainerScript, containerScript } from './script.ts';
import { containerUsage, measuredUsage, type Usage } from './usage.ts';
import { type FileTree, MAIN, Processor, ProcessTable, type ShellMachine, signalNumber } from './shell/index.ts';

/** How a container ended. */
interface Ending {
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly finishedAtMs: number;
}

export interface SimulatedContainerParts extends ContainerFilesParts {
  readonly id: string;
  readonly podSandboxId: string;
  /** Of its pod. */
  readonly hostname: string;
  readonly imageRef: string;
  readonly createdAtMs: number;
  readonly random: Random;
  /** Shared by all containers of the node. */
  readonly turns: Turns;
  /** Of its pod. */
  readonly addresses: () => readonly string[];
  readonly isOfJob: boolean;
  /** The pod's current annotations. */
  readonly annotations: () => Annotations;
  readonly onEnd: () => void;
}

const NO_IMAGES: readonly string[] = [];
const KILLED = 137;
const NOT_STARTED = 128;
const TERMINATE = 15;

/** A container that runs and ends as its script says or, without one, its program does. */
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
  /** Created when a command first looks at a file. */
  #files: ContainerFiles | undefined;
  /** Aborts when the container ends. */
  readonly #life = new AbortController();
  #main: MainProcess | undefined;
  /** The exit code of the main process, while annotations keep the container running. */
  #mainCode: number | undefined;

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
    const { id, podSandboxId, identity, imageRef, createdAtMs, setup } = this.#parts;
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
      mountedImages: setup.mountedImages ?? NO_IMAGES,
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

  /** This container, with the files of its volumes. */
  async mounted(): Promise<this> {
    await this.#ownFiles.mount();
    return this;
  }

  get files(): FileTree {
    return this.#ownFiles.tree;
  }

  /** Where the container may run, as its files show it. What is absent or empty stays as it was. */
  setPlaces({ cpusetCpus = '', cpusetMems = '' }: ContainerPlaces = {}): void {
    if (cpusetCpus === '' && cpusetMems === '') return;
    this.#ownFiles.setPlaces({
      ...(cpusetCpus === '' ? {} : { cpusetCpus }),
      ...(cpusetMems === '' ? {} : { cpusetMems }),
    });
  }

  get #ownFiles(): ContainerFiles {
    this.#files ??= new ContainerFiles(this.#parts);
    return this.#files;
  }

  /** The termination message: what a command has written to the file, or the script's text. */
  get terminationMessage(): Uint8Array | undefined {
    const { annotations } = this.#parts.identity;
    const path = annotations['io.kubernetes.container.terminationMessagePath'] ?? '';
    const written = path === '' ? undefined : this.#files?.used?.get(path);
    if (written?.type === 'file') return written.bytes;
    return this.#exitMessage === '' ? undefined : Buffer.from(this.#exitMessage);
  }

  /** What the main process has written; undefined for a container whose log follows from its script. */
  get output(): OutputLog | undefined {
    return this.#main?.output;
  }

  /** The input of the main process; undefined when it has none. */
  get input(): MainProcess['input'] {
    return this.#main?.input;
  }

  /** What the processes of this container share. */
  machine(clock: Clock): ShellMachine {
    if (this.#machine !== undefined && clock === this.#parts.clock) return this.#machine;
    const base = clock === this.#parts.clock ? undefined : this.machine(this.#parts.clock);
    const { hostname, random, turns, setup, addresses } = this.#parts;
    const [user = 0, group = 0, ...groups] = setup.identity === '' ? [0, 0, 0] : setup.identity.split(',').map(Number);
    const files = (): FileTree => this.files;
    const machine: ShellMachine = {
      hostname,
      identity: { user, group, groups },
      clock,
      random,
      processor: base?.processor ?? new Processor(this.#parts.clock, turns, this.#life.signal),
      processes: base?.processes ?? new ProcessTable(),
      signal: this.#life.signal,
      prepareFiles: (words, directory) => this.#ownFiles.prepare(words, directory),
      mainOutput: async (bytes) => this.#main?.output.write('stdout', bytes),
      signalMain: () => !this.#runsProgram && this.#endNow(this.script.stopCode, ''),
      get addresses() {
        return addresses();
      },
      get files() {
        return files();
      },
    };
    if (base === undefined) this.#machine = machine;
    return machine;
  }

  /** The environment of a command. */
  shellSetup(clock = this.#parts.clock): {
    readonly machine: ShellMachine;
    readonly environment: ReadonlyMap<string, string>;
    readonly directory: string;
  } {
    const { setup, hostname } = this.#parts;
    const own = setup.environment.split('\0').filter((text) => text !== '');
    const environment = ['PATH=/usr/local/bin:/usr/bin:/bin', `HOSTNAME=${hostname}`, 'HOME=/root', ...own].map(
      (text): [string, string] => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)],
    );
    return { machine: this.machine(clock), environment: new Map(environment), directory: workingDirectory(setup) };
  }

  get #words(): readonly string[] {
    return this.setup.program === '' ? [] : this.setup.program.split('\0');
  }

  /** Whether a command is a program of the image, which the small shell does not know. */
  isImageProgram(words: readonly string[]): boolean {
    const mounts = containerMounts(this.#parts).map(([path]) => path);
    return !canRun(words, mounts);
  }

  /** Whether the small shell runs its program; otherwise that is the image's. */
  get #runsProgram(): boolean {
    return !this.isImageProgram(this.#words);
  }

  /** The program is a shell that waits for input from the first client that attaches. */
  get isInteractive(): boolean {
    const words = this.#words;
    return this.setup.stdin !== 'none' && (words.length === 0 || !this.#runsProgram || isInteractiveShell(words));
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
    if (this.#ending === undefined && this.#runsProgram && !this.isInteractive) void this.#runMain(sinceMs);
  }

  async #runMain(sinceMs: number): Promise<void> {
    const { clock, isOfJob } = this.#parts;
    const own = sinceMs < clock.now() ? new CatchUpClock(clock, sinceMs) : clock;
    this.#main = new MainProcess({
      ...this.shellSetup(own),
      words: this.#words,
      clock: own,
      hasInput: this.setup.stdin !== 'none',
      imageProgramEnd:
        this.#kind === 'init' ? 'at once' : isOfJob && this.#kind === 'regular' ? 'soon' : 'when stopped',
    });
    const code = await this.#main.run();
    if (this.#ending !== undefined) return;
    this.#mainCode = code;
    if (!this.script.isExitScripted) this.#endNow(code, '');
  }

  get #kind(): string {
    return this.#parts.identity.annotations[CONTAINER_KIND] ?? 'regular';
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
    if (!script.isExitScripted && this.#mainCode !== undefined) return this.#endNow(this.#mainCode, '');
    const exitAfterMs = script.isExitScripted ? script.exitAfterMs : this.#imageProgramEndsMs;
    if (exitAfterMs === undefined) return;
    const { clock } = this.#parts;
    const inMs = Math.max(0, this.#startedAtMs + exitAfterMs - clock.now());
    this.#exit = clock.timer(inMs, () => this.#exitByItself());
  }

  /** How long the image's own program runs: not at all in init containers, for a moment in Jobs, otherwise until it is stopped. */
  get #imageProgramEndsMs(): number | undefined {
    if (this.#runsProgram) return undefined;
    if (this.#kind === 'init') return 0;
    const { isOfJob, identity } = this.#parts;
    const endsSoon =
      isOfJob && this.#kind === 'regular' && !isServing(identity.image.image) && this.setup.stdin === 'none';
    return endsSoon ? SOON_MS : undefined;
  }

  /** Stops it, and kills it after `timeoutMs`. Resolves when it has ended or the signal aborts. */
  async stop(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.state === 'CONTAINER_CREATED')
      this.#end({ exitCode: 0, reason: 'Completed', message: '', finishedAtMs: this.#parts.clock.now() });
    if (this.#ending !== undefined) return;
    const { stopAfterMs, stopCode, isStopScripted } = this.script;
    const isHandled = !isStopScripted && this.#isHandled(signalNumber(this.setup.stopSignal) ?? TERMINATE);
    if (stopAfterMs === 0 && !isHandled) return this.#endNow(stopCode, '');
    this.#killAfter(isHandled ? Infinity : stopAfterMs, stopCode, timeoutMs);
    await this.ended(signal);
  }

  /** Whether the main process has a handler for a signal, which it then runs. */
  #isHandled(signal: number): boolean {
    return this.#main !== undefined && this.machine(this.#parts.clock).processes.deliver(MAIN, signal) === 'handled';
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
    this.#life.abort();
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
