import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';

const holder = globalThis as { executedMarks?: Record<string, Uint8Array> };
const begun = performance.now();

/** What the test file has executed, numbers of marks by source file, goes into its own file. */
afterAll(() => {
  const files: Record<string, number[]> = {};
  for (const [file, marks] of Object.entries(holder.executedMarks ?? {})) {
    const numbers = [...marks.keys()].filter((number) => marks[number] !== 0);
    if (numbers.length > 0) files[file] = numbers;
    marks.fill(0);
  }
  const test = relative(process.cwd(), expect.getState().testPath as string);
  const path = join(process.env['KEELSON_MARKS_FOLDER'] as string, `${test.replaceAll('/', '+')}.json`);
  writeFileSync(path, JSON.stringify({ test, durationMs: performance.now() - begun, files }));
});
