import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FIDELITY_PAGE, fidelityPage } from './fidelity-page.ts';

test('docs/reference/fidelity.md says what the runs have found', async () => {
  expect(await readFile(FIDELITY_PAGE, 'utf8')).toBe(await fidelityPage());
});
