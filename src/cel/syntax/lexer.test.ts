import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LexicalFailure, tokenize } from './lexer.ts';
import { Token, type TokenKind } from './token.ts';

const names = new Map<TokenKind, string>(Object.entries(Token).map(([name, kind]) => [kind, name]));

function cut(text: string): { readonly tokens: string[]; readonly failures: string[] } {
  const failures: LexicalFailure[] = [];
  const { kinds, starts, ends } = tokenize(text, (failure) => failures.push(failure));
  return {
    tokens: kinds.slice(0, -1).map((kind, at) => `${names.get(kind)} ${text.slice(starts[at], ends[at])}`),
    failures: failures.map(({ start, end }) => text.slice(start, end)),
  };
}

test('numbers are matched greedily', () => {
  expect(cut('1 0x1F 2u 0x1u 1.5 .5 1e3 2.e').tokens).toEqual([
    'int 1',
    'int 0x1F',
    'uint 2u',
    'uint 0x1u',
    'float 1.5',
    'float .5',
    'float 1e3',
    'int 2',
    'dot .',
    'identifier e',
  ]);
});

test('strings may be raw, multi-line, and bytes', () => {
  expect(cut(String.raw`'a\'b' r"\d" """x"y""" b'\xff' br'z'`).tokens).toEqual([
    String.raw`string 'a\'b'`,
    String.raw`string r"\d"`,
    'string """x"y"""',
    String.raw`bytes b'\xff'`,
    "bytes br'z'",
  ]);
});

test('comments and spaces are left out', () => {
  expect(cut('a // b\n\t+ c').tokens).toEqual(['identifier a', 'plus +', 'identifier c']);
});

test('an invalid token is reported and skipped, together with the character that did not fit', () => {
  expect(cut('a = b')).toEqual({ tokens: ['identifier a', 'identifier b'], failures: ['= '] });
  expect(cut("'a\n b").failures).toEqual(["'a\n"]);
});

test('tokens and failures cover any text, in order', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const failures: LexicalFailure[] = [];
      const { kinds, starts, ends } = tokenize(text, (failure) => failures.push(failure));
      expect(kinds.at(-1)).toBe(Token.end);
      for (const [at, start] of starts.entries())
        expect(start).toBeGreaterThanOrEqual(at === 0 ? 0 : (ends[at - 1] as number));
      for (const { start, end } of failures) expect(end).toBeGreaterThan(start);
    }),
  );
});
