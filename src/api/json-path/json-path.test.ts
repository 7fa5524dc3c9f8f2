import { describe, expect, test } from 'vitest';
import { parseJsonPath } from './json-path.ts';

const object = {
  metadata: { name: 'x', labels: { 'a.b/c': 'd' } },
  spec: { replicas: 3, ports: [1, 2, 3, 4], empty: null },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', count: 2 },
      { type: 'Done', status: 'False', count: 5 },
    ],
  },
};

test.each([
  ['{.spec.replicas}', [3]],
  ['{.spec.missing.deeper}', []],
  ['{.spec.empty}', [null]],
  ['{.metadata.labels.a\\.b/c}', ['d']],
  ["{.metadata.labels['a\\.b/c']}", ['d']],
  ['{.spec.ports[0]}', [1]],
  ['{.spec.ports[-1]}', [4]],
  ['{.spec.ports[1:3]}', [2, 3]],
  ['{.spec.ports[::2]}', [1, 3]],
  ['{.spec.ports[0,2]}', [1, 3]],
  ['{.spec.ports[*]}', [1, 2, 3, 4]],
  ['{.status.conditions[?(@.type=="Ready")].status}', ['True']],
  ['{.status.conditions[?(@.count>2)].type}', ['Done']],
  ["{.status.conditions[?(@.type=='a)b')].type}", []],
  ['{..type}', ['Ready', 'Done']],
  ['{.status.conditions[?(@.count)].type}', ['Ready', 'Done']],
  ['text {.spec}', ['text ']],
])('%s', (template, found) => {
  expect(parseJsonPath(template).find(object)).toEqual(found);
});

describe('refuses', () => {
  test.each([
    ['{.spec', 'unclosed action'],
    ['{.spec[1}', 'unterminated array'],
    ['{.spec[a]}', 'invalid array index a'],
    ['{.spec[?(@.a==1}', 'unterminated filter'],
    ['{.spec[?(@.a==1)}', 'unclosed array expect ]'],
    ['{....a}', 'invalid multiple recursive descent'],
    ["{'abc}", 'unterminated quoted string'],
    ['{.a%}b}', undefined],
    ['{*}', "unrecognized character in action: U+002A '*'"],
    ['{-a}', 'cannot parse number -'],
    [`{.${'a'.repeat(20_000)}}`, 'the path is longer than 16384 characters'],
  ])('%s', (template, message) => {
    if (message === undefined) parseJsonPath(template);
    else expect(() => parseJsonPath(template)).toThrow(message);
  });

  test('objects that do not have the expected structure', () => {
    expect(() => parseJsonPath('{.spec.ports[7]}').find(object)).toThrow(
      'array index out of bounds: index 7, length 4',
    );
    expect(() => parseJsonPath('{.spec.replicas[0]}').find(object)).toThrow('int64 is not array or slice');
    expect(() => parseJsonPath('{.status.conditions[?(@.count=="a")]}').find(object)).toThrow('incompatible types');
  });
});
