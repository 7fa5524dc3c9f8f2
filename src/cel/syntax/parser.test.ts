import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Expr } from './expr.ts';
import { MacroTable } from './macro.ts';
import { parse } from './parser.ts';
import { Source } from './source.ts';
import { standardMacros } from './standard-macros.ts';

const syntax = { macros: new MacroTable(standardMacros()), hasOptionals: true };

function parsed(text: string): Expr {
  const result = parse(new Source(text), syntax);
  if (!result.ok) throw new Error(result.issues.toString());
  return result.expr;
}

function refused(text: string): string {
  const result = parse(new Source(text), syntax);
  return result.ok ? 'fine' : result.issues.toString();
}

/** Calls with their arguments in brackets, such as `+ (a, * (b, c))`. */
function shape(expr: Expr): string {
  switch (expr.kind) {
    case 'ident':
      return expr.name;
    case 'call':
      return `${expr.name.replaceAll('_', '')}(${expr.args.map(shape).join(' ')})`;
    case 'literal':
      return 'value' in expr.literal ? String(expr.literal.value) : 'null';
    case 'select':
      return `${shape(expr.operand)}.${expr.field}`;
    case 'list':
    case 'map':
    case 'struct':
    case 'comprehension':
      return expr.kind;
  }
}

describe('the parser', () => {
  test('binds tighter operators first, and others from the left', () => {
    expect(shape(parsed('a + b * c - d'))).toBe('-(+(a *(b c)) d)');
    expect(shape(parsed('a ? b : c ? d : e'))).toBe('?:(a b ?:(c d e))');
    expect(shape(parsed('!a.b && c < d || e'))).toBe('||(&&(!(a.b) <(c d)) e)');
  });

  test('balances long chains, so that they are not deep', () => {
    expect(shape(parsed('a && b && c && d'))).toBe('&&(&&(a b) &&(c d))');
    expect(parse(new Source(Array.from({ length: 2000 }, () => 'a').join(' || ')), syntax).ok).toBe(true);
  });

  test('reads a minus before a number as its sign', () => {
    expect(shape(parsed('-9223372036854775808'))).toBe('-9223372036854775808');
    expect(shape(parsed('-a'))).toBe('-(a)');
    expect(shape(parsed('--a'))).toBe('a');
  });

  test('expands macros into loops at the position of the call', () => {
    const loop = parsed('items.all(x, x > 1)');
    expect(loop).toMatchObject({ kind: 'comprehension', variable: 'x', accumulator: '@result', offset: 9 });
  });

  test('leaves alone a name that only looks like a macro', () => {
    expect(parsed('all(x, y)')).toMatchObject({ kind: 'call', name: 'all' });
    expect(parsed('.map(x, y)')).toMatchObject({ kind: 'call', name: '.map' });
  });
});

describe('the parser refuses', () => {
  test('what does not fit, with a pointer', () => {
    expect(refused('a +')).toBe(
      "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a +\n | ...^",
    );
  });

  test.each(['a..b', '#a..b', 'a.#.b', 'a..b #'])('%s, and quotes the tokens only', (text) => {
    expect(refused(text)).toContain("no viable alternative at input '..'\n");
  });

  test('reserved words, also as the variable of a macro', () => {
    expect(refused('[1].map(var, 1)')).toBe(
      'ERROR: <input>:1:9: reserved identifier: var\n | [1].map(var, 1)\n | ........^\n' +
        'ERROR: <input>:1:9: argument is not an identifier\n | [1].map(var, 1)\n | ........^',
    );
  });

  test('integers that are too large', () => {
    expect(refused('9223372036854775808')).toContain('1:1: invalid int literal');
  });

  test('texts that are too long or too deep, quickly', () => {
    expect(refused(`'${'a'.repeat(100_000)}'`)).toContain('expression code point size exceeds limit: size: 100002');
    expect(refused('('.repeat(50_000))).toContain('expression recursion limit exceeded: 250');
    expect(refused(`${'['.repeat(300)}1${']'.repeat(300)}`)).toContain('expression recursion limit exceeded: 250');
    expect(refused(`a${'.a'.repeat(300)}`)).toContain('max recursion depth exceeded');
  });

  test('or parses any text at all, and never throws', () => {
    const piece = fc.constantFrom(
      'a',
      '1',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '.',
      ',',
      ':',
      '?',
      '+',
      '!',
      '&&',
      "'",
      '"',
      ' ',
      '\n',
      'é',
      '😀',
      'in',
      '`',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const result = parse(new Source(pieces.join('')), syntax);
        expect(result.ok || result.issues.toString().startsWith('ERROR: <input>:')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
