import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as dns from './dns-names.ts';
import * as labels from './label-names.ts';
import * as names from './names.ts';
import { NO_PROBLEMS, type Problems } from './problem-texts.ts';

const name = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.', '_', '/', ' ', 'é', '\n'), maxLength: 8 });

/** The patterns that the messages themselves contain. */
const patterns: readonly (readonly [string, (value: string) => Problems, RegExp])[] = [
  ['a DNS label', dns.dns1123LabelProblems, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/],
  [
    'a DNS subdomain',
    dns.dns1123SubdomainProblems,
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  ],
  ['a DNS 1035 label', dns.dns1035LabelProblems, /^[a-z]([-a-z0-9]*[a-z0-9])?$/],
  ['a label value', labels.labelValueProblems, /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/],
  [
    'a qualified name',
    labels.qualifiedNameProblems,
    /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/,
  ],
  ['a config key', names.configMapKeyProblems, /^(?!\.$|\.\.)[-._a-zA-Z0-9]+$/],
  ['a C identifier', names.cIdentifierProblems, /^[A-Za-z_][A-Za-z0-9_]*$/],
  ['an environment variable', names.envVarNameProblems, /^(?!\.$|\.\.)[-._a-zA-Z][-._a-zA-Z0-9]*$/],
];

describe('a name passes exactly when it matches the pattern', () => {
  for (const [what, check, pattern] of patterns) {
    test(`of ${what}`, () => {
      fc.assert(
        fc.property(name, (value) => assert.equal(check(value).length === 0, pattern.test(value))),
        { numRuns: 1000 },
      );
    });
  }
});

test('a valid name allocates no list of problems', () => {
  expect(dns.dns1123SubdomainProblems('web-1.example')).toBe(NO_PROBLEMS);
  expect(labels.qualifiedNameProblems('example.com/name')).toBe(NO_PROBLEMS);
  expect(names.configMapKeyProblems('ca.crt')).toBe(NO_PROBLEMS);
});

test('a finalizer of a core object needs a domain, unless it is a standard one', () => {
  expect(labels.coreFinalizerNameProblems('kubernetes')).toEqual([]);
  expect(labels.coreFinalizerNameProblems('example.com/mine')).toEqual([]);
  const problem = 'name is neither a standard finalizer name nor is it fully qualified';
  expect(labels.coreFinalizerNameProblems('mine')).toEqual([problem]);
});

test('an annotation key may have capitals before the slash', () => {
  expect(labels.annotationKeyProblems('Example.COM/Name')).toEqual([]);
  expect(labels.qualifiedNameProblems('Example.COM/Name')).toHaveLength(1);
});

test('ports and ids have a range', () => {
  expect(names.portNumberProblems(65_536)).toEqual(['must be between 1 and 65535, inclusive']);
  expect(names.unixIdProblems(-1)).toEqual(['must be between 0 and 2147483647, inclusive']);
  expect(names.unixIdProblems(0)).toEqual([]);
});
