import { expect, test } from 'vitest';
import { markAt, marksOf, withMarksNoted } from './marks.ts';

const SOURCE = 'const a = 1; function f(b) { if (b) return a; return [1].map((c) => ({ c })); }';

test('statements in functions and what arrow functions return are noted as they are executed', () => {
  expect(withMarksNoted(SOURCE, 'a.ts')).toBe(
    'const __marks=((globalThis.executedMarks??={})["a.ts"]??=new Uint8Array(3));' +
      'const a = 1; function f(b) { __marks[0]=1;if (b) return a; __marks[1]=1;return [1].map((c) => ((__marks[2]=1,{ c }))); }',
  );
});

test('a place belongs to the innermost mark around it, and none has what runs at loading', () => {
  const at = (text: string): number | undefined => markAt(marksOf(SOURCE), SOURCE.indexOf(text));
  expect([at('a = 1'), at('return a'), at('[1]'), at('c })')]).toEqual([undefined, 0, 1, 2]);
});
