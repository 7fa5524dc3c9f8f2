import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RealClock } from '../../base/index.ts';
import { TypeErrors } from './type-errors.ts';

/** Lines as they are printed, one at a time. */
class Lines {
  readonly #lines: string[] = [];
  #wake: () => void = () => undefined;

  readonly print = (line: string): void => {
    this.#lines.push(line);
    this.#wake();
  };

  async next(): Promise<string> {
    while (this.#lines.length === 0) await new Promise<void>((resolve) => void (this.#wake = resolve));
    return this.#lines.shift() ?? '';
  }
}

const typescript = join(import.meta.dirname, '..', '..', '..', 'node_modules', 'typescript');

test('type errors are reported at the start and after each change, those of tests are not, and their end is reported once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'types-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await mkdir(join(folder, 'node_modules'));
  await symlink(typescript, join(folder, 'node_modules', 'typescript'));
  await write('package.json', '{ "type": "module" }');
  await write('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["*.ts"] }');
  await write('main.test.ts', 'export const a: number = "of a test";\n');
  await write('main.ts', 'export const a = 1;\nexport const b: { c: number } = { c: "2" };\n');

  const lines = new Lines();
  using _errors = new TypeErrors(folder, {
    clock: new RealClock(),
    node: process.execPath,
    cache: folder,
    print: lines.print,
  });
  expect(await lines.next()).toBe(
    "type error in main.ts:2:35: Type 'string' is not assignable to type 'number'. (TS2322)",
  );
  await write('main.ts', 'export const a = 1;\n');
  expect(await lines.next()).toBe('no more type errors');
  await write('main.ts', 'export const a: string = 1;\n');
  expect(await lines.next()).toBe(
    "type error in main.ts:1:14: Type 'number' is not assignable to type 'string'. (TS2322)",
  );
});

test('a project without a compiler or without settings is not checked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'types-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'main.ts'), 'export const a: number = "1";\n');
  const print = (line: string): void => expect.fail(line);
  using _errors = new TypeErrors(folder, { clock: new RealClock(), node: '/does/not/exist', cache: folder, print });
});
