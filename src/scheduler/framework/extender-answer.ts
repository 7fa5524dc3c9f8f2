import { JsonBody } from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';

/** Go's decoder rejects deeper nesting; parsing it would take far longer than the extender's timeout. */
const MAX_DEPTH = 10_000;

/**
 * Parses the first JSON value of a response, as Go's stream decoder does, and ignores what follows. An empty response
 * fails with `EOF`.
 */
export function parseAnswer(text: string): unknown {
  if (text.length > MAX_DEPTH) checkDepth(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // the error message is built below
  }
  const body = text.trimStart();
  if (body === '') throw new Error('EOF');
  const value = body.slice(0, firstValue(body).end);
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new Error(syntaxError(value));
  }
}

function checkDepth(text: string): void {
  const { deepest, character } = firstValue(text.trimStart());
  if (deepest > MAX_DEPTH) throw new Error(`invalid character '${character}' exceeded max depth`);
}

interface FirstValue {
  /** Where the first object or list ends; the end of the text for other values and for incomplete ones. */
  readonly end: number;
  /** The nesting depth, counted up to the first level that is too deep, which begins with `character`. */
  readonly deepest: number;
  readonly character: string;
}

function firstValue(text: string): FirstValue {
  let [depth, deepest] = [0, 0];
  let isInText = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (isInText) {
      if (character === '\\') index += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '{' || character === '[') {
      deepest = Math.max(deepest, ++depth);
      if (depth > MAX_DEPTH) return { end: text.length, deepest, character };
    } else if ((character === '}' || character === ']') && --depth <= 0) return { end: index + 1, deepest, character };
    if (depth === 0) return { end: text.length, deepest, character };
  }
  return { end: text.length, deepest, character: '' };
}

/** The message of Go's scanner. */
function syntaxError(text: string): string {
  try {
    void new JsonBody(text);
    return 'invalid JSON';
  } catch (error) {
    const words = messageOf(error);
    return words === 'unexpected end of JSON input' ? 'unexpected EOF' : words;
  }
}
