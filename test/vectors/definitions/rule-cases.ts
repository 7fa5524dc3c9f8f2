import { type Case, cases, type Json, rootSchema, withField, withRules, withSchema } from './base-definition.ts';

const TEXT = { type: 'string', maxLength: 10 };
const rule = (text: string, more: Json = {}): Json => [{ rule: text, ...more }];
const list = (items: Json, more: Json = {}): Json => ({ type: 'array', items, ...more });
const ruled = (schema: Json, text: string, more: Json = {}): Json => ({
  ...schema,
  'x-kubernetes-validations': rule(text, more),
});
const OBJECT = { type: 'object', properties: { a: TEXT, b: { type: 'integer' }, 'c-d': TEXT, if: TEXT } };
const KEYED = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] };
const ITEM = { type: 'object', required: ['a'], properties: { a: TEXT } };

export const ruleCases: readonly Case[] = [
  ...cases('rules', {
    plain: withRules(rule("self == 'a'", { message: 'must be a', reason: 'FieldValueForbidden' })),
    'at the root': withSchema(
      rootSchema({ a: TEXT }, { 'x-kubernetes-validations': rule("self.metadata.name == 'a'") }),
    ),
    'see no labels at the root': withSchema(
      rootSchema({ a: TEXT }, { 'x-kubernetes-validations': rule('has(self.metadata.labels)') }),
    ),
    'no rule': withRules([{ rule: '' }]),
    blanks: withRules([{ rule: ' \n' }]),
    'a message of blanks': withRules(rule('true', { message: '  ' })),
    'a message of two lines': withRules(rule('true', { message: 'a\nb' })),
    'a rule of two lines': withRules(rule('true\n&& true')),
    'a rule of two lines with a message': withRules(rule('true\n&& true', { message: 'm' })),
    'an expression of blanks for the message': withRules(rule('true', { messageExpression: ' ' })),
    'an expression for the message': withRules(rule("self == 'a'", { messageExpression: "'not ' + self" })),
    'an expression for the message that is no text': withRules(rule('true', { messageExpression: '1' })),
    'an expression for the message that is none': withRules(rule('true', { messageExpression: 'self.' })),
    'an expensive expression for the message': withRules(
      rule('true', { messageExpression: "self.all(x, self.all(y, x == y)) ? 'a' : 'b'" }),
      list({ type: 'string' }),
    ),
    'an unknown reason': withRules(rule('true', { reason: 'Because' })),
    'an unknown name': withRules(rule('selv == 1')),
    'an unknown field': withRules(rule('self.none'), OBJECT),
    'a wrong type': withRules(rule('self > 1')),
    'no boolean': withRules(rule('self')),
    'no expression': withRules(rule('self ==')),
    'several things wrong': withRules([...rule('self =='), ...rule('self'), ...rule('nope'), ...rule('true')]),
    'a field that must be escaped': withRules(rule("self.c__dash__d == 'x' && self.__if__ == 'y'"), OBJECT),
    'a field that is not escaped': withRules(rule("self.if == 'y'"), OBJECT),
    'a pattern that is none': withRules(rule("self.matches('(')")),
    'functions of the library': withRules(
      rule("self.split('.').all(x, isURL(x)) || quantity(self).isGreaterThan(quantity('1'))"),
    ),
    'html characters': withRules(rule("self < 'a' && 1")),
    'a path': withRules(rule('true', { fieldPath: '.a' }), OBJECT),
    'a path with brackets': withRules(rule('true', { fieldPath: "['c-d']" }), OBJECT),
    'a path of blanks': withRules(rule('true', { fieldPath: ' ' }), OBJECT),
    'a path of two lines': withRules(rule('true', { fieldPath: '.a\n' }), OBJECT),
    'a path that leads nowhere': withRules(rule('true', { fieldPath: '.z' }), OBJECT),
    'a path without a dot': withRules(rule('true', { fieldPath: 'a' }), OBJECT),
    'a path into a list': withRules(rule('true', { fieldPath: '[0]' }), list(TEXT, { maxItems: 2 })),
    'a path into a map': withRules(rule('true', { fieldPath: ".x['y']" }), {
      type: 'object',
      properties: { x: { type: 'object', additionalProperties: TEXT } },
    }),
    'of anything': withField(ruled({ 'x-kubernetes-preserve-unknown-fields': true }, 'true')),
    'of int or string': withField(ruled({ 'x-kubernetes-int-or-string': true }, 'type(self) == int')),
    'of an embedded object': withField(
      ruled(
        { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        "self.kind == 'Pod' && self.metadata.name != ''",
      ),
    ),
    'beside a schema error': withField({ ...ruled(TEXT, 'nope'), uniqueItems: true }),
    'beside a schema error elsewhere': withSchema(
      rootSchema({ a: ruled(TEXT, 'nope'), b: { type: 'array', items: TEXT, uniqueItems: true } }),
    ),
    'beside a schema that is not structural': withSchema(rootSchema({ a: ruled(TEXT, 'nope'), b: {} })),
    'compare with before': withRules(rule('self == oldSelf')),
    'compare with before, optionally': withRules(
      rule('oldSelf.hasValue() ? self == oldSelf.value() : true', { optionalOldSelf: true }),
    ),
    'compare with before, optionally, but as if not': withRules(rule('self == oldSelf', { optionalOldSelf: true })),
    'optional, but without comparison': withRules(rule('true', { optionalOldSelf: true })),
    'explicitly not optional, without comparison': withRules(rule('true', { optionalOldSelf: false })),
    'compare in a list': withField(list(ruled(TEXT, 'self == oldSelf'), { maxItems: 2 })),
    'compare in a set': withField(
      list(ruled(TEXT, 'self == oldSelf'), { maxItems: 2, 'x-kubernetes-list-type': 'set' }),
    ),
    'compare in a list with keys': withField(list(ruled(ITEM, 'self == oldSelf'), { maxItems: 2, ...KEYED })),
    'compare in an atomic object': withField({
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: ruled(TEXT, 'self == oldSelf') },
    }),
    'compare in a map': withField({
      type: 'object',
      maxProperties: 3,
      additionalProperties: ruled(TEXT, 'self == oldSelf'),
    }),
    'compare in a list inside a list': withField(
      list(list(ruled(TEXT, 'self == oldSelf'), { maxItems: 2 }), { maxItems: 2 }),
    ),
    'in metadata': withSchema({
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: ruled({ type: 'string' }, "self != 'a'") } } },
    }),
    'the same twice': withRules([...rule('true'), ...rule('true')]),
    'with old functions only': withRules(
      rule("self.lowerAscii() == 'a' && ip.isCanonical('::1') && semver('1.0.0') != null"),
    ),
  }),
  ...cases('costs', {
    'a list of lists': withField(ruled(list(list({ type: 'string' })), 'self.all(x, x.all(y, y != x[0]))')),
    'a list of lists of lists': withField(
      ruled(list(list(list({ type: 'string' }))), 'self.all(x, x.all(y, y.all(z, z == y[0])))'),
    ),
    'bounded lists': withField(
      ruled(
        list(list({ type: 'string', maxLength: 5 }, { maxItems: 10 }), { maxItems: 10 }),
        'self.all(x, x.all(y, y != x[0]))',
      ),
    ),
    'a text without a bound': withField(ruled({ type: 'string' }, "self.matches('^a+$')")),
    'a text without a bound in a list': withField(list(ruled({ type: 'string' }, "self.contains('a')"))),
    'a text with a bound in a list': withField(list(ruled(TEXT, "self.contains('a')"))),
    'a text with a bound in a bounded list': withField(list(ruled(TEXT, "self.contains('a')"), { maxItems: 100 })),
    'just above the budget': withField(list(ruled(TEXT, "self == 'abcdefghij' || self == 'x'"), { maxItems: 2500000 })),
    'a little above the budget': withField(list(ruled(TEXT, "self == 'a'"), { maxItems: 4000000 })),
    'tens of times the budget': withField(list(ruled(TEXT, "self.matches('[a-z]+')"), { maxItems: 50000000 })),
    'in a map without a bound': withField({
      type: 'object',
      additionalProperties: ruled({ type: 'string' }, "self.find('a') == ''"),
    }),
    'in a map in a list': withField(
      list(
        { type: 'object', additionalProperties: ruled({ type: 'integer' }, 'self > 1'), maxProperties: 100 },
        { maxItems: 100 },
      ),
    ),
    'many rules that are too much together': withField(
      list(
        {
          ...TEXT,
          'x-kubernetes-validations': Array.from({ length: 20 }, (_, index) => ({ rule: `self != 'x${index}'` })),
        },
        { maxItems: 2000000 },
      ),
    ),
    'rules of different cost that are too much together': withSchema(
      rootSchema(
        Object.fromEntries(
          [9, 8, 7, 6, 5, 4, 3, 2, 1, 9, 8, 7, 6, 9, 9, 9, 9, 9].map((factor, index) => [
            `f${index}`,
            list(ruled({ type: 'integer' }, 'self > 1'), { maxItems: factor * 500000 + index }),
          ]),
        ),
      ),
    ),
    'a negative bound': withField(list(ruled({ type: 'string' }, "self.contains('a')"), { maxItems: -1 })),
    'a comparison of whole objects': withField(
      ruled(
        { type: 'object', properties: { a: list({ type: 'string' }), b: list({ type: 'string' }) } },
        'self.a == self.b',
      ),
    ),
    'a sort': withField(ruled(list({ type: 'integer' }), 'self.isSorted() && self.sum() > 1')),
    'a sum with a bound': withField(ruled(list({ type: 'integer' }, { maxItems: 100 }), 'self.sum() > 1')),
  }),
];
