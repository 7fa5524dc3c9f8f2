import { expect, test } from 'vitest';
import { differencesOf, differenceWords, STABLE } from './compare-states.ts';

function stateOf(status: object): Parameters<typeof differencesOf>[0] {
  const object = { id: 'Deployment default/web', kind: 'Deployment', uid: '1', isTerminating: false };
  return { objects: [{ ...object, value: { status } }] };
}

const available = { type: 'Available', status: 'True' };
const progressing = { type: 'Progressing', status: 'True' };

test('conditions are compared by their types, whichever of them came first', () => {
  const expected = stateOf({ conditions: [available, progressing] });

  expect(differencesOf(expected, stateOf({ conditions: [progressing, available] }), STABLE)).toEqual([]);
  const failing = stateOf({ conditions: [{ ...progressing, status: 'False' }, available] });
  expect(differencesOf(expected, failing, STABLE).map((difference) => differenceWords(difference))).toEqual([
    'Deployment default/web has status.conditions.[].status "False" instead of "True"',
  ]);
});

test('other lists are compared in their order', () => {
  const [first, second] = [{ type: 'a' }, { type: 'b' }];

  expect(differencesOf(stateOf({ ports: [first, second] }), stateOf({ ports: [second, first] }), STABLE)).toHaveLength(
    2,
  );
});
