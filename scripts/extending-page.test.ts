import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../src/cli/program.ts';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs', 'extending.md');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Row {
  readonly point: string;
  readonly what: string;
  readonly cells: readonly string[];
}

const rows: readonly Row[] = readFileSync(page, 'utf8')
  .split('\n## ')
  .slice(1)
  .flatMap((section) =>
    section
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| what |'))
      .map((line) => {
        const cells = line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim());
        return { point: section.split('\n')[0] ?? '', what: cells[0] ?? '', cells };
      }),
  );

const linksIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
const codeIn = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

async function helpOf(command: string): Promise<string> {
  let out = '';
  const stream = { write: (text: string): unknown => (out += text) };
  await runProgram([command, '--help-all'], { env: {}, stdout: stream, stderr: stream, once: () => undefined });
  return out;
}

test('the page has the seven points, each with a row', () => {
  expect([...new Set(rows.map(({ point }) => point[0]))]).toEqual(['1', '2', '3', '4', '5', '6', '7']);
});

describe.each(rows)('$point: $what', ({ cells }) => {
  const [, when = '', host = '', kit = '', example = '', others = ''] = cells;

  test('says all six things', () => {
    expect(cells).toHaveLength(6);
    expect([when, host, kit, example, others].filter((cell) => cell === '')).toEqual([]);
  });

  test('has flags that there are', async () => {
    const flags = codeIn(host).filter((code) => code.startsWith('--'));
    const known = flags.length === 0 ? '' : read('docs/reference/flags.md') + (await helpOf('up'));
    expect(flags.filter((flag) => !new RegExp(`${flag}(?![\\w-])`).test(known))).toEqual([]);
  });

  test('has functions that are published, and explained in a guide', () => {
    const published = read('docs/reference/public-names.md');
    expect(codeIn(kit).filter((name) => !published.includes(`| \`${name}\` |`))).toEqual([]);
    for (const [index, link] of linksIn(kit).entries())
      expect(readFileSync(resolve(dirname(page), link), 'utf8')).toContain(codeIn(kit)[index]?.split('(')[0] ?? '');
  });

  test('has examples with tests', () => {
    for (const link of linksIn(example)) {
      const folder = dirname(resolve(dirname(page), link));
      expect(
        readdirSync(folder).filter((file) => file.endsWith('.test.ts')),
        folder,
      ).not.toEqual([]);
    }
    expect(linksIn(example)).not.toEqual([]);
  });

  test('says what of other people ran on it', () => {
    expect(linksIn(others)).not.toEqual([]);
    expect(linksIn(others).filter((link) => !existsSync(resolve(dirname(page), link)))).toEqual([]);
  });
});
