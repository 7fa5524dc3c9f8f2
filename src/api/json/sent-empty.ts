import { isPlainObject, type PlainObject } from './plain-object.ts';

const SENT_EMPTY = Symbol('sent empty');

interface Noted {
  [SENT_EMPTY]?: PlainObject;
}

/**
 * Remembers that a client sent an empty list or map, which is the same as none and not kept, because messages quote it.
 * Copies of the object remember it too.
 */
export function noteSentEmpty(object: PlainObject, name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const noted = object as Noted;
  noted[SENT_EMPTY] = { ...noted[SENT_EMPTY], [name]: Array.isArray(value) ? [] : {} };
}

/** Lets a copy that was not made by spreading remember as well, besides what it remembers already. */
export function keepSentEmpty<T extends object>(copy: T, original: object): T {
  const noted = (original as Noted)[SENT_EMPTY];
  if (noted !== undefined) (copy as Noted)[SENT_EMPTY] = { ...(copy as Noted)[SENT_EMPTY], ...noted };
  return copy;
}

/** The same for a copy of all levels, which has the members and items of the original. */
export function keepAllSentEmpty<T extends object>(copy: T, original: object): T {
  if (copy === original) return copy;
  keepSentEmpty(copy, original);
  for (const [name, member] of Object.entries(copy) as [string, unknown][]) {
    const from: unknown = (original as PlainObject)[name];
    if (isObject(member) && isObject(from)) keepAllSentEmpty(member, from);
  }
  return copy;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A member as the client sent it, if it is an empty list or map; otherwise null. */
export function sentEmpty(object: object | undefined, name: string): unknown {
  return (object as Noted | undefined)?.[SENT_EMPTY]?.[name] ?? null;
}

/** The value, and the objects in it, with the empty lists and maps that are always shown, instead of null. */
export function withSentEmpty(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const noted = (value as Noted)[SENT_EMPTY];
  let result: PlainObject | undefined;
  for (const name in value) {
    const member = value[name];
    const shown = member === null ? (noted?.[name] ?? null) : withSentEmpty(member);
    if (shown !== member) (result ??= { ...value })[name] = shown;
  }
  return result ?? value;
}

/** Whether a client sent an empty list or map anywhere in the value, which nothing has filled since. */
export function holdsSentEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsSentEmpty);
  if (!isPlainObject(value)) return false;
  for (const name in (value as Noted)[SENT_EMPTY]) if ((value[name] ?? null) === null) return true;
  return Object.values(value).some(holdsSentEmpty);
}

/** Takes the memory away from one object: what is stored has no empty lists and maps. */
export function forgetSentEmpty(object: object): void {
  if ((object as Noted)[SENT_EMPTY] !== undefined) delete (object as Noted)[SENT_EMPTY];
}

/** A copy that does not remember some of its members, because they are replaced. */
export function withoutSentEmpty<T extends object>(object: T, names: readonly string[]): T {
  const noted = (object as Noted)[SENT_EMPTY];
  if (noted === undefined) return object;
  const left = Object.entries(noted).filter(([name]) => !names.includes(name));
  return { ...object, [SENT_EMPTY]: Object.fromEntries(left) };
}
