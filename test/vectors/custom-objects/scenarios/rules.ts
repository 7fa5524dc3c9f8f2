import type { StructuralSchema } from '../../../../src/api/index.ts';
import type { Scenario } from '../scenario.ts';

const text = { type: 'string', maxLength: 100 } as const;
const whole = { type: 'integer' } as const;

function ruled(schema: StructuralSchema, ...rules: readonly string[]): StructuralSchema {
  return { ...schema, 'x-kubernetes-validations': rules.map((rule) => ({ rule })) };
}

export const rules: readonly Scenario[] = [
  {
    name: 'rules of scalars',
    schema: {
      type: 'object',
      properties: {
        s: ruled(text, "self.startsWith('a')", 'size(self) < 5', "self.matches('^[a-z]*$')"),
        i: ruled(whole, 'self > 0', 'self % 2 == 0', '10 / self > 1'),
        n: ruled({ type: 'number' }, 'self < 1.5'),
        b: ruled({ type: 'boolean' }, 'self'),
        d: ruled({ ...text, format: 'duration' }, "self > duration('1h')"),
        t: ruled({ ...text, format: 'date-time' }, "self < timestamp('2024-01-01T00:00:00Z')"),
        y: ruled({ ...text, format: 'byte' }, "self == b'abc'", 'size(self) == 3'),
        e: ruled(
          { 'x-kubernetes-int-or-string': true, maxLength: 20 },
          "type(self) == int ? self < 10 : self.endsWith('%')",
          'self > 1',
        ),
        z: ruled({ ...text, nullable: true }, "self == 'x'"),
        c: ruled({ ...text, enum: ['a', 'b'] }, "self == 'a'"),
      },
    },
    steps: [
      {
        create: { s: 'abc', i: 2, n: 1, b: true, d: '2h', t: '2023-01-01T00:00:00Z', y: 'YWJj', e: 5, z: 'x', c: 'a' },
      },
      { create: { s: 'bcd' } },
      { create: { s: 'BCDEFG' } },
      { create: { i: 0 } },
      { create: { i: -3 } },
      { create: { i: 7 } },
      { create: { n: 2.5 } },
      { create: { n: 2 } },
      { create: { b: false } },
      { create: { d: '1m' } },
      { create: { d: '3 days' } },
      { create: { d: 'x' } },
      { create: { t: '2025-01-01T00:00:00Z' } },
      { create: { y: 'eHl6' } },
      { create: { e: 50 } },
      { create: { e: '50%' } },
      { create: { e: 'x' } },
      { create: { z: null } },
      { create: { z: 'y' } },
      { create: { c: 'b' } },
      { create: { c: 'c' } },
      { create: { s: 'b', i: -1, n: 9, b: false } },
      { create: { s: 5, i: -1 } },
      { create: { s: 'äöü' } },
    ],
  },
  {
    name: 'rules of objects',
    schema: ruled(
      {
        type: 'object',
        required: ['min'],
        properties: {
          min: whole,
          max: whole,
          name: text,
          inner: ruled(
            { type: 'object', properties: { a: text, b: text } },
            'has(self.a) != has(self.b)',
            "self.a == 'x'",
          ),
          'a-b': text,
          namespace: text,
          empty: { type: 'object', properties: {} },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { k: text } },
        },
      },
      '!has(self.max) || self.min <= self.max',
      "!has(self.a__dash__b) || self.a__dash__b != 'no'",
      "!has(self.namespace) || self.namespace == 'ok'",
      "!has(self.free) || !has(self.free.k) || self.free.k == 'v'",
    ),
    steps: [
      { create: { min: 1, max: 2 } },
      { create: { min: 3, max: 2 } },
      { create: { max: 2 } },
      { create: { min: 1, inner: {} } },
      { create: { min: 1, inner: { a: 'x' } } },
      { create: { min: 1, inner: { b: 'y' } } },
      { create: { min: 1, inner: { a: 'y', b: 'z' } } },
      { create: { min: 1, 'a-b': 'no', namespace: 'bad' } },
      { create: { min: 1, free: { k: 'w', other: 1 } } },
      { create: { min: 1, max: 'x', inner: {} } },
      { create: { min: 5, max: 2, name: 'x'.repeat(101) } },
    ],
  },
  {
    name: 'rules of lists and maps',
    schema: {
      type: 'object',
      properties: {
        list: ruled(
          { type: 'array', maxItems: 20, items: ruled(whole, 'self < 100') },
          'self.all(x, x > 0)',
          'size(self) != 3',
          'self.sum() < 50',
        ),
        map: ruled(
          { type: 'object', maxProperties: 10, additionalProperties: ruled(text, "self != 'bad'") },
          "!('no' in self)",
          "self.all(k, k.startsWith('k'))",
        ),
        keyed: ruled(
          {
            type: 'array',
            maxItems: 10,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: ruled(
              { type: 'object', required: ['name'], properties: { name: text, on: { type: 'boolean' } } },
              "!self.on || self.name != 'off'",
            ),
          },
          'self.exists_one(x, x.on)',
        ),
        set: ruled(
          { type: 'array', maxItems: 10, items: text, 'x-kubernetes-list-type': 'set' },
          "self == ['a', 'b']",
          'self.isSorted()',
        ),
        nested: { type: 'array', maxItems: 5, items: { type: 'array', maxItems: 5, items: ruled(whole, 'self == 1') } },
        maps: {
          type: 'object',
          maxProperties: 5,
          additionalProperties: { type: 'object', properties: { v: ruled(whole, 'self > 0') } },
        },
      },
    },
    steps: [
      { create: { list: [1, 2], map: { k: 'v' }, keyed: [{ name: 'a', on: true }], set: ['b', 'a'] } },
      { create: { list: [0, 200, 3] } },
      { create: { list: [30, 30] } },
      { create: { list: [] } },
      { create: { map: { no: 'bad', k1: 'bad' } } },
      {
        create: {
          keyed: [
            { name: 'off', on: true },
            { name: 'b', on: true },
          ],
        },
      },
      { create: { keyed: [{ name: 'x' }] } },
      { create: { set: ['a'] } },
      { create: { set: ['a', 'b'] } },
      { create: { nested: [[1, 2], [3]] } },
      { create: { maps: { 'a.b': { v: 0 }, c: { v: 1 } } } },
      { create: { list: 'x' } },
      { create: { list: Array.from({ length: 21 }, () => 1) } },
    ],
  },
  {
    name: 'rules of the root',
    isWhole: true,
    schema: ruled(
      { type: 'object', properties: { spec: { type: 'object', properties: { a: text } }, extra: text } },
      "self.metadata.name != 't2'",
      "self.kind == 'Thing' && self.apiVersion.endsWith('/v1')",
      "has(self.spec) && self.spec.a == 'x'",
      "!has(self.metadata.generateName) || self.metadata.generateName == 'ok-'",
    ),
    steps: [
      { create: { spec: { a: 'x' } } },
      { create: { spec: { a: 'x' } } },
      { create: {} },
      { create: { spec: {} } },
      { create: { spec: { a: 'x' } }, metadata: { name: 'named', generateName: 'bad-' } },
      { create: { spec: { a: 'x' } }, metadata: { labels: { 'a b': '' } } },
      { create: { spec: { a: 'y' } }, metadata: { labels: { 'a b': '' } } },
      { create: { spec: { a: 'y' } }, metadata: { name: '' } },
      { update: { spec: { a: 'z' } } },
    ],
  },
  {
    name: 'expensive rules',
    schema: {
      type: 'object',
      properties: {
        pairs: ruled(
          { type: 'array', maxItems: 300, items: { type: 'integer' } },
          'self.all(x, self.all(y, x == y || x != y))',
        ),
        texts: {
          type: 'array',
          maxItems: 1000,
          items: ruled({ type: 'string', maxLength: 1000 }, "self.matches('a*b*c*d*e*')"),
        },
        many: ruled(
          { type: 'array', maxItems: 300, items: whole },
          ...Array.from({ length: 30 }, (_, index) => `self.all(x, self.all(y, x == y || x != ${index}))`),
        ),
        after: ruled(whole, 'self > 0'),
      },
    },
    steps: [
      { create: { many: Array.from({ length: 100 }, (_, index) => index) } },
      { create: { many: Array.from({ length: 280 }, (_, index) => index) } },
      { create: { pairs: [1, 2, 3], after: 1 } },
      { create: { pairs: Array.from({ length: 300 }, (_, index) => index) } },
      { create: { texts: Array.from({ length: 600 }, () => 'a'.repeat(1000)) } },
    ],
  },
  {
    name: 'rules of metadata',
    isWhole: true,
    schema: {
      type: 'object',
      properties: {
        metadata: {
          type: 'object',
          properties: { name: ruled(text, "self != 't2'"), generateName: ruled(text, "self != 'no-'") },
        },
        spec: { type: 'object', properties: { a: text } },
      },
    },
    steps: [
      { create: {} },
      { create: {} },
      { create: {}, metadata: { generateName: 'no-' } },
      { update: { spec: { a: 'x' } } },
    ],
  },
  {
    name: 'rules of strange names',
    schema: {
      type: 'object',
      properties: {
        'a/b': ruled(whole, 'self > 0'),
        ä: ruled(whole, 'self > 0'),
        in: ruled(whole, 'self > 0'),
        __proto: ruled(whole, 'self > 0'),
        'x y': { type: 'object', properties: { z: ruled(whole, 'self > 0') } },
      },
    },
    steps: [{ create: { 'a/b': 0, ä: 0, in: 0, __proto: 0, 'x y': { z: 0 } } }, { create: { 'a/b': 1, ä: 1 } }],
  },
  {
    name: 'failing rules',
    schema: {
      type: 'object',
      properties: {
        l: ruled({ type: 'array', maxItems: 5, items: whole }, 'self[3] == 1', 'self[-1] == 1'),
        m: ruled({ type: 'object', maxProperties: 5, additionalProperties: whole }, "self['k'] == 1"),
        o: ruled({ type: 'object', properties: { a: whole, b: text } }, 'self.a > 0', "self.b == 'x'"),
        i: ruled(whole, '9223372036854775807 + self > 0', '1 / self == 1', '1 % self == 0'),
        e: ruled({ 'x-kubernetes-int-or-string': true, maxLength: 9 }, 'self + 1 == 2', 'int(self) > 0'),
        s: ruled(
          text,
          'int(self) > 0',
          "timestamp(self) > timestamp('2020-01-01T00:00:00Z')",
          "url(self).getHost() == 'x'",
          "quantity(self).isGreaterThan(quantity('1'))",
        ),
        any: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    steps: [
      { create: { l: [1] } },
      { create: { m: { j: 1 } } },
      { create: { m: {} } },
      { create: { o: {} } },
      { create: { o: { a: 0, b: 'y' } } },
      { create: { i: 1 } },
      { create: { i: 0 } },
      { create: { e: 'x' } },
      { create: { e: 1 } },
      { create: { s: 'x' } },
      { create: { s: '5' } },
      { create: { s: 'https://x/' } },
    ],
  },
  {
    name: 'libraries',
    schema: {
      type: 'object',
      properties: {
        ip: ruled(text, 'isIP(self) && ip(self).family() == 4'),
        cidr: ruled(text, "cidr('10.0.0.0/8').containsCIDR(self)"),
        url: ruled(text, "isURL(self) && url(self).getScheme() == 'https'"),
        q: ruled(text, "isQuantity(self) && quantity(self).compareTo(quantity('1Gi')) <= 0"),
        v: ruled(text, "isSemver(self) && semver(self).isGreaterThan(semver('1.0.0'))"),
        f: ruled(text, '!format.dns1123Label().validate(self).hasValue()'),
        r: ruled(
          text,
          "self.find('[0-9]+') == '42'",
          "self.findAll('[a-z]') == ['a']",
          "self.replace('a', 'b') == 'b42'",
        ),
        l: ruled(
          { type: 'array', maxItems: 5, items: whole },
          'self.min() == 1 && self.max() == 3',
          'sets.contains(self, [1])',
          'self.sort() == [1, 2, 3]',
        ),
        s: ruled(
          text,
          "self.lowerAscii() == 'abc'",
          "self.split(',').size() == 2",
          "'%s-%d'.format([self, 1]) == 'abc-1'",
        ),
        o: ruled(
          { type: 'object', properties: { a: text } },
          "self.?a.orValue('d') == 'd'",
          'optional.of(self).hasValue()',
        ),
      },
    },
    steps: [
      {
        create: {
          ip: '1.2.3.4',
          cidr: '10.1.0.0/16',
          url: 'https://a',
          q: '1Mi',
          v: '1.2.3',
          f: 'a',
          r: 'a42',
          l: [3, 2, 1],
        },
      },
      { create: { ip: '::1' } },
      { create: { cidr: '11.0.0.0/8' } },
      { create: { cidr: 'x' } },
      { create: { url: 'http://a' } },
      { create: { q: '2Gi' } },
      { create: { v: '0.1.0' } },
      { create: { f: 'A_b' } },
      { create: { r: 'b' } },
      { create: { l: [1] } },
      { create: { s: 'ABC' } },
      { create: { o: { a: 'x' } } },
      { create: { o: {} } },
    ],
  },
];
