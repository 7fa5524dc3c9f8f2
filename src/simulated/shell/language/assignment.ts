import type { Assignment, Word } from './syntax.ts';

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(\+?)=/;

/** `NAME=value`, as a word before the name of a command. */
export function assignmentOf(word: Word): Assignment | undefined {
  const [first, ...rest] = word;
  if (first?.type !== 'text' || first.isQuoted) return undefined;
  const [prefix = '', name, plus] = ASSIGNMENT.exec(first.text) ?? [];
  if (name === undefined) return undefined;
  const text = first.text.slice(prefix.length);
  const value: Word = text === '' ? rest : [{ ...first, text }, ...rest];
  return { name, value, isAppended: plus === '+' };
}
