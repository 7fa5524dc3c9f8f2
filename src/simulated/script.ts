// Reads the annotations of a pod that script its simulated containers.
import { DurationError, parseDuration } from '../base/index.ts';
import { parseQuantity, Quantity } from '../api/values/index.ts';
import { CONTAINER_KIND, CONTAINER_NAME, RuntimeError } from '../node/index.ts';

/** Annotations are `sim.keelson.dev/<what>` for a pod's containers, or `sim.keelson.dev/<what>.<container>` for one. */
export const SCRIPT_PREFIX = 'sim.keelson.dev/';

export type Annotations = Readonly<Record<string, string>>;

/** What one run of a container does. */
export interface ContainerScript {
  /** Whether the annotations say when the container ends; otherwise its program does. */
  readonly isExitScripted: boolean;
  /** Exits by itself this long after its start; undefined when it runs until it is stopped. */
  readonly exitAfterMs: number | undefined;
  readonly exitCode: number;
  /** Replaces `Completed` and `Error`. */
  readonly exitReason: string | undefined;
  readonly exitMessage: string;
  /** `Infinity` for never. */
  readonly startedAfterMs: number;
  readonly readyAfterMs: number;
  /** How long it takes to exit when it is stopped. */
  readonly stopAfterMs: number;
  readonly stopCode: number;
  /** Whether the annotations say how the container stops; otherwise its program may handle the signal. */
  readonly isStopScripted: boolean;
  readonly createFails: string | undefined;
  readonly startFails: string | undefined;
  /** Its liveness probe fails from this long after its start. */
  readonly unhealthyAfterMs: number;
  /** What it prints when it starts, and every `logEveryMs` if that is set. */
  readonly log: string | undefined;
  readonly logEveryMs: number | undefined;
  /** The usage while it runs, if the annotations set it. */
  readonly usage: StatedUsage;
  /** The output and exit code of commands in it, if the annotations set them. */
  readonly execOutput: string | undefined;
  readonly execCode: number;
  /** The purposes whose probes the annotations answer. */
  readonly answeredProbes: ReadonlySet<string>;
}

export interface ScriptSubject {
  readonly name: string;
  readonly kind: string;
  /** The number of the run, from 0: values may be lists, one for each run; the last one repeats. */
  readonly attempt: number;
}

export function containerScript(annotations: Annotations, subject: ScriptSubject): ContainerScript {
  const read = (what: string): string | undefined => valueFor(annotations, what, subject);
  const exitCode = wholeNumber('exit-code', read('exit-code'));
  const exitAfter = duration('exit-after', read('exit-after'));
  const exitAfterMs = exitAfter ?? (exitCode === undefined ? undefined : 0);
  const [started, ready, unhealthy] = [read('started-after'), read('ready-after'), read('unhealthy-after')];
  return {
    isExitScripted: exitAfterMs !== undefined,
    exitAfterMs: exitAfterMs === Infinity ? undefined : exitAfterMs,
    exitCode: exitCode ?? 0,
    exitReason: read('exit-reason'),
    exitMessage: read('exit-message') ?? '',
    startedAfterMs: duration('started-after', started) ?? 0,
    readyAfterMs: duration('ready-after', ready) ?? 0,
    stopAfterMs: duration('stop-after', read('stop-after')) ?? 0,
    stopCode: wholeNumber('stop-code', read('stop-code')) ?? 0,
    isStopScripted: read('stop-after') !== undefined || read('stop-code') !== undefined,
    createFails: read('create-fails'),
    startFails: read('start-fails'),
    unhealthyAfterMs: duration('unhealthy-after', unhealthy) ?? Infinity,
    log: read('log'),
    logEveryMs: positive('log-every', duration('log-every', read('log-every'))),
    usage: statedUsage(annotations, subject),
    execOutput: read('exec-output'),
    execCode: wholeNumber('exec-code', read('exec-code')) ?? 0,
    answeredProbes: new Set([
      ...(started === undefined ? [] : ['startup']),
      ...(ready === undefined ? [] : ['readiness']),
      ...(unhealthy === undefined ? [] : ['liveness']),
    ]),
  };
}

/** The usage of a container according to its annotations. */
export interface StatedUsage {
  readonly cpu: Quantity | undefined;
  readonly memory: Quantity | undefined;
}

/** Throws a RuntimeError for an invalid value. */
export function statedUsage(annotations: Annotations, subject: ScriptSubject): StatedUsage {
  const [cpu, memory] = ['cpu', 'memory'].map((what) => quantity(what, valueFor(annotations, what, subject)));
  return { cpu, memory };
}

export interface PullScript {
  readonly pullAfterMs: number;
  readonly pullFails: string | undefined;
}

export function pullScript(annotations: Annotations): PullScript {
  const subject = {
    name: annotations[CONTAINER_NAME] ?? '',
    kind: annotations[CONTAINER_KIND] ?? 'regular',
    attempt: 0,
  };
  return {
    pullAfterMs: duration('pull-after', valueFor(annotations, 'pull-after', subject)) ?? 0,
    pullFails: valueFor(annotations, 'pull-fails', subject),
  };
}

export function sandboxFailure(annotations: Annotations): string | undefined {
  return annotations[`${SCRIPT_PREFIX}sandbox-fails`];
}

/** The HTTP response body of a pod's ports, if the annotations set it. */
export function httpBody(annotations: Annotations): string | undefined {
  return annotations[`${SCRIPT_PREFIX}http-body`];
}

/** Annotations that are one text; all others may be lists. */
const TEXTS: ReadonlySet<string> = new Set([
  'exit-message',
  'exit-reason',
  'create-fails',
  'start-fails',
  'pull-fails',
  'log',
  'exec-output',
]);

/** A container's annotation takes precedence; those for the whole pod apply to its regular containers. */
function valueFor(annotations: Annotations, what: string, { name, kind, attempt }: ScriptSubject): string | undefined {
  const key = `${SCRIPT_PREFIX}${what}`;
  const text = annotations[`${key}.${name}`] ?? (kind === 'regular' ? annotations[key] : undefined);
  if (text === undefined || TEXTS.has(what)) return text;
  const values = text.split(',');
  return values[Math.min(attempt, values.length - 1)]?.trim();
}

function wholeNumber(what: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= 255) return value;
  throw unreadable(what, `must be a number from 0 to 255, got ${JSON.stringify(text)}`);
}

/** `never` is infinite. */
function duration(what: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === 'never') return Infinity;
  try {
    const ms = parseDuration(text);
    if (ms >= 0) return ms;
  } catch (cause) {
    if (cause instanceof DurationError) throw unreadable(what, cause.message);
    throw cause;
  }
  throw unreadable(what, `must not be negative, got ${JSON.stringify(text)}`);
}

function quantity(what: string, text: string | undefined): Quantity | undefined {
  if (text === undefined) return undefined;
  const value = parseQuantity(text);
  if (value instanceof Quantity && value.sign >= 0) return value;
  throw unreadable(what, `must be a quantity such as 100m or 64Mi, got ${JSON.stringify(text)}`);
}

/** Rejects intervals below a millisecond; `never` counts as absent. */
function positive(what: string, ms: number | undefined): number | undefined {
  if (ms === undefined || ms === Infinity) return undefined;
  if (ms >= 1) return ms;
  throw unreadable(what, 'must be at least 1ms');
}

function unreadable(what: string, problem: string): RuntimeError {
  return new RuntimeError('Invalid', `Cannot read annotation "${SCRIPT_PREFIX}${what}": ${problem}`);
}
