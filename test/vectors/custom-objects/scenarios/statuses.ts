import { ABSENT, type Scenario } from '../scenario.ts';

const text = { type: 'string', maxLength: 100 } as const;
const whole = { type: 'integer' } as const;

export const statuses: readonly Scenario[] = [
  {
    name: 'status',
    status: {
      type: 'object',
      required: ['phase'],
      properties: {
        phase: { ...text, enum: ['New', 'Done'], default: 'New' },
        count: {
          ...whole,
          minimum: 0,
          'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'counts up' }],
        },
        set: { type: 'array', maxItems: 5, items: text, 'x-kubernetes-list-type': 'set' },
        kind: text,
      },
      anyOf: [{ required: ['phase'] }, { required: ['count'] }],
    },
    schema: {
      type: 'object',
      properties: { a: text, n: { ...whole, 'x-kubernetes-validations': [{ rule: 'self < 5' }] } },
    },
    steps: [
      { create: { a: 'x' } },
      { status: { phase: 'Done', count: 3 } },
      { status: { phase: 'Other' } },
      { status: { count: -1 } },
      { status: { count: 1 } },
      { status: { count: 'x', odd: 1 } },
      { status: { count: 4, odd: 1 }, fieldValidation: 'Strict' },
      { status: { count: 4, odd: 1 } },
      { status: { set: ['a', 'a'] } },
      { status: 'x' },
      { status: null },
      { status: {} },
      { status: ABSENT },
      { update: { a: 'y', n: 7 } },
      { update: { a: 'y', n: 3 } },
      { patch: { status: { count: 99 } } },
      { get: true },
    ],
  },
  {
    name: 'ratcheted status',
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    steps: [
      { create: { n: 50, l: ['a', 'a'] } },
      { status: { phase: 'Bad', count: 1, o: { x: 'bad' } } },
      {
        redefine: {
          type: 'object',
          properties: {
            n: { ...whole, maximum: 5, 'x-kubernetes-validations': [{ rule: 'self < 5' }] },
            l: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
          },
        },
      },
      { status: { phase: 'Bad', count: 2 } },
      { patch: { spec: { x: 1 } } },
    ],
  },
  {
    name: 'rules between spec and status',
    isWhole: true,
    status: { type: 'object', properties: { used: whole } },
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: whole } } },
      'x-kubernetes-validations': [
        { rule: '!has(self.status) || self.status.used <= self.spec.size', message: 'too much' },
      ],
    },
    steps: [
      { create: { spec: { size: 5 }, status: { used: 9 } } },
      { status: { used: 9 } },
      { status: { used: 4 } },
      { update: { spec: { size: 3 } } },
      { patch: { spec: { size: 3 } } },
    ],
  },
  {
    name: 'status with a default as a whole',
    status: {
      type: 'object',
      default: { phase: 'Waiting', list: [{ name: 'a' }] },
      properties: {
        phase: text,
        list: { type: 'array', items: { type: 'object', properties: { name: text, n: { ...whole, default: 1 } } } },
      },
    },
    schema: { type: 'object', properties: { a: text } },
    steps: [
      { create: { a: 'x' } },
      { get: true },
      { update: { a: 'y' } },
      { status: ABSENT },
      { get: true },
      { status: { phase: 'Done' } },
      { patch: { status: null } },
      { get: true },
    ],
  },
  {
    name: 'whole objects with a default of the status',
    isWhole: true,
    status: { type: 'object', default: { used: 1 }, properties: { used: whole } },
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: whole } } },
      'x-kubernetes-validations': [
        { rule: '!has(self.status) || self.status.used < 1 || self.spec.size > 1', message: 'too much' },
      ],
    },
    steps: [
      { create: { spec: { size: 1 } } },
      { get: true },
      { create: { spec: { size: 5 }, status: { used: 'text' } } },
      { patch: { spec: { size: 1 } } },
      { status: { used: 0 } },
    ],
  },
];
