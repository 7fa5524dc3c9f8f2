import { signal } from '@preact/signals';
import { nextFrame, sleep } from '../browser/clock.ts';
import { ApiError, isAway, messageOf } from '../cluster/api-error.ts';
import type { Connection } from '../cluster/connection.ts';
import { pathOf, type ResourceKind } from '../cluster/resource-kind.ts';

export interface LogLine {
  readonly number: number;
  readonly container: string;
  /** As the node noted it; empty where a line has none. */
  readonly time: string;
  readonly text: string;
}

export interface LogQuery {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly string[];
  /** Of the containers' instances before. */
  readonly isPrevious: boolean;
}

/** Older lines are dropped. */
const MAX_LINES = 50_000;
const TAIL_LINES = 2_000;
const MAX_LINE_CHARACTERS = 10_000;
const RETRY_MS = 2_000;
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\S+) /;
/** Colours and movements of terminals, and other control characters: a list of lines shows text. */
// oxlint-disable-next-line no-control-regex
const CONTROL =
  /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The lines of a pod's containers, followed, in the order in which they arrive. */
export class LogLines {
  readonly version = signal(0);
  readonly problems = signal<ReadonlyMap<string, string>>(new Map());
  readonly dropped = signal(0);
  readonly #connection: Connection;
  readonly #query: LogQuery;
  #lines: LogLine[] = [];
  #next = 1;
  #isShowing = false;

  constructor(connection: Connection, query: LogQuery) {
    this.#connection = connection;
    this.#query = query;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#query.containers.map((container) => this.#followContainer(container, signal)));
  }

  async #followContainer(container: string, signal: AbortSignal): Promise<void> {
    let since = '';
    while (!signal.aborted) {
      try {
        since = await this.#read(container, { since, signal });
        this.#setProblem(container, undefined);
        if (this.#query.isPrevious) return;
      } catch (error) {
        if (signal.aborted) return;
        this.#setProblem(container, messageOf(error));
        if (!isAway(error) && error instanceof ApiError && (error.code === 403 || error.code === 404)) return;
      }
      await sleep(RETRY_MS, signal); // the container may be started again
    }
  }

  /** Resolves to the time of the last line, when the log has ended. */
  async #read(container: string, { since, signal }: { since: string; signal: AbortSignal }): Promise<string> {
    const { kind, namespace, name, isPrevious } = this.#query;
    const parameters = new URLSearchParams({ container, timestamps: 'true' });
    if (isPrevious) parameters.set('previous', 'true');
    else parameters.set('follow', 'true');
    if (since === '') parameters.set('tailLines', String(TAIL_LINES));
    else parameters.set('sinceTime', since);
    const path = `${pathOf(kind, { namespace, name })}/log?${parameters}`;
    const decoder = new TextDecoder();
    let rest = '';
    let last = since;
    const bytes = isPrevious ? this.#whole(path, signal) : this.#connection.follow(path, { accept: '*/*', signal });
    for await (const chunk of bytes) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      if (rest.length > MAX_LINE_CHARACTERS) rest = rest.slice(0, MAX_LINE_CHARACTERS);
      for (const part of parts) {
        const time = TIMESTAMP.exec(part)?.[1] ?? '';
        if (time !== '' && time <= since) continue; // seen before the log was asked for again
        last = time === '' ? last : time;
        this.#add(container, time, part.slice(time === '' ? 0 : time.length + 1));
      }
    }
    if (rest !== '') this.#add(container, '', rest.replace(TIMESTAMP, ''));
    return last;
  }

  async *#whole(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { body } = await this.#connection.cluster(path, { accept: '*/*', signal });
    if (body !== null) yield* body;
  }

  #add(container: string, time: string, text: string): void {
    const shown = text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS)}…` : text;
    this.#lines.push({ number: this.#next++, container, time, text: shown.replace(CONTROL, '') });
    if (this.#lines.length > MAX_LINES * 1.1) {
      this.dropped.value += this.#lines.length - MAX_LINES;
      this.#lines = this.#lines.slice(-MAX_LINES);
    }
    if (!this.#isShowing) void this.#showSoon();
  }

  async #showSoon(): Promise<void> {
    this.#isShowing = true;
    await nextFrame();
    this.#isShowing = false;
    this.version.value++;
  }

  #setProblem(container: string, message: string | undefined): void {
    const problems = new Map(this.problems.value);
    if (message === undefined) problems.delete(container);
    else problems.set(container, message);
    this.problems.value = problems;
  }
}
