import type { StructuralSchema } from '../../../../src/api/index.ts';
import { ABSENT, type Rule, type Scenario } from '../scenario.ts';

const whole = { type: 'integer' } as const;
const text = { type: 'string', maxLength: 100 } as const;

function ruled(schema: StructuralSchema, ...rules: readonly Rule[]): StructuralSchema {
  return { ...schema, 'x-kubernetes-validations': [...rules] };
}

const immutable: Rule = { rule: 'self == oldSelf', message: 'is immutable' };
const growing: Rule = { rule: 'self >= oldSelf' };

export const transitions: readonly Scenario[] = [
  {
    name: 'transitions of fields',
    schema: ruled(
      {
        type: 'object',
        properties: {
          fixed: ruled(text, immutable),
          up: ruled(whole, growing),
          o: ruled(
            { type: 'object', properties: { a: text, b: text } },
            { rule: 'self.a == oldSelf.a || self.b == oldSelf.b' },
          ),
          l: ruled(
            { type: 'array', maxItems: 10, items: whole },
            { rule: 'oldSelf.all(x, x in self)', message: 'nothing may be removed' },
          ),
          m: { type: 'object', maxProperties: 10, additionalProperties: ruled(text, immutable) },
          atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: ruled(text, immutable) } },
        },
      },
      { rule: 'has(self.fixed) || !has(oldSelf.fixed)', message: 'fixed cannot be removed' },
    ),
    steps: [
      { create: { fixed: 'a', up: 1, o: { a: '1', b: '2' }, l: [1, 2], m: { k: 'v' }, atomic: { a: 'x' } } },
      { update: { fixed: 'b', up: 1 } },
      { update: { fixed: 'a', up: 0 } },
      { update: { up: 5 } },
      { update: { fixed: 'a', up: 2, o: { a: '1', b: '3' }, l: [1, 2, 3], m: { k: 'v', j: 'w' }, atomic: { a: 'x' } } },
      {
        update: {
          fixed: 'a',
          up: 2,
          o: { a: '9', b: '9' },
          l: [3],
          m: { k: 'other', j: 'w', new: 'x' },
          atomic: { a: 'y' },
        },
      },
      { patch: { spec: { up: 1 } } },
      { patch: { spec: { o: { a: null, b: null } } } },
      { create: {} },
      { update: { fixed: 'first', up: -5 } },
      { update: { fixed: 'second', up: -5 } },
      { update: ABSENT },
    ],
  },
  {
    name: 'transitions in lists',
    schema: {
      type: 'object',
      properties: {
        keyed: {
          type: 'array',
          maxItems: 10,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: ruled(
            {
              type: 'object',
              required: ['name'],
              properties: { name: text, size: ruled(whole, growing), note: text },
            },
            { rule: '!has(oldSelf.note) || has(self.note)', message: 'note cannot be removed' },
          ),
        },
        twice: {
          type: 'array',
          maxItems: 10,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'port'],
          items: {
            type: 'object',
            required: ['name', 'port'],
            properties: { name: text, port: whole, size: ruled(whole, growing) },
          },
        },
      },
    },
    steps: [
      {
        create: {
          keyed: [
            { name: 'a', size: 5, note: 'x' },
            { name: 'b', size: 1 },
          ],
          twice: [
            { name: 'a', port: 1, size: 5 },
            { name: 'a', port: 2, size: 1 },
          ],
        },
      },
      {
        update: {
          keyed: [
            { name: 'b', size: 1 },
            { name: 'a', size: 5, note: 'y' },
          ],
          twice: [{ name: 'a', port: 2, size: 1 }],
        },
      },
      {
        update: {
          keyed: [
            { name: 'b', size: 0 },
            { name: 'a', size: 4 },
          ],
        },
      },
      { update: { keyed: [{ name: 'c', size: 0 }] } },
      {
        update: {
          twice: [
            { name: 'a', port: 2, size: 3 },
            { name: 'b', port: 1, size: 0 },
          ],
        },
      },
      {
        update: {
          twice: [
            { name: 'a', port: 2, size: 2 },
            { name: 'b', port: 1, size: -1 },
          ],
        },
      },
    ],
  },
  {
    name: 'optional old values',
    schema: ruled(
      {
        type: 'object',
        properties: {
          a: ruled(whole, {
            rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self == 0',
            optionalOldSelf: true,
            message: 'starts at zero and grows',
          }),
          b: ruled(text, { rule: 'self == oldSelf.orValue(self)', optionalOldSelf: true }),
          c: ruled(text, { rule: "self != 'never' || oldSelf.hasValue()", optionalOldSelf: true }),
          l: {
            type: 'array',
            maxItems: 5,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: ruled(
              { type: 'object', required: ['name'], properties: { name: text, n: whole } },
              {
                rule: 'oldSelf.hasValue() || self.n == 1',
                optionalOldSelf: true,
                messageExpression: "oldSelf.hasValue() ? 'old' : 'new ' + self.name",
              },
            ),
          },
        },
      },
      {
        rule: 'oldSelf.optMap(o, has(o.a)).orValue(true) || !has(self.a)',
        optionalOldSelf: true,
        message: 'a cannot be added',
      },
    ),
    steps: [
      { create: { a: 1 } },
      { create: { a: 0, b: 'x' } },
      { update: { a: 1, b: 'x' } },
      { update: { a: 0, b: 'y' } },
      { update: { c: 'never' } },
      { update: { l: [{ name: 'x', n: 2 }] } },
      { update: { l: [{ name: 'x', n: 1 }] } },
      {
        update: {
          l: [
            { name: 'x', n: 5 },
            { name: 'y', n: 5 },
          ],
        },
      },
      { create: {} },
      { update: { a: 0 } },
    ],
  },
];
