import { applyMergePatch } from '../../../src/api/index.ts';
import { deepEqual } from '../../../src/base/index.ts';

/** Patches of one object, each of them on its own, and what a real kube-apiserver made of them. */
export interface PatchedObject {
  /** `plural.group` */
  readonly resource: string;
  readonly object: unknown;
  readonly patches: readonly PatchVector[];
}

export interface PatchVector {
  readonly type: 'strategic' | 'json' | 'merge';
  readonly body: unknown;
  /** 0: the server panicked. */
  readonly code: number;
  /** What the refusal says; of several mistakes any may be named. */
  readonly errors?: readonly string[];
  /** The object after the patch, as a merge patch of the object before it, or whole where that does not do. */
  readonly difference?: unknown;
  readonly whole?: unknown;
  readonly warnings?: readonly string[];
}

/** What a refusal says, without the object that it may quote: that has times and uids in it. */
export function errorText(body: unknown): string {
  const { message = '' } = body as { message?: string };
  return message.replace(/"\{\\"(?:[^"\\]|\\.)*"/g, '"{…}"');
}

/** How a result is kept. */
export function describeResult(before: unknown, after: unknown): Pick<PatchVector, 'difference' | 'whole'> {
  const difference = differenceOf(before, after);
  return deepEqual(applyMergePatch(before, difference), after) ? { difference } : { whole: after };
}

export function resultOf(before: unknown, { difference, whole }: PatchVector): unknown {
  return whole ?? applyMergePatch(before, difference);
}

function differenceOf(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(before)) if (!(name in after)) result[name] = null;
  for (const [name, value] of Object.entries(after)) {
    if (!deepEqual(before[name], value)) result[name] = differenceOf(before[name], value);
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
