import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'vitest';
import { parseGoInteger } from './go-integer.ts';
import { ValueError } from './value-error.ts';

test('a 64-bit integer is parsed exactly, and any other is out of range', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }), (value) => {
      const signed = BigInt.asIntN(64, value) === value;
      const unsigned = BigInt.asUintN(64, value) === value;
      assert.equal(parseGoInteger(String(value), 'ParseInt') instanceof ValueError, !signed);
      assert.equal(parseGoInteger(String(value), 'ParseUint') instanceof ValueError, !unsigned);
      if (signed) assert.equal(parseGoInteger(String(value), 'ParseInt'), value);
    }),
    { numRuns: 500 },
  );
});
