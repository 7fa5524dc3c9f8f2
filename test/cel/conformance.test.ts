import { describe, expect, it } from 'vitest';
import { exclusions, type FailedTest, MIXED_TYPES } from './exclusions.ts';
import { lenientEnvironment } from './lenient-environment.ts';
import { complaintAbout, publicTests } from './public-suite.ts';

describe('the public conformance suite', () => {
  const failed = publicTests.flatMap((named): FailedTest[] => {
    const complaint = complaintAbout(named.test);
    return complaint === undefined ? [] : [{ ...named, complaint }];
  });

  it('is there', () => {
    expect(publicTests.length).toBe(2344);
  });

  it('passes wherever Kubernetes enables what is tested', () => {
    const unexpected = failed.filter((named) => reasonOf(named) === 'none');
    expect(unexpected.map(({ name, test, complaint }) => ({ name, expr: test.expr, complaint }))).toEqual([]);
  });

  it('passes with literals of mixed types as soon as they are allowed', () => {
    const mixed = failed.filter((named) => reasonOf(named) === MIXED_TYPES);
    expect(
      mixed.map(({ test }) => complaintAbout(test, lenientEnvironment())).filter((each) => each !== undefined),
    ).toEqual([]);
  });

  it('fails in exactly the known number of tests for each reason', () => {
    const counts = new Map<string, number>();
    for (const named of failed) counts.set(reasonOf(named), (counts.get(reasonOf(named)) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toMatchInlineSnapshot(`
      {
        "cel-go 0.26, which Kubernetes uses, finds nothing in an optional value that has no fields": 2,
        "cel-go, which Kubernetes uses, counts the milliseconds of the whole duration": 1,
        "cel-go, which Kubernetes uses, refuses a constant that can be no key before evaluation": 2,
        "cel-go, which Kubernetes uses, takes the last of several equal keys": 1,
        "cel-go, which Kubernetes uses, takes the type of the last element that fits": 1,
        "cel.block and cel.index are made by optimizers, not written by users": 37,
        "expressions have no container: names are written in full": 16,
        "lists and maps of mixed types are refused when they are written as literals": 46,
        "quoted field names are not enabled; Kubernetes escapes names with underscores instead": 6,
        "the bindings library (cel.bind) is not enabled": 5,
        "the encoders library is not enabled": 4,
        "the math library is not enabled": 182,
        "the strings library is version 2, which finds nothing behind the end instead of failing": 2,
        "the strings library is version 2, which formats floating-point numbers and collections in its own way": 18,
        "there are no protobuf messages besides the ones that come with protobuf, and no extensions or enums": 536,
        "types are always checked, and the expression does not pass": 29,
      }
    `);
  });
});

function reasonOf(failed: FailedTest): string {
  return exclusions.find(({ covers }) => covers(failed))?.reason ?? 'none';
}
