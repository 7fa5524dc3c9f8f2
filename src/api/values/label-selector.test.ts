import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unreachable } from '../../base/index.ts';
import { printRequirement, type LabelRequirement } from './label-requirement.ts';
import {
  formatLabels,
  formatLabelSelector,
  LabelMatcher,
  matchEverything,
  matchLabels,
  matchLabelSelector,
  matchNothing,
} from './label-selector.ts';
import { parseLabelSelector } from './parse-label-selector.ts';
import { ValueError } from './value-error.ts';

const key = fc.constantFrom('app', 'tier', 'in', 'notin', 'example.com/part-of', 'constructor', '0');
const value = fc.constantFrom('', 'web', 'db', 'in', '10', '9', 'a.b_c');
const labels = fc.dictionary(key, value);
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom('=', '==', '!='), values: fc.tuple(value) }),
  fc.record({ key, operator: fc.constantFrom('in', 'notin'), values: fc.uniqueArray(value, { minLength: 1 }) }),
  fc.record({ key, operator: fc.constantFrom('exists', '!'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom('gt', 'lt'), values: fc.tuple(fc.constantFrom('9', '10', '11')) }),
);

function parsed(text: string): LabelMatcher {
  const matcher = parseLabelSelector(text);
  assert.ok(matcher instanceof LabelMatcher, `${text}: ${String(matcher)}`);
  return matcher;
}

/** The definition of a requirement, as plainly as possible. */
function holds({ key, operator, values }: LabelRequirement, set: Readonly<Record<string, string>>): boolean {
  const found = Object.hasOwn(set, key) ? set[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return found !== undefined && values.includes(found);
    case '!=':
    case 'notin':
      return found === undefined || !values.includes(found);
    case 'exists':
      return found !== undefined;
    case '!':
      return found === undefined;
    case 'gt':
      return /^[0-9]+$/.test(found ?? '') && Number(found) > Number(values[0]);
    case 'lt':
      return /^[0-9]+$/.test(found ?? '') && Number(found) < Number(values[0]);
    default:
      return unreachable(operator);
  }
}

describe('a label selector', () => {
  test('matches exactly the labels that satisfy all its requirements', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), labels, (requirements, set) => {
        const matcher = parsed(requirements.map(printRequirement).join(','));
        assert.equal(
          matcher.matches(set),
          requirements.every((each) => holds(each, set)),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('is equivalent with many requirements, on one label or on several', () => {
    const many = fc.array(requirement, { minLength: 9, maxLength: 40 });
    const mild = fc.array(
      requirement.filter(({ operator }) => ['!=', 'notin', 'exists', 'gt', 'lt'].includes(operator)),
      { minLength: 9, maxLength: 20 },
    );
    fc.assert(
      fc.property(fc.oneof(many, mild), labels, (requirements, set) => {
        const matcher = new LabelMatcher(requirements);
        assert.equal(
          matcher.matches(set),
          requirements.every((each) => holds(each, set)),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test("tests only an object's own labels, however many requirements it has", () => {
    const text = Array.from({ length: 9000 }, (_, index) => `k${index}!=v,app!=v${index}`);
    let reads = 0;
    const labels = new Proxy<Record<string, string>>(
      { app: 'web' },
      {
        get: (target, name: string) => {
          reads += 1;
          return target[name];
        },
      },
    );

    expect(new LabelMatcher(parsed(text.slice(0, 5000).join(',')).requirements).matches(labels)).toBe(true);
    expect(reads).toBeLessThan(4);
    expect(parseLabelSelector(text.join(','))).toEqual(new ValueError('found more than 10000 requirements'));
  });

  test('prints a selector that parses to the same', () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
        const printed = parsed(requirements.map(printRequirement).join(' , ')).toString();
        assert.equal(parsed(printed).toString(), printed);
      }),
    );
  });

  test('never throws, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '=', '!', '(', ')', ',', '<', '>', ' ', 'in', '\0') }),
        (text) => {
          const matcher = parseLabelSelector(text);
          assert.ok(matcher instanceof LabelMatcher || matcher instanceof ValueError);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('that is empty selects everything, and an absent one nothing', () => {
    expect(parsed('').isEmpty).toBe(true);
    expect(parsed('').matches(undefined)).toBe(true);
    expect(matchEverything().matches({ a: 'b' })).toBe(true);
    expect(matchNothing().matches({ a: 'b' })).toBe(false);
    expect(matchNothing().isEmpty).toBe(false);
    expect((matchLabelSelector(undefined) as LabelMatcher).matchesNothing).toBe(true);
    expect((matchLabelSelector({}) as LabelMatcher).isEmpty).toBe(true);
  });

  test('treats absent labels as none', () => {
    expect(parsed('!a,b!=c').matches(undefined)).toBe(true);
    expect(parsed('a').matches(undefined)).toBe(false);
  });
});

test('labels select themselves', () => {
  expect(matchLabels({ b: '2', a: '1' }).toString()).toBe('a=1,b=2');
  expect(matchLabels(undefined).isEmpty).toBe(true);
});

test('prints selectors and labels as in tables', () => {
  expect(formatLabelSelector({ matchLabels: { app: 'web' } })).toBe('app=web');
  expect(formatLabelSelector({})).toBe('<none>');
  expect(formatLabelSelector(undefined)).toBe('<none>');
  expect(formatLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Near' }] })).toBe('<error>');
  expect(formatLabels({ b: '2', a: '1' })).toBe('a=1,b=2');
  expect(formatLabels(undefined)).toBe('<none>');
});
