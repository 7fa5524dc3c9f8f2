import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Clock, formatDuration, type Logger, messageOf } from '../../base/index.ts';
import type { ShutdownSource } from '../../node/index.ts';
import { SmallShell } from '../../system/index.ts';

export interface LogindShutdownParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long pods may take to end: logind has to wait for as long. */
  readonly neededMs: number;
  /** Folder of logind's settings; default `/etc/systemd/logind.conf.d`. */
  readonly settings?: string;
}

const MANAGER = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'];
const SYSTEMD = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager'];
const MATCH =
  "type='signal',interface='org.freedesktop.login1.Manager',member='PrepareForShutdown',path='/org/freedesktop/login1'";
/** As a kubelet announces itself. */
const INHIBITOR = [
  ...['--what=shutdown', '--who=kubelet', '--mode=delay'],
  ...['--why=Kubelet needs time to handle node shutdown', 'cat'],
];
const SETTINGS = '/etc/systemd/logind.conf.d';
const SETTINGS_FILE = '99-kubelet.conf';
const SIGHUP = '1';
/** How often logind is asked whether it has read its settings, and the first delay, which doubles. */
const MAX_LOOKS = 5;
const FIRST_LOOK_MS = 100;
/** Delay before another try after the bus has gone away. */
const RETRY_MS = 30_000;
const MICROSECONDS_PER_MS = 1000;

/** A line that announces a shutdown or its cancellation. */
interface BusSignal {
  readonly payload?: { readonly data?: readonly unknown[] };
}

/**
 * Shutdowns of the machine, announced by systemd-logind over D-Bus. An inhibitor delays them until pods have ended; it is held by a
 * process that ends with the agent, so that a dead agent delays nothing.
 */
export class LogindShutdown implements ShutdownSource {
  readonly #parts: LogindShutdownParts;
  readonly #shell: SmallShell;
  #inhibitor: ChildProcess | undefined;

  constructor(parts: LogindShutdownParts) {
    this.#parts = parts;
    this.#shell = new SmallShell(parts.clock);
  }

  async *announcements(signal: AbortSignal): AsyncGenerator<boolean> {
    const { clock, log } = this.#parts;
    using _shell = this.#shell;
    let isReported = false;
    while (!signal.aborted) {
      try {
        await this.#ensureDelay(signal);
        this.#inhibit();
        isReported = false;
        yield* this.#follow(signal);
      } catch (error) {
        if (!isReported) log.error('shutdowns of the machine cannot be delayed', { error: messageOf(error) });
        isReported = true;
      } finally {
        await this.release();
      }
      if (!signal.aborted) await clock.sleep(RETRY_MS, signal);
    }
  }

  async release(): Promise<void> {
    this.#inhibitor?.stdin?.end();
    this.#inhibitor?.kill();
    this.#inhibitor = undefined;
  }

  /** What logind says until the bus goes away. */
  async *#follow(signal: AbortSignal): AsyncGenerator<boolean> {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const monitor = spawn('busctl', ['monitor', '--json=short', `--match=${MATCH}`], { stdio: [...stdio], signal });
    const ended = new Promise<string>((resolve) => {
      monitor.on('error', (error) => resolve(error.message));
      monitor.on('close', (code) => resolve(`busctl has ended with ${code ?? 'a signal'}`));
    });
    try {
      await Promise.race([firstLine(monitor.stderr), ended]);
      this.#parts.log.info('shutdowns of the machine are watched');
      let isShuttingDown = (await this.#property('PreparingForShutdown')) === 'b true';
      if (isShuttingDown) yield true; // it was announced before this began to listen
      for await (const line of createInterface({ input: monitor.stdout })) {
        const [value] = (JSON.parse(line) as BusSignal).payload?.data ?? [];
        if (typeof value !== 'boolean' || value === isShuttingDown) continue;
        isShuttingDown = value;
        if (!isShuttingDown) this.#inhibit();
        yield isShuttingDown;
      }
      if (!signal.aborted) throw new Error(await ended);
    } finally {
      monitor.kill();
    }
  }

  #inhibit(): void {
    if (this.#inhibitor !== undefined) return;
    const child = spawn('systemd-inhibit', INHIBITOR, { stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', (error) => this.#parts.log.error('shutdowns cannot be inhibited', { error: error.message }));
    child.stdin.on('error', () => undefined); // it has ended
    this.#inhibitor = child;
  }

  /** Makes logind wait long enough. */
  async #ensureDelay(signal: AbortSignal): Promise<void> {
    const { neededMs, clock, settings = SETTINGS } = this.#parts;
    let currentMs = await this.#delayMs();
    if (currentMs >= neededMs) return;
    await mkdir(settings, { recursive: true, mode: 0o755 });
    const text = `# Written by the agent of this node\n[Login]\nInhibitDelayMaxSec=${Math.ceil(neededMs / 1000)}\n`;
    await writeFile(join(settings, SETTINGS_FILE), text, { mode: 0o644 });
    await this.#busctl(['call', ...SYSTEMD, 'KillUnit', 'ssi', 'systemd-logind.service', 'all', SIGHUP]);
    for (let look = 0; look < MAX_LOOKS && currentMs < neededMs; look++) {
      await clock.sleep(FIRST_LOOK_MS * 2 ** look, signal);
      currentMs = await this.#delayMs();
    }
    if (currentMs < neededMs)
      throw new Error(
        `logind waits for ${formatDuration(currentMs)} at most (InhibitDelayMaxSec), and did not take over ${formatDuration(neededMs)} from ${join(settings, SETTINGS_FILE)}`,
      );
  }

  async #delayMs(): Promise<number> {
    const answer = await this.#property('InhibitDelayMaxUSec');
    const microseconds = /^t (\d+)$/.exec(answer)?.[1];
    if (microseconds === undefined) throw new Error(`InhibitDelayMaxUSec of logind is "${answer}"`);
    return Number(microseconds) / MICROSECONDS_PER_MS;
  }

  #property(name: string): Promise<string> {
    return this.#busctl(['get-property', ...MANAGER, name]);
  }

  async #busctl(args: readonly string[]): Promise<string> {
    const { code, output } = await this.#shell.run('busctl', args);
    if (code !== 0) throw new Error(`busctl ${args[0] ?? ''} failed: ${output.trim()}`);
    return output.trim();
  }
}

/** Resolves with the first line, or when there is none. */
async function firstLine(input: NodeJS.ReadableStream): Promise<void> {
  for await (const _ of createInterface({ input })) return;
}
