import { describe, expect, test } from 'vitest';
import { verdictOf } from '../cycle/failure.ts';
import { parseAnswer } from './extender-answer.ts';

describe('the response of an extender', () => {
  test('ends with its first value', () => {
    expect(parseAnswer('{"a":"]}\\""} {"b":1}')).toEqual({ a: ']}"' });
    expect(() => parseAnswer(' 5 x')).toThrow("invalid character 'x' after top-level value");
  });

  test.each(['['.repeat(1e6), `${'['.repeat(1e6)}${']'.repeat(1e6)}`, `${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`])(
    'is refused unparsed when it is nested too deep',
    (text) => {
      expect(() => parseAnswer(text)).toThrow(/^invalid character '[[{]' exceeded max depth$/);
    },
  );

  test('may be nested as deeply as Go allows, and be followed by anything', () => {
    const text = `${'['.repeat(10_000)}${']'.repeat(10_000)} ${'['.repeat(20_000)}`;
    expect(Array.isArray(parseAnswer(text))).toBe(true);
  });
});

test('a verdict fits into what can be stored', () => {
  expect(verdictOf(new Error('x'.repeat(2e6))).message).toHaveLength(1024 * 1024);
});
