import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalBase64, decodeBase64, encodeBase64 } from './base64.ts';
import { ValueError } from './value-error.ts';

test('bytes round-trip, and their text is canonical', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = encodeBase64(bytes);
      assert.deepEqual([...(decodeBase64(text) as Uint8Array)], [...bytes]);
      assert.equal(canonicalBase64(text), text);
    }),
  );
});

test('line breaks may be anywhere', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (bytes, at) => {
      const text = encodeBase64(bytes);
      const broken = `${text.slice(0, at % text.length)}\r\n${text.slice(at % text.length)}`;
      assert.equal(canonicalBase64(broken), text);
    }),
  );
});

test('reports the position of one wrong character', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 3, maxLength: 90 }), fc.nat(), (bytes, place) => {
      const text = encodeBase64(bytes.slice(0, bytes.length - (bytes.length % 3)));
      const at = place % text.length;
      const wrong = `${text.slice(0, at)}!${text.slice(at + 1)}`;
      assert.deepEqual(decodeBase64(wrong), new ValueError(`illegal base64 data at input byte ${at}`));
    }),
  );
});

test('the URL-safe alphabet is not accepted', () => {
  expect(decodeBase64('-_-_')).toEqual(new ValueError('illegal base64 data at input byte 0'));
});
