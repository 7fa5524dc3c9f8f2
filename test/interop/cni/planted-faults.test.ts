import { describe, expect, test } from 'vitest';
import { needsNamespaces } from '../../../src/cni/testing/needs-namespaces.ts';
import { plantedFaults } from '../../../src/conform/cni/testdata/planted-faults.ts';
import { failedIn, judged } from './planted-faults.ts';

/** Cases that take a few calls; `npm run interop:cni` runs all of them on all faults. */
const QUICK = ['version', 'add-again', 'del-again', 'error-format', 'concurrent-add'];

describe('the suite for CNI plugins', needsNamespaces, () => {
  test('finds nothing in a plugin without faults', async () => {
    const report = await judged('interface', [], { only: QUICK, concurrency: 3 });
    const outcomes = report.cases.map(({ name, outcome }) => [name, outcome.type]);
    expect(outcomes).toEqual(QUICK.map((name) => [name, 'passed']));
  });

  test.each(plantedFaults.filter(({ foundBy }) => QUICK.includes(foundBy) && foundBy !== 'concurrent-add'))(
    'finds $fault ($kind) by $foundBy',
    async ({ fault, kind, foundBy }) => {
      expect(failedIn(await judged(kind, [fault], { only: [foundBy] }))).toEqual([foundBy]);
    },
  );
});
