import { JsonBody } from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';

/**
 * Parses the first JSON value of an answer, as Go's stream decoder does: what follows it is not looked at. An answer
 * without any value ends with `EOF`.
 */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // what is wrong with it is said below
  }
  const body = text.trimStart();
  if (body === '') throw new Error('EOF');
  const value = body.slice(0, endOfValue(body));
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new Error(syntaxError(value));
  }
}

/** Where the first object or list ends; the end of the text for other values, and for those that do not end. */
function endOfValue(text: string): number {
  if (!text.startsWith('{') && !text.startsWith('[')) return text.length;
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isInText) {
      if (character === '\\') index += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '{' || character === '[') depth += 1;
    else if ((character === '}' || character === ']') && --depth === 0) return index + 1;
  }
  return text.length;
}

/** What Go's scanner says is wrong. */
function syntaxError(text: string): string {
  try {
    void new JsonBody(text);
    return 'invalid JSON';
  } catch (error) {
    const words = messageOf(error);
    return words === 'unexpected end of JSON input' ? 'unexpected EOF' : words;
  }
}
