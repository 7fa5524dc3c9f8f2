import { posix } from 'node:path';
import { checkLength, ShellFailure } from '../shell-failure.ts';
import { evaluateArithmetic } from './arithmetic.ts';
import { isPattern, literalPattern, ShellPattern } from './match-pattern.ts';
import type { Script, VariablePart, Word } from './syntax.ts';

/** What expansions need of a shell. */
export interface ExpansionScope {
  /** The value of a variable or of a special parameter, other than `@` and `*`. */
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  readonly parameters: readonly string[];
  readonly directory: string;
  /** False after `set -f`. */
  readonly expandsPatterns: boolean;
  /** True after `set -u`. */
  readonly rejectsUnset: boolean;
  /** True in bash. */
  readonly hasBraces: boolean;
  /** The output of commands, without the newlines at its end. */
  outputOf(script: Script): Promise<string>;
  /** The names in a directory. */
  names(directory: string): readonly string[];
  exists(path: string): boolean;
}

/** A word as it grows: its text, and the same text as a pattern in which quoted characters are literal. */
interface Field {
  text: string;
  pattern: string;
}

const MAX_FIELDS = 32 * 1024;
const MAX_BRACES = 4096;

/** Expands words to fields: variables, commands, arithmetic, splitting, then names of files. */
export async function expandWords(words: readonly Word[], scope: ExpansionScope): Promise<string[]> {
  const all: string[] = [];
  let characters = 0;
  for (const word of words) {
    for (const braced of scope.hasBraces ? expandBraces(word) : [word]) {
      for (const field of await fieldsOf(braced, scope)) {
        for (const name of filesOf(field, scope)) {
          characters += name.length + 1;
          checkLength(characters);
          all.push(name);
        }
      }
    }
    if (all.length > MAX_FIELDS) throw new ShellFailure('Argument list too long');
  }
  return all;
}

/** Expands a word without splitting it, as in assignments. */
export async function expandText(word: Word, scope: ExpansionScope): Promise<string> {
  return (await joined(word, scope)).text;
}

/** Expands a word to a pattern, as in `case`. */
export async function expandPattern(word: Word, scope: ExpansionScope): Promise<string> {
  return (await joined(word, scope)).pattern;
}

async function joined(word: Word, scope: ExpansionScope): Promise<Field> {
  const field = { text: '', pattern: '' };
  for (const [index, part] of word.entries()) {
    if (part.type === 'text') {
      const text = index === 0 && !part.isQuoted ? withHome(part.text, scope, word.length === 1) : part.text;
      append(field, text, part.isQuoted);
    } else if (part.type === 'variable' && (part.name === '@' || part.name === '*') && part.operator === '') {
      append(field, scope.parameters.join(part.name === '@' ? ' ' : separatorOf(scope)), part.isQuoted);
    } else {
      append(field, await valueOf(part, scope), part.isQuoted);
    }
  }
  return field;
}

function append(field: Field, text: string, isQuoted: boolean): void {
  field.text += text;
  field.pattern += isQuoted ? literalPattern(text) : text;
  checkLength(field.text.length);
}

async function valueOf(part: Exclude<Word[number], { type: 'text' }>, scope: ExpansionScope): Promise<string> {
  if (part.type === 'command') return scope.outputOf(part.script);
  if (part.type === 'variable') return (await variableValue(part, scope)) ?? '';
  return String(evaluateArithmetic(await expandText(part.expression, scope), scope));
}

async function fieldsOf(word: Word, scope: ExpansionScope): Promise<readonly Field[]> {
  const fields: Field[] = [];
  let current: Field | undefined;
  const grow = (text: string, isQuoted: boolean): void =>
    append((current ??= { text: '', pattern: '' }), text, isQuoted);
  const end = (): void => {
    if (current !== undefined) fields.push(current);
    if (fields.length > MAX_FIELDS) throw new ShellFailure('Argument list too long');
    current = undefined;
  };
  const split = (text: string): void => {
    const pieces = splitFields(text, scope.get('IFS') ?? ' \t\n');
    if (pieces.startsNew) end();
    for (const [index, piece] of pieces.fields.entries()) {
      if (index > 0) end();
      grow(piece, false);
    }
    if (pieces.endsField) end();
  };
  for (const [index, part] of word.entries()) {
    if (part.type === 'text') {
      grow(index === 0 && !part.isQuoted ? withHome(part.text, scope, word.length === 1) : part.text, part.isQuoted);
      continue;
    }
    const isList = part.type === 'variable' && (part.name === '@' || part.name === '*') && part.operator === '';
    if (isList && !(part.isQuoted && part.name === '*')) {
      for (const [place, parameter] of scope.parameters.entries()) {
        if (place > 0) end();
        if (part.isQuoted) grow(parameter, true);
        else split(parameter);
      }
    } else if (isList) {
      grow(scope.parameters.join(separatorOf(scope)), true);
    } else if (part.isQuoted) {
      grow(await valueOf(part, scope), true);
    } else if (part.type === 'variable' && /[-+]$/.test(part.operator)) {
      for (const [place, field] of (await alternativeFields(part, scope)).entries()) {
        if (place > 0) end();
        current ??= { text: '', pattern: '' };
        current.text += field.text;
        current.pattern += field.pattern;
      }
    } else {
      split(await valueOf(part, scope));
    }
  }
  end();
  return fields;
}

/** `${NAME:-word}` and `${NAME:+word}` outside of quotes: the quotes inside of the word count. */
async function alternativeFields(part: VariablePart, scope: ExpansionScope): Promise<readonly Field[]> {
  const { value, usesOperand } = usesAlternative(part, scope);
  if (usesOperand) return fieldsOf(part.operand, scope);
  const plain: Word = [{ ...part, operator: '', operand: [] }];
  return value === undefined || part.operator.endsWith('+') ? [] : fieldsOf(plain, scope);
}

function usesAlternative(
  { name, operator }: VariablePart,
  scope: ExpansionScope,
): { readonly value: string | undefined; readonly usesOperand: boolean } {
  const isList = name === '@' || name === '*';
  const value = isList ? (scope.parameters.length > 0 ? scope.parameters.join(' ') : undefined) : scope.get(name);
  const isMissing = value === undefined || (operator.startsWith(':') && value === '');
  return { value, usesOperand: operator.endsWith('+') ? !isMissing : isMissing };
}

async function variableValue(part: VariablePart, scope: ExpansionScope): Promise<string | undefined> {
  const { name, operator, operand } = part;
  const { value, usesOperand } = usesAlternative(part, scope);
  switch (operator) {
    case '':
      if (value === undefined && scope.rejectsUnset && !/[@*]/.test(name))
        throw new ShellFailure(`${name}: parameter not set`);
      return value;
    case 'length':
      if (name === '@' || name === '*') return String(scope.parameters.length);
      return String([...(value ?? '')].length);
    case '-':
    case ':-':
      return usesOperand ? expandText(operand, scope) : value;
    case '=':
    case ':=': {
      if (!usesOperand) return value;
      const text = await expandText(operand, scope);
      scope.set(name, text);
      return text;
    }
    case '?':
    case ':?': {
      if (!usesOperand) return value;
      const text = await expandText(operand, scope);
      throw new ShellFailure(`${name}: ${text === '' ? 'parameter not set' : text}`);
    }
    case '+':
    case ':+':
      return usesOperand ? expandText(operand, scope) : '';
    default:
      return edited(value ?? '', part, scope);
  }
}

async function edited(value: string, { operator, operand }: VariablePart, scope: ExpansionScope): Promise<string> {
  switch (operator) {
    case '#':
    case '##': {
      const pattern = new ShellPattern(await expandPattern(operand, scope));
      return value.slice(pattern.prefixOf(value, operator === '##') ?? 0);
    }
    case '%':
    case '%%': {
      const pattern = new ShellPattern(await expandPattern(operand, scope));
      return value.slice(0, value.length - (pattern.suffixOf(value, operator === '%%') ?? 0));
    }
    case '^':
      return value.slice(0, 1).toUpperCase() + value.slice(1);
    case '^^':
      return value.toUpperCase();
    case ',':
      return value.slice(0, 1).toLowerCase() + value.slice(1);
    case ',,':
      return value.toLowerCase();
    case ':':
      return substring(value, await expandText(operand, scope), scope);
    default:
      return replaced(value, await expandPattern(operand, scope), operator === '//');
  }
}

function substring(value: string, range: string, scope: ExpansionScope): string {
  const [from = '', length] = range.split(':');
  const start = Number(evaluateArithmetic(from, scope));
  const begin = start < 0 ? Math.max(0, value.length + start) : start;
  if (length === undefined) return value.slice(begin);
  const count = Number(evaluateArithmetic(length, scope));
  return count < 0 ? value.slice(begin, count) : value.slice(begin, begin + count);
}

/** `${NAME/pattern/text}`; the slash between them is not escaped. */
function replaced(value: string, operand: string, isGlobal: boolean): string {
  const at = /(?<!\\)\//.exec(operand)?.index ?? operand.length;
  const pattern = new ShellPattern(operand.slice(0, at));
  const by = operand.slice(at + 1).replace(/\\([\s\S])/g, '$1');
  let result = '';
  for (let from = 0; from <= value.length; from++) {
    const length = pattern.prefixOf(value.slice(from), true) ?? 0;
    if (length === 0) {
      result += value.charAt(from);
      continue;
    }
    result += by;
    from += length - 1;
    checkLength(result.length);
    if (!isGlobal) return result + value.slice(from + 1);
  }
  return result;
}

function separatorOf(scope: ExpansionScope): string {
  return (scope.get('IFS') ?? ' ').slice(0, 1);
}

/** `~` and `~/…` at the start of a word. */
function withHome(text: string, scope: ExpansionScope, isWhole: boolean): string {
  if (!text.startsWith('~')) return text;
  if (text.startsWith('~/') || (text === '~' && isWhole)) return (scope.get('HOME') ?? '~') + text.slice(1);
  return text;
}

/** Splits at separators: spaces among them count as one, any other one ends a field, even an empty one. */
function splitFields(
  text: string,
  separators: string,
): { readonly fields: readonly string[]; readonly startsNew: boolean; readonly endsField: boolean } {
  if (separators === '') return { fields: text === '' ? [] : [text], startsNew: false, endsField: false };
  const isSpace = (character: string): boolean => /[ \t\n]/.test(character) && separators.includes(character);
  const fields: string[] = [];
  let at = 0;
  while (at < text.length && isSpace(text.charAt(at))) at++;
  const startsNew = at > 0;
  let endsField = startsNew && at === text.length;
  while (at < text.length) {
    const start = at;
    while (at < text.length && !separators.includes(text.charAt(at))) at++;
    fields.push(text.slice(start, at));
    if (fields.length > MAX_FIELDS) throw new ShellFailure('Argument list too long');
    endsField = at < text.length;
    while (at < text.length && isSpace(text.charAt(at))) at++;
    if (at < text.length && separators.includes(text.charAt(at))) {
      at++;
      while (at < text.length && isSpace(text.charAt(at))) at++;
    }
  }
  return { fields, startsNew, endsField };
}

/** The names of files that match; the text itself when it is no pattern, or none matches. */
function filesOf({ text, pattern }: Field, scope: ExpansionScope): readonly string[] {
  if (!scope.expandsPatterns || !isPattern(pattern.replace(/\\./gs, ''))) return [text];
  const isAbsolute = pattern.startsWith('/');
  let found = [isAbsolute ? '/' : ''];
  const steps = pattern.split('/').filter((step, index) => step !== '' || index > 0);
  for (const [index, step] of steps.entries()) {
    if (step === '') continue;
    const isLast = index === steps.length - 1;
    const shell = new ShellPattern(step);
    const literal = isPattern(step.replace(/\\./gs, '')) ? undefined : step.replace(/\\(.)/gs, '$1');
    found = found.flatMap((base) => {
      const names =
        literal === undefined
          ? scope
              .names(posix.resolve(scope.directory, base === '' ? '.' : base))
              .filter((name) => (!name.startsWith('.') || step.startsWith('.')) && shell.matches(name))
          : [literal];
      return names.map((name) => `${base}${name}${isLast ? '' : '/'}`);
    });
    if (found.length > MAX_FIELDS) throw new ShellFailure('Argument list too long');
  }
  const existing = found.filter((path) => scope.exists(posix.resolve(scope.directory, path)));
  return existing.length === 0 ? [text] : existing;
}

/** `{a,b}` and `{1..3}`, once for each word and outside of quotes. */
function expandBraces(word: Word): readonly Word[] {
  for (const [index, part] of word.entries()) {
    if (part.type !== 'text' || part.isQuoted) continue;
    const found = /\{(?:(-?\d{1,9})\.\.(-?\d{1,9})|([^{}\s]*,[^{}\s]*))\}/.exec(part.text);
    if (found === null) continue;
    const [all, from, to, list] = found;
    const values = list === undefined ? rangeOf(Number(from), Number(to)) : list.split(',');
    const rest = expandBraces([{ ...part, text: part.text.slice(found.index + all.length) }, ...word.slice(index + 1)]);
    if (values.length * rest.length > MAX_BRACES) throw new ShellFailure('Argument list too long');
    const before = part.text.slice(0, found.index);
    return values.flatMap((value) =>
      rest.map((each) =>
        [...word.slice(0, index), { ...part, text: before + value }, ...each].filter(
          (piece) => piece.type !== 'text' || piece.isQuoted || piece.text !== '',
        ),
      ),
    );
  }
  return [word];
}

function rangeOf(from: number, to: number): readonly string[] {
  const count = Math.min(Math.abs(to - from), MAX_BRACES) + 1;
  return Array.from({ length: count }, (_, index) => String(from + (to < from ? -index : index)));
}
