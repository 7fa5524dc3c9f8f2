import { Buffer } from 'node:buffer';
import type { Clock } from '../base/index.ts';
import type { ContainerLogs, ContainerStatus, LogEntry, LogQuery, ProcessStreams } from '../node/index.ts';
import { processStreams } from './scripted-process.ts';
import type { SimulatedContainer } from './simulated-container.ts';

/** At most this many past lines are generated. */
const MAX_LINES = 10_000;

/** The output of simulated containers: what their programs have written, or lines that follow from the script and are not stored. */
export class ScriptedLogs implements ContainerLogs {
  readonly #clock: Clock;
  readonly #find: (id: string) => SimulatedContainer;

  constructor(clock: Clock, find: (id: string) => SimulatedContainer) {
    this.#clock = clock;
    this.#find = find;
  }

  async *entries(
    { id }: ContainerStatus,
    { tailLines = MAX_LINES, follow, signal }: LogQuery,
  ): AsyncGenerator<LogEntry> {
    const container = this.#find(id);
    if (container.output !== undefined && container.script.log === undefined) {
      const life = {
        isRunning: () => container.state === 'CONTAINER_RUNNING',
        ended: (either: AbortSignal) => container.ended(either),
      };
      yield* container.output.entries({ tailLines, follow, signal }, life);
      return;
    }
    const printed = linesUntil(container, this.#clock.now());
    let next = Math.max(0, printed - Math.min(tailLines, MAX_LINES));
    while (!signal.aborted) {
      const until = linesUntil(container, this.#clock.now());
      for (; next < until; next++) yield entryOf(container, next);
      if (!follow || container.state !== 'CONTAINER_RUNNING') return;
      await this.#nextLine(container, signal);
    }
  }

  /** The container's output from now on. */
  attach(container: SimulatedContainer, signal: AbortSignal): ProcessStreams {
    const entries = this.entries(container.status, { tailLines: 0, follow: true, signal });
    async function* output(): AsyncGenerator<Uint8Array> {
      for await (const { content } of entries) yield Buffer.concat([content, Buffer.from('\n')]);
    }
    return processStreams(output(), () => container.status.exitCode);
  }

  /** Waits until the next line, or until the container has ended. */
  async #nextLine(container: SimulatedContainer, signal: AbortSignal): Promise<void> {
    const { logEveryMs } = container.script;
    const scope = new AbortController();
    const either = AbortSignal.any([signal, scope.signal]);
    const sinceMs = this.#clock.now() - (container.status.startedAtMs ?? 0);
    const waitMs = logEveryMs === undefined ? undefined : logEveryMs - (sinceMs % logEveryMs);
    await Promise.race([container.ended(either), ...(waitMs === undefined ? [] : [this.#clock.sleep(waitMs, either)])]);
    scope.abort();
  }
}

function textsOf({ name, script }: SimulatedContainer): readonly string[] {
  return (script.log ?? `container ${name} started`).replace(/\n$/, '').split('\n');
}

/** The number of lines printed by then. */
function linesUntil(container: SimulatedContainer, nowMs: number): number {
  const { startedAtMs, finishedAtMs = nowMs } = container.status;
  if (startedAtMs === undefined) return 0;
  const { logEveryMs } = container.script;
  const rounds =
    logEveryMs === undefined ? 1 : Math.floor((Math.min(nowMs, finishedAtMs) - startedAtMs) / logEveryMs) + 1;
  return rounds * textsOf(container).length;
}

function entryOf(container: SimulatedContainer, index: number): LogEntry {
  const texts = textsOf(container);
  const round = Math.floor(index / texts.length);
  const atMs = (container.status.startedAtMs ?? 0) + round * (container.script.logEveryMs ?? 0);
  const time = new Date(atMs).toISOString().replace('Z', '000000Z');
  return { time, stream: 'stdout', content: Buffer.from(texts[index % texts.length] ?? ''), isLineEnd: true };
}
