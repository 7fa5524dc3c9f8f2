import { expect, test } from 'vitest';
import type { NodeSelectorTerm } from '../types/core/v1.d.ts';
import { compileTerm } from './node-selector.ts';

const node = { metadata: { name: 'n1', labels: { zone: 'a', cores: '8', big: '99999999999999999999' } } };

test.each<[why: string, term: NodeSelectorTerm, isMeant: boolean]>([
  ['a label with one of the values', { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }, true],
  [
    'a label that is not there is not in a list',
    { matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['a'] }] },
    true,
  ],
  ['a larger number', { matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['4'] }] }, true],
  [
    'numbers beyond 64 bits are no numbers',
    { matchExpressions: [{ key: 'big', operator: 'Gt', values: ['4'] }] },
    false,
  ],
  ['the name of the node', { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }, true],
  [
    'two names at once are nonsense',
    { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1', 'n2'] }] },
    false,
  ],
  ['fields know In and NotIn only', { matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }, false],
  ['a term without requirements', {}, false],
])('%s', (_, term, isMeant) => {
  expect(compileTerm(term)?.(node) ?? false).toBe(isMeant);
});
