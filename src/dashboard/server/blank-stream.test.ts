import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blankSecret, LAST_APPLIED } from '../../api/client.ts';
import { BlankStream } from './blank-stream.ts';

const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'login',
    labels: { a: 'b"c\\' },
    annotations: { [LAST_APPLIED]: '{"data":{"password":"geheim"}}', note: 'kept' },
    managedFields: [{ fieldsV1: { 'f:data': { 'f:password': {} } } }],
  },
  data: { password: 'Z2VoZWlt', empty: '', 'q"uoted': 'Z2VoZWlt' },
  stringData: { plain: 'geheim' },
  immutable: true,
  type: 'Opaque',
};

/** Feeds the text in pieces of these sizes. */
function blank(text: string, sizes: readonly number[] = [1_000_000]): string {
  const stream = new BlankStream();
  const bytes = Buffer.from(text);
  let out = '';
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    out += stream.write(bytes.subarray(at, at + size));
    at += size;
  }
  return out + stream.end();
}

test.each([
  ['an object', SECRET, blankSecret(SECRET)],
  [
    'a list',
    { kind: 'SecretList', items: [SECRET, SECRET] },
    { kind: 'SecretList', items: [blankSecret(SECRET), blankSecret(SECRET)] },
  ],
  [
    'a table',
    { rows: [{ cells: ['login', 3], object: SECRET }] },
    { rows: [{ cells: ['login', 3], object: blankSecret(SECRET) }] },
  ],
  ['an empty list', { items: [], metadata: {} }, { items: [], metadata: {} }],
])('values of Secrets are blanked in %s, and nothing else is changed', (_, value, wanted) => {
  for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 2)])
    expect(JSON.parse(blank(text))).toEqual(wanted);
});

test('each event of a watch stays a line of its own', () => {
  const events = [
    { type: 'ADDED', object: SECRET },
    { type: 'BOOKMARK', object: { metadata: {} } },
  ];
  const lines = blank(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { type: 'ADDED', object: blankSecret(SECRET) },
    events[1],
  ]);
});

test('a name in escapes is recognized', () => {
  const text =
    '{"\\u0064ata":{"a":"geheim"},"metadata":{"annotations":{"kubectl.kubernetes.io\\/last-applied-configuration":"geheim","b":"c"}}}';
  expect(JSON.parse(blank(text))).toEqual({ data: { a: '' }, metadata: { annotations: { b: 'c' } } });
});

test('wherever the bytes are cut, the result is the same, and has no value', () => {
  const text = JSON.stringify({ items: [SECRET, { ...SECRET, data: { ümlaut: 'geheim', '\\"': 'geheim' } }] });
  const whole = blank(text);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }), (sizes) => {
      expect(blank(text, sizes)).toBe(whole);
    }),
  );
  expect(whole).not.toMatch(/geheim|Z2VoZWlt/);
});

test('any JSON passes unchanged that has no such members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!/"(string)?[dD]ata"/.test(text));
      expect(JSON.parse(blank(text, [3]))).toEqual(JSON.parse(text));
    }),
  );
});
