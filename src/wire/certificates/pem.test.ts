import { expect, test } from 'vitest';
import { pemBlocks } from './pem.ts';

const types = (text: string): readonly string[] => pemBlocks(text).map(({ type, bytes }) => `${type} ${bytes}`);
const block = (type: string, body: string): string => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;

test('blocks are found between other lines, in order', () => {
  expect(types(`first\n${block('A', 'aGVs\nbG8=')}between\n${block('B', 'eA==')}`)).toEqual(['A hello', 'B x']);
});

test('a block without content is one, and so is one without a last line break', () => {
  expect(types('-----BEGIN A-----\n-----END A-----')).toEqual(['A ']);
});

test('a block says whether it has headers', () => {
  expect(pemBlocks(block('A', 'Key: value\n\naGVsbG8='))).toEqual([
    { type: 'A', hasHeaders: true, bytes: Buffer.from('hello') },
  ]);
});

test.each([
  ['inside a line', ` ${block('A', 'eA==')}`],
  ['with another end', '-----BEGIN A-----\neA==\n-----END B-----\n'],
  ['with text behind its end', '-----BEGIN A-----\neA==\n-----END A-----x\n'],
  ['that is not base64', block('A', '!')],
  ['without an end', '-----BEGIN A-----\neA==\n'],
  ['with a title that is cut', '-----BEGIN A\neA==\n-----END A-----\n'],
])('a block %s is passed over', (_, text) => {
  expect(types(`${text}${block('B', 'eA==')}`)).toEqual(['B x']);
});
