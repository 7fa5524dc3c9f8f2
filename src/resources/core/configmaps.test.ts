import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { TestApi } from '../testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const HALF = 512 * 1024;

test.each([
  { what: 'letters', text: 'x'.repeat(HALF), binary: Buffer.alloc(HALF), code: 201 },
  { what: 'a letter too many', text: 'x'.repeat(HALF + 1), binary: Buffer.alloc(HALF), code: 422 },
  { what: 'a byte too many', text: 'x'.repeat(HALF), binary: Buffer.alloc(HALF + 1), code: 422 },
  { what: 'characters of three bytes', text: '€'.repeat(HALF / 3), binary: Buffer.alloc(HALF), code: 201 },
  { what: 'one of these too many', text: '€'.repeat(HALF / 3 + 1), binary: Buffer.alloc(HALF), code: 422 },
])('a megabyte fits into data and binaryData together: $what', async ({ text, binary, code }) => {
  await using api = await TestApi.open();
  const object = { metadata: { name: 'm' }, data: { a: text }, binaryData: { b: binary.toString('base64') } };

  expect((await api.send('POST', `${MAPS}?dryRun=All`, object)).code).toBe(code);
});
