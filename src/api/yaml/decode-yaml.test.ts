import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { DecodeError } from '../json/index.ts';
import { decodeYaml, YamlBody } from './decode-yaml.ts';

const types = builtInTypes();
const configMap = types.struct('io.k8s.api.core.v1.ConfigMap');
const deployment = types.struct('io.k8s.api.apps.v1.Deployment');

/** The answer of a real kube-apiserver 1.36.3 to a POST with strict field validation: kind, apiVersion, body, code, message. */
type Answer = readonly [kind: string, apiVersion: string, body: string, code: number, message: string];

const answers = JSON.parse(
  readFileSync(new URL('testdata/yaml-answers.json', import.meta.url), 'utf8'),
) as readonly Answer[];

function serverMessage(body: string): string {
  let parsed: YamlBody;
  try {
    parsed = new YamlBody(body);
    void parsed.typeMeta;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `the object provided is unrecognized (must be of type ConfigMap): ${error.message}`;
  }
  try {
    parsed.decode(configMap, { fieldValidation: 'Strict' });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${error.message}`;
  }
  return '';
}

describe('decodeYaml() reports what a real API server reports', () => {
  test.each(answers)('%s %s %j', (...[, , body, , message]) => {
    // the server quotes the beginning of a body that it does not recognize
    expect(serverMessage(body)).toBe(message.replace(/^(the object provided is unrecognized.*) \(.*\)$/s, '$1'));
  });
});

describe('decodeYaml()', () => {
  test('reads scalars as Go does', () => {
    const { node } = new YamlBody(
      '[yes, N, 010, 0o10, 0b11, 1_000, 0x1F, 08, 12:30:45, 2020-01-01, ~, 1.50, "yes", 9007199254740993]',
    );

    expect(
      JSON.stringify(
        node.kind === 'array'
          ? node.items.map((item) => ('value' in item ? item.value : 'text' in item ? item.text : null))
          : [],
      ),
    ).toBe('[true,false,"8","8","3","1000","31","8","12:30:45","2020-01-01",null,"1.5","yes","9007199254740993"]');
  });

  test('follows aliases and merge keys', () => {
    const { value } = decodeYaml(
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n      - &c\n        name: a\n        image: b\n      - <<: *c\n        name: d\n',
      deployment,
    );

    expect(value).toMatchObject({
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        template: {
          spec: {
            containers: [
              { name: 'a', image: 'b' },
              { name: 'd', image: 'b' },
            ],
          },
        },
      },
    });
  });

  test.each([
    ['m: |\n  a', 'a'],
    ['m: |+\n  a', 'a'],
    ['m: >\n  a\n  b', 'a b'],
    ['m: |\n  a\n   ', 'a\n '],
    ['m: |2\n   ', ' '],
    ['m: |\n  a\n  ', 'a\n'],
    ['m: |+\n\n  ', '\n'],
    ['m: |-\n  a', 'a'],
    ['m: |\n  a\n', 'a\n'],
    ['m: |\n  a\n---\nm: b', 'a\n'],
  ])('ends a block as the text ends, with or without a line break: %j', (text, expected) => {
    expect(new YamlBody(text).untyped()).toEqual({ m: expected });
  });

  test.each([
    ['m: "a\nb\n\nc"', 'a b\nc'],
    ["m: 'a\nb'", 'a b'],
    ['m: {a: b,\nc: d\n}', { a: 'b', c: 'd' }],
    ['n: 1\nl:\n- m: [\n  a, # one\n  [b,\nc]\n  ]\nm: 2', 2],
  ])('reads lines in quotes and brackets that are not indented, as Go does: %j', (text, expected) => {
    expect(new YamlBody(text).untyped()).toMatchObject({ m: expected });
  });

  test('names the original lines of duplicate keys behind lines that are not indented', () => {
    expect(new YamlBody('m: {\na: b\n}\nm: 1\n').duplicates).toEqual(['line 4: key "m" already set in map']);
  });

  test('gives up reading again in bounded time', () => {
    const text = `m: [${'\na,'.repeat(100_000)}`;
    expect(() => new YamlBody(text)).toThrow(/^yaml: line \d+: /);
  });

  test('keeps the last of duplicate keys, and warns about each of them', () => {
    const { value, warnings } = decodeYaml('data:\n  a: x\n  a: z\nfoo: 1\n', configMap, { fieldValidation: 'Warn' });

    expect(value).toMatchObject({ data: { a: 'z' } });
    expect(warnings).toEqual(['line 3: key "a" already set in map', 'unknown field "foo"']);
  });

  test('reads only the first document, whatever follows', () => {
    expect(decodeYaml('data: {a: b}\n---\n}}} [', configMap).value).toMatchObject({ data: { a: 'b' } });
    expect(decodeYaml('# only a comment\n---\ndata: {a: b}\n--- \nfoo', configMap).value).toMatchObject({
      data: { a: 'b' },
    });
  });

  test('refuses exponential aliases in bounded time', () => {
    const lines = Array.from({ length: 30 }, (_, index) => {
      const items = index === 0 ? 'x' : `*a${index - 1}`;
      return `a${index}: &a${index} [${Array.from({ length: 20 }, () => items).join(',')}]`;
    });

    expect(() => decodeYaml(lines.join('\n'), configMap)).toThrow('yaml: document contains excessive aliasing');
  });

  test('refuses aliases that repeat more text than a body may have', () => {
    const text = (aliases: number): string => `a: &a ${'x'.repeat(100_000)}\ndata: [${'*a,'.repeat(aliases)}]`;

    expect(() => new YamlBody(text(31))).not.toThrow();
    expect(() => new YamlBody(text(32))).toThrow('yaml: document contains excessive aliasing');
  });

  test('names the lines of duplicate keys, also of those that an alias repeats', () => {
    const { duplicates } = new YamlBody('a: &a\n  x: 1\n  x: 2\nb: *a\nc: 1\nc: 2\n');

    expect(duplicates.map((text) => text.split(':', 1)[0])).toEqual(['line 3', 'line 3', 'line 6']);
  });

  test('refuses deep nesting with an error, not a crash', () => {
    expect(() => decodeYaml('['.repeat(100_000), configMap)).toThrow(DecodeError);
    expect(() => decodeYaml(`${'- '.repeat(100_000)}a`, configMap)).toThrow(DecodeError);
  });

  test('keeps keys that are special in JavaScript', () => {
    const { value } = decodeYaml('data: {__proto__: a, constructor: b}', configMap);

    expect(Object.keys(value['data'] as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value['data'])).toBe(Object.prototype);
  });
});

test.each([
  ['a: [1', "line 1: did not find expected ',' or ']'"],
  ['a: [1\n', "line 1: did not find expected ',' or ']'"],
  ['x: y\na: [1\n\n', "line 3: did not find expected ',' or ']'"],
  ['a: [1, {b: c\n', "line 1: did not find expected ',' or '}'"],
  ['a:\n  - {b\n  - c\n', "line 3: did not find expected ',' or '}'"],
  ['a: [1,\n', 'line 1: did not find expected node content'],
])('a list or map in brackets without an end is refused in the words of Go: %j', (text, problem) => {
  expect(() => new YamlBody(text)).toThrow(`yaml: ${problem}`);
});
