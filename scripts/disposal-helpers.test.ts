import { build } from 'esbuild';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

interface DisposalHelpers {
  withSmallDisposal(text: string): string;
}

const file = pathToFileURL(join(import.meta.dirname, 'disposal-helpers.mjs')).href;
const { withSmallDisposal } = (await import(file)) as DisposalHelpers;

const SOURCE = `
export function tell(told, fails) {
  using _first = { [Symbol.dispose]: () => { told.push('first'); if (fails) throw new Error('first'); } };
  using _none = undefined;
  using _second = { [Symbol.dispose]: () => told.push('second') };
  if (fails) throw new Error('work');
  return 'done';
}
export async function tellLater(told) {
  await using _none = null;
  await using _plain = { [Symbol.dispose]: () => told.push('plain') };
  await using _slow = { async [Symbol.asyncDispose]() { await undefined; told.push('slow'); throw new Error('slow'); } };
  told.push('work');
}
export function misuse() { using _wrong = {}; }
`;

interface Compiled {
  tell(told: string[], fails: boolean): string;
  tellLater(told: string[]): Promise<void>;
  misuse(): void;
}

async function compiled(): Promise<{ readonly text: string; readonly module: Compiled }> {
  const { outputFiles } = await build({
    stdin: { contents: SOURCE },
    bundle: true,
    format: 'esm',
    target: 'node20',
    write: false,
  });
  const text = withSmallDisposal(outputFiles[0]?.text ?? '');
  return { text, module: (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Compiled };
}

test('what was compiled for `using` is replaced everywhere', async () => {
  const { text } = await compiled();

  expect(text).toContain('_stack.e = [');
  expect(text).not.toMatch(/_hasError|hasError/);
});

test('resources are disposed of in reverse, and errors are not lost', async () => {
  const { tell, tellLater, misuse } = (await compiled()).module;
  const told: string[] = [];

  expect(tell(told, false)).toBe('done');
  expect(() => tell(told, true)).toThrow(
    expect.objectContaining({
      name: 'SuppressedError',
      error: expect.objectContaining({ message: 'first' }),
      suppressed: expect.objectContaining({ message: 'work' }),
    }),
  );
  await expect(tellLater(told)).rejects.toThrow(/^slow$/);
  expect(told).toEqual(['second', 'first', 'second', 'first', 'work', 'slow', 'plain']);
  expect(misuse).toThrow('Object not disposable');
});
