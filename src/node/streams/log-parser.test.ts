import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { LogParser } from './log-parser.ts';

const HEAD = '2026-01-01T00:00:00.5Z stdout';

function parse(text: string, pieceBytes: number): readonly string[] {
  const parser = new LogParser();
  const bytes = Buffer.from(text, 'latin1');
  const lines: string[] = [];
  let line = '';
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const { content, isLineEnd, stream } of parser.parse(bytes.subarray(at, at + pieceBytes))) {
      line += Buffer.from(content).toString('latin1');
      if (!isLineEnd) continue;
      lines.push(`${stream} ${line}`);
      line = '';
    }
  }
  return line === '' ? lines : [...lines, `unfinished ${line}`];
}

test.each([1, 7, 30, 4096])('a log reads the same in pieces of %i bytes', (pieceBytes) => {
  const text = [
    `${HEAD} F one\n`,
    'nonsense\n',
    `${HEAD} F \n`,
    `${HEAD} P:x pa\n${HEAD} P rt\n${HEAD} F s\n`,
    `2026-01-01T00:00:00+02:00 stderr F two words \xff\x00\n`,
    '2026-01-01 stdout F wrong time\n',
    `${HEAD.replace('stdout', 'stdin')} F wrong stream\n`,
    `${'x'.repeat(1000)} stdout F no head\n`,
    `${HEAD} F the end`,
  ].join('');
  expect(parse(text, pieceBytes)).toEqual([
    'stdout one',
    'stdout ',
    'stdout parts',
    'stderr two words \xff\x00',
    'unfinished the end',
  ]);
});

test('times have nine digits after the point, in the zone in which they were written', () => {
  const times = ['00.5Z', '00.123456789Z', '00Z', '00.12+02:00'];
  const text = times.map((time) => `2026-01-01T00:00:${time} stdout F x\n`).join('');
  const entries = [...new LogParser().parse(Buffer.from(text))];
  expect(entries.map(({ time }) => time.slice(17))).toEqual([
    '00.500000000Z',
    '00.123456789Z',
    '00.000000000Z',
    '00.120000000+02:00',
  ]);
});

test('a line without an end is passed on as it comes', () => {
  const parser = new LogParser();
  const piece = Buffer.alloc(64 * 1024, 'x');
  expect([...parser.parse(Buffer.from(`${HEAD} F `))]).toEqual([]);
  let bytes = 0;
  for (let count = 0; count < 1000; count++) {
    const entries = [...parser.parse(piece)];
    expect(entries.map(({ isLineEnd }) => isLineEnd)).toEqual([false]);
    bytes += entries[0]?.content.length ?? 0;
  }
  expect(bytes).toBe(1000 * piece.length);
  expect([...parser.parse(Buffer.from('\n'))].map(({ content, isLineEnd }) => [content.length, isLineEnd])).toEqual([
    [0, true],
  ]);
});
