import type { YAMLException } from 'js-yaml';
import { DecodeError } from '../json/index.ts';

/** An error in the words of Go's YAML decoder. */
export function yamlError(problem: string): DecodeError {
  return new DecodeError('syntax', `yaml: ${problem}`);
}

/** Go's error for text that is not YAML. Its parser differs from ours, so this is close, not always equal. */
export function yamlSyntaxError(error: YAMLException, text: string): DecodeError {
  if (/end of the stream within a flow/.test(error.reason)) return yamlError(unclosedProblem(text));
  const mark = error.mark ?? { line: 0, position: 0 };
  const byte = text.charAt(mark.position);
  const isAtTab = byte === '\t' || /(?:^|\n)\t[^\n]*$/.test(text.slice(0, mark.position + 1));
  const { problem, lineOffset } = rephrase(error.reason, isAtTab ? '\t' : byte, text.slice(mark.position));
  // Go counts some positions from 0, and does not name the first line
  const line = mark.line + lineOffset;
  const where = mark.line === 0 && lineOffset <= 1 ? '' : `line ${line}: `;
  return new DecodeError('syntax', `yaml: ${line > 0 ? where : ''}${problem}`, { cause: error });
}

interface Rephrased {
  readonly problem: string;
  /** The offset to the line, counted from 0: Go's scanner names the line itself (1), its parser the one before (0). */
  readonly lineOffset: number;
}

function rephrase(reason: string, character: string, rest: string): Rephrased {
  if (/null byte|non-printable/.test(reason))
    return { problem: 'control characters are not allowed', lineOffset: -Infinity };
  if (/end of the stream within a (?:double|single) quoted scalar|deficient indentation/.test(reason)) {
    return { problem: 'found unexpected end of stream', lineOffset: 1 };
  }
  for (const [pattern, problem, lineOffset] of PHRASES) if (pattern.test(reason)) return { problem, lineOffset };
  return rephraseCharacter(reason, character, rest);
}

const PHRASES: readonly (readonly [RegExp, string, number])[] = [
  [/unknown escape/, 'found unknown escape character', 1],
  [/missed comma/, "did not find expected ',' or ']'", 0],
  [/expected ':'/, "could not find expected ':'", 2],
  [/multiline key/, "could not find expected ':'", 1],
  [/node content/, 'did not find expected node content', 0],
  [/anchor node/, 'did not find expected alphabetic or numeric character', 1],
  [/verbatim tag/, "did not find the expected '>'", 1],
  [/line break is expected/, 'did not find expected comment or line break', 1],
  [/directive/, 'found unknown directive name', 1],
  [/tab character/, 'found character that cannot start any token', 1],
  [/nesting|depth/, 'exceeded max depth', 1],
];

/** Wrong indentation and left-over text: Go's message depends on the character. */
function rephraseCharacter(reason: string, character: string, rest: string): Rephrased {
  if (!/bad indentation|end of the stream or a document separator/.test(reason))
    return { problem: reason, lineOffset: 1 };
  if (character === ':') return { problem: 'mapping values are not allowed in this context', lineOffset: 1 };
  if (/^[@`%\t]$/.test(character)) return { problem: 'found character that cannot start any token', lineOffset: 1 };
  if (/^-\s/.test(rest)) return { problem: 'block sequence entries are not allowed in this context', lineOffset: 1 };
  if (/^[\]}]$/.test(character)) return { problem: 'did not find expected node content', lineOffset: 0 };
  return { problem: 'did not find expected key', lineOffset: 0 };
}

/** What Go misses at the end of a text in which a list or map in brackets is open. */
function unclosedProblem(text: string): string {
  const line = text.split('\n').length - (/(^|\n) *$/.test(text) ? 1 : 0);
  const close = lastOpened(text) === '[' ? ']' : '}';
  const isItemDue = /[[{,]\s*$/.test(text);
  return `line ${line}: did not find expected ${isItemDue ? 'node content' : `',' or '${close}'`}`;
}

/** The innermost bracket that is open at the end; brackets in quotes are taken for others, which concerns only the message. */
function lastOpened(text: string): string | undefined {
  let closed = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text.charAt(at);
    if (/[\]}]/.test(character)) closed += 1;
    else if (/[[{]/.test(character) && closed-- === 0) return character;
  }
  return undefined;
}
