import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

/** Writes to one object, one after the other, and what a real kube-apiserver answered. */
export interface Sequence {
  /** `plural.group` */
  readonly resource: string;
  readonly steps: readonly Step[];
  /** The object in the end, without what differs from run to run. */
  readonly final: unknown;
}

export interface Step {
  readonly request: StepRequest;
  /** When the server did it, in seconds since the first step. */
  readonly at: number;
  readonly code: number;
  /** The Status of a refusal. */
  readonly error?: unknown;
  /** Stands for the object after the step, so that a replay finds out where it goes wrong. */
  readonly digest?: string;
}

export type StepRequest = {
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly manager?: string;
  readonly userAgent?: string;
  readonly force?: boolean;
} & (
  | { readonly verb: 'create' | 'apply' | 'merge' | 'json' | 'strategic'; readonly body: unknown }
  | { readonly verb: 'update'; readonly edits: readonly Edit[]; readonly managedFields?: unknown }
);

/** Sets what a path leads to, or removes it when there is no value. PUT sends the current object with such edits. */
export type Edit = readonly [path: readonly (string | number)[], value?: unknown];

/** Names that stand for the object and its namespace in what is recorded. */
export const NAME = 'x';
export const NAMESPACE = 'ns';

export function editObject(object: unknown, edits: readonly Edit[]): unknown {
  const result: unknown = JSON.parse(JSON.stringify(object));
  for (const [path, value] of edits) {
    let at = result as Record<string | number, unknown>;
    for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as typeof at;
    const last = path.at(-1) ?? '';
    if (value !== undefined) at[last] = value;
    else if (Array.isArray(at)) at.splice(Number(last), 1);
    else delete at[last];
  }
  return result;
}

/** The object without what differs from run to run, times in seconds since `start`, keys sorted. */
export function normalize(object: unknown, start: number): unknown {
  const copy = JSON.parse(JSON.stringify(object)) as { metadata?: Record<string, unknown> };
  const metadata = copy.metadata ?? {};
  for (const name of ['uid', 'resourceVersion', 'creationTimestamp']) delete metadata[name];
  for (const entry of (metadata['managedFields'] ?? []) as { time?: unknown }[]) {
    if (typeof entry.time === 'string') entry.time = Date.parse(entry.time) / 1000 - start;
  }
  return sorted(withoutChance(copy));
}

type Part = Record<string, unknown>;

/** Addresses are given at random; and NetworkPolicy counts an empty map as a change of nothing, which we do not. */
function withoutChance(object: Part): Part {
  const spec = object['spec'] as Part | undefined;
  const metadata = object['metadata'] as Part;
  if (object['kind'] === 'NetworkPolicy') delete metadata['generation'];
  if (object['kind'] !== 'Service' || spec?.['clusterIP'] === 'None') return object;
  return { ...object, spec: { ...spec, clusterIP: 'IP', clusterIPs: ['IP'] } };
}

export function digestOf(normalized: unknown): string {
  return createHash('sha1').update(JSON.stringify(normalized)).digest('base64url').slice(0, 10);
}

interface RefusalStatus {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: { readonly causes?: readonly { readonly message: string }[] };
}

/**
 * The Status of a refusal with its causes in a fixed order: that of different managers is left to chance upstream, as is
 * which of several unknown fields is named. What validation says about values is not what is compared here.
 */
export function normalizeError(status: unknown): unknown {
  const { code, reason, message, details } = status as RefusalStatus;
  if (code === 422 && details?.causes !== undefined) return { code, reason };
  if (message.endsWith('field not declared in schema')) return { code, message: 'field not declared in schema' };
  const causes = details?.causes === undefined ? {} : { causes: [...details.causes].sort(byMessage) };
  return sorted({ code, reason, message, details: details === undefined ? undefined : { ...details, ...causes } });
}

function byMessage(left: { readonly message: string }, right: { readonly message: string }): number {
  return left.message < right.message ? -1 : left.message > right.message ? 1 : 0;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

export function readVectors<T>(file: URL): T[] {
  return gunzipSync(readFileSync(file))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

export function writeVectors(file: string, vectors: readonly unknown[]): void {
  const text = vectors.map((vector) => `${JSON.stringify(vector)}\n`).join('');
  writeFileSync(file, gzipSync(text, { level: 9 }));
}
