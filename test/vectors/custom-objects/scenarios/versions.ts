import { ABSENT, type Scenario } from '../scenario.ts';

const text = { type: 'string', maxLength: 100 } as const;
const whole = { type: 'integer' } as const;

export const versions: readonly Scenario[] = [
  {
    name: 'versions',
    schema: {
      type: 'object',
      properties: { a: { ...text, default: 'one' }, both: whole, only1: text, late: { ...text, default: 'late1' } },
    },
    second: {
      type: 'object',
      properties: {
        a: { ...text, default: 'two' },
        both: { ...whole, maximum: 10, 'x-kubernetes-validations': [{ rule: 'self != 7' }] },
        only2: text,
        extra: { ...text, default: 'extra2' },
      },
    },
    steps: [
      { create: { both: 1, only1: 'x' } },
      { get: true, version: 'v2' },
      { create: { both: 1, only2: 'y' }, version: 'v2' },
      { get: true },
      { get: true, version: 'v2' },
      { create: ABSENT, version: 'v2' },
      { create: { both: 20, only1: 'x' }, version: 'v2' },
      { create: { both: 20, only1: 'x', a: 'mine' } },
      { update: { both: 20, a: 'still' }, version: 'v2' },
      { get: true },
      { update: { both: 7, a: 'still' }, version: 'v2' },
      { update: { both: 7, only1: 'z' } },
      { patch: { spec: { a: 'p' } }, version: 'v2' },
      { patch: { spec: { both: 8, only2: 'p' } }, version: 'v2' },
      { patch: { spec: { a: null } }, version: 'v2' },
      { get: true },
    ],
  },
];
