import { type Script, ScriptError, type Word, type WordPart } from './syntax.ts';

/** The text of a script, and how far it is parsed. */
export interface ScriptCursor {
  readonly text: string;
  at: number;
  /** Where the part that is being parsed ends. */
  end: number;
  /** How many constructs surround the position. */
  depth: number;
  /** True in bash, which understands more than POSIX. */
  readonly isBash: boolean;
  /** Parses commands up to the closing parenthesis, and steps over it. */
  parseUntilParenthesis(): Script;
  /** Parses a separate script: the content of backticks. */
  parseText(text: string): Script;
}

const MAX_NESTING = 64;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const SPECIAL = '@*#?-$!0123456789';
/** Ends an unquoted word. */
const DELIMITERS = ' \t\n|&;<>()';
/** Longer operators first. */
const OPERATORS = [
  ':-',
  ':=',
  ':?',
  ':+',
  '##',
  '%%',
  '//',
  '^^',
  ',,',
  '-',
  '=',
  '?',
  '+',
  '#',
  '%',
  '/',
  ':',
  '^',
  ',',
];

/** Runs a parser one level deeper; scripts that nest too deeply are rejected before they exhaust the stack. */
export function nested<T>(cursor: ScriptCursor, parse: () => T): T {
  if (cursor.depth >= MAX_NESTING) throw new ScriptError('maximum nesting level exceeded');
  cursor.depth++;
  const result = parse();
  cursor.depth--;
  return result;
}

/** Runs a parser for the text up to `end`. */
function within<T>(cursor: ScriptCursor, end: number, parse: () => T): T {
  const before = cursor.end;
  cursor.end = end;
  const result = parse();
  cursor.end = before;
  return result;
}

/** Parses a word up to an unquoted delimiter. `extra` has more characters that end it. */
export function parseWord(cursor: ScriptCursor, extra = ''): Word {
  const parts: WordPart[] = [];
  const { text } = cursor;
  while (cursor.at < cursor.end) {
    const character = text.charAt(cursor.at);
    if (DELIMITERS.includes(character) || extra.includes(character)) break;
    parts.push(...partsAt(cursor, extra));
  }
  return parts;
}

/** Parses text in which quotes mean nothing, such as a here-document or the inside of double quotes, up to one of `ends`. */
export function parseQuoted(cursor: ScriptCursor, ends: string, kept = '"'): Word {
  const parts: WordPart[] = [];
  const { text } = cursor;
  let plain = '';
  const flush = (): void => {
    if (plain !== '') parts.push({ type: 'text', text: plain, isQuoted: true });
    plain = '';
  };
  while (cursor.at < cursor.end && !ends.includes(text.charAt(cursor.at))) {
    const character = text.charAt(cursor.at);
    if (character === '\\') {
      const next = text.charAt(cursor.at + 1);
      if (next !== '' && `$\`\\${kept}`.includes(next)) plain += next;
      else if (next !== '\n') plain += `\\${next}`;
      cursor.at += 2;
    } else if (character === '$' || character === '`') {
      flush();
      parts.push(expansionAt(cursor, true));
    } else {
      plain += character;
      cursor.at++;
    }
  }
  flush();
  return parts;
}

function partsAt(cursor: ScriptCursor, extra: string): readonly WordPart[] {
  const { text, at } = cursor;
  const character = text.charAt(at);
  switch (character) {
    case "'":
      return [{ type: 'text', text: singleQuoted(cursor), isQuoted: true }];
    case '"': {
      cursor.at++;
      const inner = parseQuoted(cursor, '"');
      if (cursor.at >= cursor.end) throw new ScriptError('syntax error: unterminated quoted string', true);
      cursor.at++;
      return inner.length === 0 ? [{ type: 'text', text: '', isQuoted: true }] : inner;
    }
    case '\\':
      cursor.at += 2;
      if (at + 1 >= cursor.end) return [{ type: 'text', text: '\\', isQuoted: true }];
      return text.charAt(at + 1) === '\n' ? [] : [{ type: 'text', text: text.charAt(at + 1), isQuoted: true }];
    case '$':
      if (cursor.isBash && text.charAt(at + 1) === "'") return [ansiQuoted(cursor)];
      return [expansionAt(cursor, false)];
    case '`':
      return [expansionAt(cursor, false)];
    default: {
      let end = at + 1;
      while (end < cursor.end && !`${DELIMITERS}'"\\$\`${extra}`.includes(text.charAt(end))) end++;
      cursor.at = end;
      return [{ type: 'text', text: text.slice(at, end), isQuoted: false }];
    }
  }
}

function singleQuoted(cursor: ScriptCursor): string {
  const close = cursor.text.indexOf("'", cursor.at + 1);
  if (close === -1 || close >= cursor.end) throw new ScriptError('syntax error: unterminated quoted string', true);
  const inner = cursor.text.slice(cursor.at + 1, close);
  cursor.at = close + 1;
  return inner;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', f: '\f' };

/** `$'…'` */
function ansiQuoted(cursor: ScriptCursor): WordPart {
  const found = /\$'((?:[^'\\]|\\[\s\S])*)'/y;
  found.lastIndex = cursor.at;
  const inner = found.exec(cursor.text)?.[1];
  if (inner === undefined) throw new ScriptError('syntax error: unterminated quoted string', true);
  cursor.at = found.lastIndex;
  const text = inner.replace(/\\([\s\S])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
  return { type: 'text', text, isQuoted: true };
}

/** `$NAME`, `${…}`, `$(…)`, `$((…))` or backticks. A dollar sign before anything else stands for itself. */
function expansionAt(cursor: ScriptCursor, isQuoted: boolean): WordPart {
  const { text } = cursor;
  if (text.charAt(cursor.at) === '`') return { type: 'command', script: backticks(cursor, isQuoted), isQuoted };
  const start = cursor.at++;
  if (text.startsWith('((', cursor.at)) {
    const expression = arithmeticAt(cursor);
    if (expression !== undefined) return { type: 'arithmetic', expression, isQuoted };
  }
  const next = text.charAt(cursor.at);
  if (next === '(') {
    cursor.at++;
    return { type: 'command', script: nested(cursor, () => cursor.parseUntilParenthesis()), isQuoted };
  }
  if (next === '{') return nested(cursor, () => bracedAt(cursor, isQuoted));
  const name = nameAt(cursor);
  if (name !== '') return { type: 'variable', name, operator: '', operand: [], isQuoted };
  cursor.at = start + 1;
  return { type: 'text', text: '$', isQuoted: true };
}

/** The inside of `((…))`, at its start; undefined when these are parentheses of commands. Steps over it. */
export function arithmeticAt(cursor: ScriptCursor): Word | undefined {
  const { text } = cursor;
  let depth = 0;
  for (let at = cursor.at + 2; at < cursor.end; at++) {
    const character = text.charAt(at);
    if (character === '(') depth++;
    if (character !== ')') continue;
    if (depth-- > 0) continue;
    if (text.charAt(at + 1) !== ')') return undefined;
    cursor.at += 2;
    const expression = nested(cursor, () => within(cursor, at, () => parseQuoted(cursor, '')));
    cursor.at = at + 2;
    return expression;
  }
  throw new ScriptError('syntax error: missing "))"', true);
}

/** A name, a number or the sign of a special parameter. */
function nameAt(cursor: ScriptCursor, isBraced = false): string {
  const { text, at } = cursor;
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0];
  if (name !== undefined) {
    cursor.at += name.length;
    return name;
  }
  const number = isBraced ? (/^\d+/.exec(text.slice(at, at + 10))?.[0] ?? '') : '';
  const sign = text.charAt(at);
  const found = number !== '' ? number : sign !== '' && SPECIAL.includes(sign) ? sign : '';
  cursor.at += found.length;
  return found;
}

function bracedAt(cursor: ScriptCursor, isQuoted: boolean): WordPart {
  const { text } = cursor;
  cursor.at++;
  const isLength = text.charAt(cursor.at) === '#' && /[\w@*?$!-]/.test(text.charAt(cursor.at + 1));
  if (isLength) cursor.at++;
  const name = nameAt(cursor, true);
  if (name === '') throw new ScriptError('syntax error: bad substitution');
  const rest = text.slice(cursor.at, cursor.at + 2);
  const operator = isLength ? 'length' : rest.startsWith('}') ? '' : OPERATORS.find((each) => rest.startsWith(each));
  if (operator === undefined) throw new ScriptError('syntax error: bad substitution');
  if (!isLength) cursor.at += operator.length;
  const operand = operandAt(cursor, isQuoted && !/^[#%/]/.test(operator));
  if (text.charAt(cursor.at) !== '}') throw new ScriptError('syntax error: missing "}"', cursor.at >= cursor.end);
  cursor.at++;
  return { type: 'variable', name, operator, operand, isQuoted };
}

/** Up to the closing brace; spaces and operators are part of it. */
function operandAt(cursor: ScriptCursor, isQuoted: boolean): Word {
  if (isQuoted) {
    const parts: WordPart[] = [];
    while (cursor.at < cursor.end && cursor.text.charAt(cursor.at) !== '}') {
      if (cursor.text.charAt(cursor.at) === '"') parts.push(...partsAt(cursor, '}'));
      else parts.push(...parseQuoted(cursor, '}"', '"}'));
    }
    return parts;
  }
  const parts: WordPart[] = [];
  while (cursor.at < cursor.end && cursor.text.charAt(cursor.at) !== '}') {
    const delimiter = /^[ \t\n|&;<>()]+/.exec(cursor.text.slice(cursor.at, cursor.at + 256))?.[0];
    if (delimiter === undefined) {
      parts.push(...partsAt(cursor, '}'));
    } else {
      parts.push({ type: 'text', text: delimiter, isQuoted: false });
      cursor.at += delimiter.length;
    }
  }
  return parts;
}

function backticks(cursor: ScriptCursor, isQuoted: boolean): Script {
  const found = /`((?:[^`\\]|\\[\s\S])*)`/y;
  found.lastIndex = cursor.at;
  const inner = found.exec(cursor.text)?.[1];
  if (inner === undefined) throw new ScriptError('syntax error: EOF in backquote substitution', true);
  cursor.at = found.lastIndex;
  const text = inner.replace(isQuoted ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1');
  return nested(cursor, () => cursor.parseText(text));
}
