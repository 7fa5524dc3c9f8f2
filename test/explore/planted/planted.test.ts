import { explore, type FaultGroup } from 'keelson/testing';
import { expect, test } from 'vitest';
import { pairs } from './pairs.ts';

/** One mistake for each group of faults, and for what is seen without any; `npm run explore:planted` tries all with all. */
const CASES: readonly (readonly [name: string, group: FaultGroup])[] = [
  ['new password', 'crash'],
  ['counts starts', 'restart'],
  ['missing for good', 'stale'],
  ['clean-up ignored', 'error'],
  ['observed too much', 'users'],
  ['takes what it finds', 'foreign'],
  ['ready too early', 'time'],
  ['keeps old tags', 'inputs'],
];

test.each(CASES)('"%s" is found by faults of the group %s, and its correct twin is not', async (name, group) => {
  const pair = pairs.find((each) => each.name === name);
  if (pair === undefined) throw new Error(`There is no mistake "${name}"`);
  const found = await explore(pair.scenario(true), { faults: [group], maxFindings: 1 });
  expect(found.findings.map(({ oracle }) => oracle)).toHaveLength(1);
  const clean = await explore(pair.scenario(false), { faults: [group], maxPlans: 20 });
  expect(clean.findings.map(({ message, faults }) => ({ message, faults }))).toEqual([]);
});
