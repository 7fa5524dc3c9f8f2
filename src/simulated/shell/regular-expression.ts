import { createRequire } from 'node:module';
import type * as re2 from 're2js';

/** A match: its place, and the texts of the groups, of which the first is the whole match. */
export interface ExpressionMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly string[];
}

/** A regular expression of POSIX that takes time linear in the text. */
export interface Expression {
  test(text: string): boolean;
  /** The first match at or after a position. */
  find(text: string, from: number): ExpressionMatch | undefined;
}

export interface ExpressionOptions {
  readonly ignoresCase?: boolean;
  /** The whole line must match. */
  readonly isWholeLine?: boolean;
  /** A whole word must match. */
  readonly isWholeWord?: boolean;
}

/** A pattern that cannot be compiled. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const MAX_PATTERN_CHARACTERS = 4096;

/** The dialect of `grep -E` and `sed -E`. */
export function extendedExpression(pattern: string, options: ExpressionOptions): Expression {
  return compiled(pattern, translateExtended(pattern), options);
}

/** The dialect of `grep` and `sed`, where `\(`, `\|` and `\{` are operators. */
export function basicExpression(pattern: string, options: ExpressionOptions): Expression {
  return compiled(pattern, translateBasic(pattern), options);
}

export function literalExpression(text: string, options: ExpressionOptions): Expression {
  return compiled(text, text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), options);
}

let loaded: Pick<typeof re2, 'RE2JS'> | undefined;

function compiled(pattern: string, source: string, options: ExpressionOptions): Expression {
  if (pattern.length > MAX_PATTERN_CHARACTERS) throw new ExpressionError('Regular expression too big');
  loaded ??= createRequire(import.meta.url)('re2js') as Pick<typeof re2, 'RE2JS'>; // only scripts with patterns need it
  const { RE2JS } = loaded;
  let whole = source;
  if (options.isWholeWord === true) whole = `\\b(?:${whole})\\b`;
  if (options.isWholeLine === true) whole = `^(?:${whole})$`;
  let expression: re2.RE2JS;
  try {
    expression = RE2JS.compile(whole, options.ignoresCase === true ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    throw new ExpressionError(`bad regex '${pattern}'`);
  }
  return {
    test: (text) => expression.matcher(text).find(),
    find: (text, from) => {
      const matcher = expression.matcher(text);
      if (!matcher.find(from)) return undefined;
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? '');
      return { start: matcher.start(), end: matcher.end(), groups };
    },
  };
}

const BRACKET = /\[\^?\]?(?:\[[:.=][a-z]*[:.=]\]|[^\]])*\]/y;

/** Brackets are the same in both dialects, except that a backslash stands for itself in them. */
function bracketAt(pattern: string, at: number): string | undefined {
  BRACKET.lastIndex = at;
  return BRACKET.exec(pattern)?.[0];
}

function translatedBracket(text: string): string {
  const [, caret = '', inside = ''] = /^\[(\^?)([\s\S]*)\]$/.exec(text) ?? [];
  const escaped = inside
    .replace(/\\/g, '\\\\')
    .replace(/^\]/, '\\]')
    .replace(/\[(?![:.=])/g, '\\[');
  return `[${caret}${escaped}]`;
}

function translateExtended(pattern: string): string {
  let result = '';
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const bracket = character === '[' ? bracketAt(pattern, at) : undefined;
    if (bracket !== undefined) {
      result += translatedBracket(bracket);
      at += bracket.length - 1;
    } else if (character === '\\') {
      result += escapeOf(pattern.charAt(++at));
    } else if (character === '{' && !/^\{\d*,?\d*\}/.test(pattern.slice(at, at + 12))) {
      result += '\\{';
    } else {
      result += character;
    }
  }
  return result;
}

/** GNU's letters keep their meaning; any other character is literal. */
function escapeOf(character: string): string {
  if (/[wWsSbB]/.test(character)) return `\\${character}`;
  if (character === '<' || character === '>') return '\\b';
  if (character === 'n') return '\n';
  if (character === 't') return '\t';
  if (/[1-9]/.test(character)) throw new ExpressionError('back-references are not supported');
  return character === '' ? '\\\\' : /\w/.test(character) ? character : `\\${character}`;
}

function translateBasic(pattern: string): string {
  let result = '';
  /** At the start of an expression a star is literal and a caret is an anchor. */
  let isStart = true;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const wasStart: boolean = isStart;
    isStart = false;
    const bracket = character === '[' ? bracketAt(pattern, at) : undefined;
    if (bracket !== undefined) {
      result += translatedBracket(bracket);
      at += bracket.length - 1;
    } else if (character === '\\') {
      const next = pattern.charAt(++at);
      isStart = next === '(' || next === '|';
      result += '(){}|+?'.includes(next) && next !== '' ? next : escapeOf(next);
    } else if (character === '*') {
      result += wasStart ? '\\*' : '*';
    } else if (character === '^') {
      result += wasStart ? '^' : '\\^';
      isStart = wasStart;
    } else if (character === '$') {
      result += at === pattern.length - 1 || /^\\[)|]/.test(pattern.slice(at + 1)) ? '$' : '\\$';
    } else {
      result += '(){}|+?'.includes(character) ? `\\${character}` : character;
    }
  }
  return result;
}
