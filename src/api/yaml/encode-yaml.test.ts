import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unreachable } from '../../base/index.ts';
import { parseUntyped } from '../json/index.ts';
import { encodeYaml, yamlPieces } from './encode-yaml.ts';
import { YamlBody } from './decode-yaml.ts';

/** The answers of a real kube-apiserver 1.36.3 to the same request, in JSON and in YAML. */
interface Answer {
  readonly json: string;
  readonly yaml: string;
}

const answers = JSON.parse(readFileSync(new URL('testdata/server-yaml.json', import.meta.url), 'utf8')) as Answer[];

describe('encodeYaml() prints what a real API server prints', () => {
  const named = answers.map(({ json, yaml }) => {
    const { kind = 'version' } = JSON.parse(json) as { kind?: string };
    return { kind, json, yaml };
  });

  test.each(named)('$kind', ({ json, yaml }) => {
    expect(encodeYaml(parseUntyped(json))).toBe(yaml);
  });
});

describe('encodeYaml()', () => {
  test('sorts keys as Go does: letters last, numbers by value', () => {
    expect(encodeYaml({ k10: 1, k9: 2, ab: 3, 'a-b': 4, K1: 5 })).toBe('K1: 5\na-b: 4\nab: 3\nk9: 2\nk10: 1\n');
  });

  test('sorts numbers in keys by value, however long', () => {
    const keys = ['a1b2', 'a1b10', 'a2', 'a02', 'a123456789012345678', 'a9999999999999999', 'a20x', 'a3-', 'a3'];

    expect(encodeYaml(Object.fromEntries(keys.map((key) => [key, 1]))).replaceAll(': 1\n', ' ')).toBe(
      'a1b2 a1b10 a2 a02 a3 a3- a20x a9999999999999999 a123456789012345678 ',
    );
  });

  test('sorts very many keys in pieces as at once', () => {
    const keys = Array.from({ length: 10_000 }, (_unused, index) => `k${(index * 7919) % 10_007}-${index % 13}`);
    const value = { a: 1, b: Object.fromEntries(keys.map((key) => [key, 'v'])) };
    const pieces = [...yamlPieces(value)];

    expect(pieces.join('')).toBe(encodeYaml(value));
    expect(pieces).toContain('');
  });

  test('prints 64-bit integers exactly and floats as Go does', () => {
    expect(encodeYaml([9007199254740993n, 0.1, 1e21, 1e-7, 123456789.125, 1e20])).toBe(
      '- 9007199254740993\n- 0.1\n- 1e+21\n- 1e-07\n- 1.23456789125e+08\n- 1e+20\n',
    );
  });

  test('starts keys that are too long to be simple with a question mark', () => {
    const key = 'k'.repeat(129);

    expect(encodeYaml({ [key]: { a: [1] } })).toBe(`? ${key}\n: a:\n  - 1\n`);
  });

  test('prints text that decodes to the same value', () => {
    const value = fc.letrec((tie) => ({
      // Go's own YAML loses lines that end with these, and so do we
      text: fc
        .string({ unit: 'binary' })
        .map((text) => text.replace(/[\u0085\u2028\u2029\ufeff\ud800-\udfff]/g, '').normalize()),
      leaf: fc.oneof(tie('text'), fc.integer(), fc.boolean(), fc.constant(null)),
      node: fc.oneof(
        { depthSize: 'small' },
        tie('leaf'),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 12 }), tie('node'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (original) => {
        const text = encodeYaml(original);

        expect(plain(new YamlBody(text).node)).toEqual(original);
        expect([...yamlPieces(original)].join('')).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

function plain(node: YamlBody['node']): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
    case 'array':
      return node.items.map(plain);
    case 'number':
      return Number(node.text);
    case 'null':
      return null;
    case 'bool':
    case 'string':
      return node.value;
    default:
      return unreachable(node);
  }
}
