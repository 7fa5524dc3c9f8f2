import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RealClock } from '../../base/index.ts';
import { isSource, SourceFiles } from './source-files.ts';

test.each([
  ['main.ts', true],
  ['a.mjs', true],
  ['package.json', true],
  ['a.test.ts', false],
  ['.main.ts.17.mjs', false],
  ['README.md', false],
])('a change of %s matters: %s', (name, matters) => {
  expect(isSource(name)).toBe(matters);
});

test('reports changes in a folder and in folders created later, but not in packages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-sources-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'node_modules'));
  let tell = (_: string): void => undefined;
  const next = (): Promise<string> => new Promise((resolve) => (tell = resolve));
  using _sources = new SourceFiles(folder, { clock: new RealClock(), onChange: (file) => tell(file) });

  const first = next();
  await writeFile(join(folder, 'node_modules', 'a.js'), '');
  await writeFile(join(folder, 'main.ts'), '');
  expect(await first).toBe(join(folder, 'main.ts'));

  const second = next();
  await mkdir(join(folder, 'lib'));
  const written = async (): Promise<string> => {
    await writeFile(join(folder, 'lib', 'b.ts'), ''); // until the new folder is watched
    return Promise.race([second, Promise.resolve('')]);
  };
  await expect.poll(written).toBe(join(folder, 'lib', 'b.ts'));
});
