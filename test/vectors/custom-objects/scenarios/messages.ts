import type { StructuralSchema } from '../../../../src/api/index.ts';
import type { Rule, Scenario } from '../scenario.ts';

const whole = { type: 'integer' } as const;
const text = { type: 'string', maxLength: 10_000 } as const;

function ruled(schema: StructuralSchema, ...rules: readonly Rule[]): StructuralSchema {
  return { ...schema, 'x-kubernetes-validations': [...rules] };
}

/** Rules that do not hold, each with another way to say it. */
const failing: Readonly<Record<string, Rule>> = {
  plain: { rule: "self == 'ok'" },
  message: { rule: "self == 'ok'", message: ' must be ok ' },
  lines: { rule: "self == 'ok' &&\n self != 'no'", message: 'has lines' },
  expression: { rule: "self == 'ok'", messageExpression: "'is ' + self" },
  both: { rule: "self == 'ok'", message: 'not this', messageExpression: "'but ' + self" },
  fails: { rule: "self == 'ok'", message: 'instead', messageExpression: "{'a': 'b'}[self]" },
  failsBare: { rule: "self == 'ok'", messageExpression: "{'a': 'b'}[self]" },
  blank: { rule: "self == 'ok'", message: 'instead', messageExpression: "self == 'x' ? '' : '  '" },
  broken: { rule: "self == 'ok'", message: 'instead', messageExpression: "self + '\\n' + self" },
  trimmed: { rule: "self == 'ok'", messageExpression: "'  ' + self + ' \\n'" },
  forbidden: { rule: "self == 'ok'", message: 'no', reason: 'FieldValueForbidden' },
  required: { rule: "self == 'ok'", message: 'no', reason: 'FieldValueRequired' },
  duplicate: { rule: "self == 'ok'", message: 'no', reason: 'FieldValueDuplicate' },
  invalid: { rule: "self == 'ok'", message: 'no', reason: 'FieldValueInvalid' },
  forbiddenBare: { rule: "self == 'ok'", reason: 'FieldValueForbidden' },
};

export const messages: readonly Scenario[] = [
  {
    name: 'messages',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(failing).map(([name, rule]) => [name, ruled({ type: 'string', maxLength: 30 }, rule)]),
      ),
    },
    steps: [
      ...Object.keys(failing).map((name) => ({ create: { [name]: 'bad' } })),
      { create: Object.fromEntries(Object.keys(failing).map((name) => [name, 'worse'])) },
      { create: Object.fromEntries(Object.keys(failing).map((name) => [name, 'ok'])) },
    ],
  },
  {
    name: 'messages about objects',
    schema: {
      type: 'object',
      properties: {
        o: ruled(
          { type: 'object', properties: { a: whole } },
          { rule: 'self.a < 0' },
          { rule: 'self.a < 0', reason: 'FieldValueDuplicate' },
          {
            rule: 'self.a < 0',
            message: 'm',
            reason: 'FieldValueRequired',
          },
        ),
        l: ruled(
          { type: 'array', maxItems: 5, items: whole },
          { rule: 'size(self) == 0', message: 'empty' },
          {
            rule: 'size(self) == 0',
            messageExpression: "size(self) == 2 ? 'has two' : 'has others'",
            reason: 'FieldValueDuplicate',
          },
        ),
        s: ruled(text, { rule: "self == ''", messageExpression: "'got \"' + self + '\"'" }),
        e: ruled({ 'x-kubernetes-int-or-string': true, maxLength: 9 }, { rule: 'self == 1' }),
        any: ruled(
          { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: whole } },
          { rule: 'self.a == 1' },
        ),
      },
    },
    steps: [
      { create: { o: { a: 1 } } },
      { create: { l: [1, 2] } },
      { create: { s: 'x y "z" ä \u0001' } },
      { create: { s: 'x'.repeat(9000) } },
      { create: { e: 'x' } },
      { create: { e: 5 } },
      { create: { any: { a: 2, b: { c: 1 } } } },
    ],
  },
  {
    name: 'paths',
    schema: ruled(
      {
        type: 'object',
        properties: {
          a: whole,
          o: { type: 'object', properties: { x: { type: 'object', properties: { y: whole } }, 'a.b': whole } },
          m: { type: 'object', maxProperties: 5, additionalProperties: whole },
          l: {
            type: 'array',
            maxItems: 5,
            items: ruled({ type: 'object', properties: { p: whole } }, { rule: 'self.p < 0', fieldPath: '.p' }),
          },
        },
      },
      { rule: 'self.a < 0', fieldPath: '.a' },
      { rule: 'self.a < 0', fieldPath: '.o.x.y', message: 'deep', reason: 'FieldValueForbidden' },
      { rule: 'self.a < 0', fieldPath: ".o['a.b']", message: 'dotted' },
      { rule: 'self.a < 0', fieldPath: ".m['k']", message: 'key' },
      { rule: 'self.a < 0', fieldPath: '.m.k', message: 'dot key' },
      { rule: 'self.a < 0', fieldPath: ".m['it\\'s']", message: 'quoted key' },
      { rule: 'self.a < 0', fieldPath: '.l', message: 'list', reason: 'FieldValueDuplicate' },
    ),
    steps: [{ create: { a: 1 } }, { create: { a: -1, l: [{ p: -1 }, { p: 1 }] } }],
  },
  {
    name: 'costly messages',
    schema: {
      type: 'object',
      properties: {
        l: ruled(
          { type: 'array', maxItems: 400, items: whole },
          {
            rule: 'size(self) < 3',
            messageExpression: "self.all(x, self.all(y, x != y || x == y)) ? 'yes' : 'no'",
          },
        ),
        after: ruled(whole, { rule: 'self > 0' }),
      },
    },
    steps: [{ create: { l: [1, 2, 3] } }, { create: { l: Array.from({ length: 400 }, (_, index) => index) } }],
  },
];
