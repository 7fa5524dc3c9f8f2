import assert from 'node:assert/strict';
import { isIPv4, isIPv6 } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCidr, formatIp, maskIp, parseCidr, parseIp } from './ip-address.ts';
import { cidrProblems, ipProblems, legacyCidrProblems, legacyIpProblems } from './ip-problems.ts';

const byte = fc.integer({ min: 0, max: 255 });
const sparse = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, byte);
const ipv4 = fc.array(byte, { minLength: 4, maxLength: 4 });
const ipv6 = fc
  .array(sparse, { minLength: 16, maxLength: 16 })
  .filter((bytes) => bytes.slice(0, 8).some((each) => each > 0));

test('an address round-trips through its canonical form, which has no problems', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), (bytes) => {
      const text = formatIp({ bytes, isSloppy: false });
      assert.ok(bytes.length === 4 ? isIPv4(text) : isIPv6(text));
      assert.deepEqual(parseIp(text), { bytes, isSloppy: false });
      assert.deepEqual(ipProblems(text), []);
    }),
    { numRuns: 500 },
  );
});

test('accepts exactly the addresses that Node accepts, apart from leading zeros', () => {
  const text = fc.string({ unit: fc.constantFrom('1', 'f', ':', '::', '.', '0', '255'), maxLength: 12 });
  fc.assert(
    fc.property(text, (source) => {
      const address = parseIp(source);
      const isStrict = address !== undefined && !address.isSloppy;
      assert.equal(isStrict, isIPv4(source) || isIPv6(source));
    }),
    { numRuns: 3000 },
  );
});

test('a network has no bits after its length', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), fc.nat(128), (bytes, wanted) => {
      const length = Math.min(wanted, bytes.length * 8);
      const network = maskIp({ address: { bytes, isSloppy: false }, length });
      assert.equal(
        bits(network.bytes),
        bits(bytes)
          .slice(0, length)
          .padEnd(bytes.length * 8, '0'),
      );
    }),
  );
});

test('a network in canonical form has no problems', () => {
  const prefix = parseCidr('10.20.30.40/12');
  assert.ok(prefix !== undefined);
  expect(formatCidr(prefix)).toBe('10.16.0.0/12');
  expect(cidrProblems(formatCidr(prefix))).toEqual([]);
});

test('older fields keep their existing values', () => {
  expect(legacyIpProblems('010.0.0.1')).toEqual(['must not have leading 0s']);
  expect(legacyIpProblems('010.0.0.1', { old: ['010.0.0.1'] })).toEqual([]);
  expect(legacyCidrProblems('10.0.0.1/8', { old: ['10.0.0.1/8'] })).toEqual([]);
  expect(legacyCidrProblems('10.0.0.1/8', { isStrict: false })).toEqual([]);
});

function bits(bytes: readonly number[]): string {
  return bytes.map((each) => each.toString(2).padStart(8, '0')).join('');
}
