import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Peer } from './catalog.ts';
import { isBuilt, stampOf, stampPath } from './stamp.ts';

const suite: Peer = {
  name: 'suite.test',
  version: '1.0.0',
  recipe: { type: 'test', module: '.', package: './suite' },
  minutes: 1,
};

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-stamp-'));
  try {
    await mkdir(join(folder, 'suite'));
    await writeFile(join(folder, 'suite', 'suite_test.go'), 'package suite\n');
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a peer is built once both the program and its stamp are there', () =>
  withFolder(async (folder) => {
    const stamp = await stampOf(suite, folder);
    await writeFile(join(folder, suite.name), '');
    expect(await isBuilt(suite, { folder, stamp })).toBe(false);

    await mkdir(dirname(stampPath(suite, folder)));
    await writeFile(stampPath(suite, folder), stamp);
    expect(await isBuilt(suite, { folder, stamp })).toBe(true);
  }));

test('another version, recipe or source of ours asks for a new build', () =>
  withFolder(async (folder) => {
    const before = await stampOf(suite, folder);
    expect(await stampOf({ ...suite, version: '1.0.1' }, folder)).not.toBe(before);
    expect(await stampOf({ ...suite, variables: { a: 'b' } }, folder)).not.toBe(before);

    const program: Peer = { ...suite, recipe: { ...suite.recipe, type: 'build', module: 'suite', package: '.' } };
    const programBefore = await stampOf(program, folder);

    await writeFile(join(folder, 'suite', 'suite_test.go'), 'package suite // changed\n');
    expect(await stampOf(suite, folder)).not.toBe(before);
    expect(await stampOf(program, folder)).not.toBe(programBefore);
  }));
