import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeFieldValue, FieldMatcher, parseFieldSelector, unescapeFieldValue } from './field-selector.ts';
import { ValueError } from './value-error.ts';

function parsed(text: string): FieldMatcher {
  const matcher = parseFieldSelector(text);
  assert.ok(matcher instanceof FieldMatcher, `${text}: ${String(matcher)}`);
  return matcher;
}

function convert(field: string, value: string): readonly [string, string] | ValueError {
  if (field === 'name') return ['metadata.name', value];
  return field === 'ignored' ? ['', ''] : new ValueError(`field label not supported: ${field}`);
}

describe('a field selector', () => {
  test('any value round-trips through escaping', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\\', ',', '=', '!', 'a', 'é', '😀') }), (value) => {
        assert.equal(unescapeFieldValue(escapeFieldValue(value)), value);
        const matcher = parsed(`a=${escapeFieldValue(value)},b!=${escapeFieldValue(value)}`);
        assert.equal(matcher.exactValue('a'), value);
        assert.equal(
          matcher.matches((field) => (field === 'a' ? value : `${value}.`)),
          true,
        );
        assert.equal(
          matcher.matches(() => value),
          false,
        );
      }),
    );
  });

  test('prints a selector that parses to the same', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('=', '==', '!='), fc.string())), (terms) => {
        const text = terms.map(([sign, value], at) => `f${at}${sign}${escapeFieldValue(value)}`).join(',');
        const printed = parsed(text).toString();
        assert.equal(parsed(printed).toString(), printed);
      }),
    );
  });

  test('distinguishes empty values', () => {
    expect(parsed('spec.nodeName=').matches(() => '')).toBe(true);
    expect(parsed('spec.nodeName!=').matches(() => '')).toBe(false);
  });

  test('lets a kind refuse, rename and drop fields', () => {
    expect(String(parseFieldSelector('name=web,ignored=x', convert))).toBe('metadata.name=web');
    expect(parseFieldSelector('phase=x', convert)).toEqual(new ValueError('field label not supported: phase'));
  });

  test('reads each field once, however many terms it has', () => {
    let reads = 0;
    const fields = (): string => (reads++, 'web');
    const text = Array.from({ length: 10_000 }, (_, index) => `a!=${index}`).join(',');

    expect(parsed(text).matches(fields)).toBe(true);
    expect(reads).toBe(1);
    expect(parsed('a=web,a=db').matches(fields)).toBe(false);
    expect(parseFieldSelector(`${text},a!=x`)).toEqual(new ValueError('invalid selector: more than 10000 terms'));
  });
});
