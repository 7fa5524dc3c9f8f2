import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { textOfLine, toYaml, yamlLines } from './yaml-lines.ts';

describe('toYaml() writes what reads back as the same value', () => {
  test.each([
    ['an object of scalars', { a: 1, b: 'text', c: true, d: null, e: {}, f: [] }],
    ['lists of objects and of lists', { a: [{ b: 1, c: [1, [2, 3], { d: 4 }] }, {}, []], e: [[['x']]] }],
    [
      'words that YAML takes for other types',
      { a: ['yes', 'no', 'on', '1', '1e3', '0x10', '~', 'null', '2026-01-01', '1:30', '.5', '-', '- a'] },
    ],
    [
      'characters with a meaning',
      {
        a: [
          '#',
          'a #b',
          'a: b',
          'b:',
          '[x',
          '{y',
          '*z',
          '&q',
          '!t',
          '%d',
          '@e',
          '`f',
          "'g",
          '"h',
          '|',
          '>',
          ' i',
          'j ',
        ],
      },
    ],
    [
      'text of several lines',
      {
        a: 'one\ntwo\n',
        b: 'one\ntwo',
        c: 'one\n\n\nfour\n',
        d: '  one\ntwo',
        e: 'one \ntwo',
        f: '\none',
        g: 'one\n\n',
        h: 'one\n  two\n',
      },
    ],
    [
      'control characters and markup',
      { a: '\u001b[31mred\u0000', b: '<script>alert(1)</script>', c: '\u2028\u0085\ufeff', d: '\t' },
    ],
    ['hostile keys', { 'a: b': 1, '': 2, '- c': 3, '#d': 4, true: 5, '1': 6, 'e\nf': 7 }],
    ['text of several lines in lists', { a: ['one\ntwo\n', { b: 'three\nfour' }] }],
  ])('%s', (_, value) => {
    expect(load(toYaml(value))).toEqual(value);
  });
});

test('each line of YAML knows the field that it shows', () => {
  const lines = yamlLines({ spec: { containers: [{ name: 'a', args: ['x'] }] } });
  expect(lines.map((line) => [textOfLine(line), line.path])).toEqual([
    ['spec:', ['spec']],
    ['  containers:', ['spec', 'containers']],
    ['  - name: a', ['spec', 'containers', 0, 'name']],
    ['    args:', ['spec', 'containers', 0, 'args']],
    ['    - x', ['spec', 'containers', 0, 'args', 0]],
  ]);
});

test('a string of a megabyte is cut where it is shown, and whole where it is edited', () => {
  const value = { data: 'x'.repeat(1_000_000) };
  expect(yamlLines(value)[0]?.value.length).toBeLessThan(25_000);
  expect(load(toYaml(value))).toEqual(value);
});
