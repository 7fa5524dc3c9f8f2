import type { Steps } from '../../base/index.ts';
import { encodeJson, escapeJson } from './encode-json.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';

/** How many members of a large list or map are printed in a step. */
const MEMBERS_A_STEP = 4_096;
/** Members of smaller collections may be large themselves and are split further; those of larger ones are printed whole. */
const MAX_SMALL = 64;

/** `encodeJson` in steps of a few milliseconds. */
export function* jsonEncoding(value: unknown): Steps<string> {
  const pieces: string[] = [];
  try {
    yield* print(value, pieces);
  } catch (error) {
    if (error instanceof TypeError) return encodeJson(value); // it contains a bigint
    throw error;
  }
  return escapeJson(pieces.join(''));
}

function* print(value: unknown, pieces: string[]): Steps<void> {
  if (Array.isArray(value)) yield* printList(value, pieces);
  else if (isPlainObject(value)) yield* printMap(value, pieces);
  else pieces.push(JSON.stringify(value));
}

function* printList(list: readonly unknown[], pieces: string[]): Steps<void> {
  pieces.push('[');
  for (let at = 0; at < list.length;) {
    if (at > 0) pieces.push(',');
    if (list.length <= MAX_SMALL) {
      yield* print(list[at] ?? null, pieces);
      at += 1;
    } else {
      pieces.push(JSON.stringify(list.slice(at, at + MEMBERS_A_STEP)).slice(1, -1));
      at += MEMBERS_A_STEP;
      yield;
    }
  }
  pieces.push(']');
}

function* printMap(map: PlainObject, pieces: string[]): Steps<void> {
  const names = Object.keys(map);
  let separator = '{';
  let step = '';
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    const member = map[name];
    if (member === undefined) continue;
    const start = `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (names.length <= MAX_SMALL) {
      pieces.push(start);
      yield* print(member, pieces);
    } else {
      step += start + JSON.stringify(member);
      if (index % MEMBERS_A_STEP !== MEMBERS_A_STEP - 1) continue;
      pieces.push(step);
      step = '';
      yield;
    }
  }
  pieces.push(step, separator === '{' ? '{}' : '}');
}
