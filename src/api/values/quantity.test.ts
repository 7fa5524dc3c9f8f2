import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuantity } from './canonical-quantity.ts';
import { trimGo } from './go-text.ts';
import { parseQuantity } from './parse-quantity.ts';
import { milliQuantityOf, Quantity, quantityOf } from './quantity.ts';
import { ValueError } from './value-error.ts';

const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`));
const suffix = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'e3',
  'E-2',
  'e12',
);
const text = fc
  .tuple(fc.constantFrom('', '-', '+'), digits(15), fc.option(digits(6)), suffix)
  .map(([sign, whole, fraction, letters]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${letters}`);

function quantity(source: string): Quantity {
  const parsed = parseQuantity(source);
  assert.ok(parsed instanceof Quantity, `${source}: ${String(parsed)}`);
  return parsed;
}

describe('a canonical quantity', () => {
  test('is unchanged when it is parsed again', () => {
    fc.assert(
      fc.property(text, (source) => {
        const canonical = canonicalQuantity(source) as string;
        assert.equal(canonicalQuantity(canonical), canonical);
      }),
    );
  });

  test('means what the text meant', () => {
    fc.assert(
      fc.property(text, (source) => {
        const read = quantity(source);
        assert.equal(read.compare(quantity(read.toString())), 0);
      }),
    );
  });

  test('has one of the known suffixes', () => {
    const characters = Array.from({ length: 256 }, (_unused, code) => String.fromCharCode(code));
    const suffixes = characters.flatMap((letter) => [letter, `${letter}i`]);
    const known = suffixes.filter((one) => !(canonicalQuantity(`5${one}`) instanceof ValueError));
    const read = suffixes.filter((one) => !(parseQuantity(trimGo(`5${one}`)) instanceof ValueError));
    expect(known).toEqual(read);
  });

  test('is the same by the fast and the general path', () => {
    const quick = fc
      .tuple(digits(9), fc.constantFrom('', 'm', 'Ki', 'Mi', 'Gi', 'k', 'Ti', 'i'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(quick, (source) => {
        const long = parseQuantity(source);
        const expected = long instanceof ValueError ? long.message : long.toString();
        const short = canonicalQuantity(source);
        assert.equal(short instanceof ValueError ? short.message : short, expected);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('arithmetic', () => {
  test('adding and subtracting again gives the same amount', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const there = quantity(left).add(quantity(right));
        assert.equal(there.sub(quantity(right)).compare(quantity(left)), 0);
        assert.equal(there.compare(quantity(right).add(quantity(left))), 0);
      }),
    );
  });

  test('comparing is antisymmetric, and agrees with the difference', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const order = quantity(left).compare(quantity(right));
        assert.equal(quantity(right).compare(quantity(left)) + order, 0);
        assert.equal(quantity(left).sub(quantity(right)).sign, order);
      }),
    );
  });

  test('whole and thousandth units are rounded away from zero', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), (micros) => {
        const read = quantity(`${micros}u`);
        assert.equal(read.value(), away(micros / 1e6));
        assert.equal(read.milliValue(), away(micros / 1e3));
      }),
    );
  });

  test('zero takes the format of what is added to it', () => {
    expect(quantity('0').add(quantity('1Gi')).toString()).toBe('1Gi');
    expect(quantity('1').add(quantity('1Gi')).toString()).toBe('1073741825');
    expect(quantity('0').sub(quantity('1Gi')).toString()).toBe('-1Gi');
  });

  test('amounts that are extremely far apart are compared and added quickly', () => {
    const huge = quantity('1e100000000');
    expect(huge.compare(quantity('1'))).toBe(1);
    expect(huge.neg().compare(quantity('-1'))).toBe(-1);
    expect(huge.add(quantity('1Ki')).equals(huge)).toBe(true);
    expect(quantity('1Ki').add(huge).equals(huge)).toBe(true);
    expect(quantity('12345678901234567890e-2000000000').toString()).toBe('1e-9');
  });
});

function away(value: number): number {
  return Math.sign(value) * Math.ceil(Math.abs(value)) + 0;
}

test('quantities can be made from numbers', () => {
  expect(quantityOf(2048, 'BinarySI').toString()).toBe('2Ki');
  expect(quantityOf(1500).toString()).toBe('1500');
  expect(milliQuantityOf(1500).toString()).toBe('1500m');
  expect(milliQuantityOf(2000).toString()).toBe('2');
  expect(JSON.stringify({ cpu: milliQuantityOf(250) })).toBe('{"cpu":"250m"}');
  expect(quantityOf(2n ** 70n).asInt64()).toBe(undefined);
});

test.each<[string, bigint | undefined]>([
  ['0', 0n],
  ['7', 7n],
  ['1e1', 10n],
  ['-3e2', -300n],
  ['2k', 2000n],
  ['1Ki', 1024n],
  ['9e18', 9_000_000_000_000_000_000n],
  ['1e19', undefined],
  ['1500m', undefined],
])('%s as a 64-bit integer is %s', (text, expected) => {
  expect((parseQuantity(text) as Quantity).asInt64()).toBe(expected);
});

test('a number of extreme length is refused', () => {
  const refused = parseQuantity('1'.repeat(5000));
  expect(refused).toBeInstanceOf(ValueError);
  expect((refused as ValueError).message).toBe('unable to parse numeric part of quantity');
});
