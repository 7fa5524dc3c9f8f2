import type { Outcome } from './outcomes.ts';

/** What a test is known to do. One that fails names what is missing for it. */
export type Expectation = { readonly state: 'pass' } | { readonly state: 'fail'; readonly missing: string };

export type Expectations = ReadonlyMap<string, Expectation>;

/** Stands for a missing feature without a name. */
export const UNNAMED = '?';

const HEADER = 'state\tmissing\tname';

/** Reads expectations.tsv: a header, then state, missing feature and name a line. */
export function parseExpectations(text: string): Expectations {
  const [, ...lines] = text.trimEnd().split('\n');
  const expectations = new Map<string, Expectation>();
  for (const [index, line] of lines.entries()) {
    const [state = '', missing = '', name = ''] = line.split('\t');
    const isGood = name !== '' && (state === 'pass' ? missing === '' : state === 'fail' && missing !== '');
    if (!isGood) throw new Error(`Cannot read line ${index + 2} of the expectations: "${line}"`);
    if (expectations.has(name)) throw new Error(`Line ${index + 2} of the expectations repeats "${name}"`);
    expectations.set(name, state === 'pass' ? { state } : { state: 'fail', missing });
  }
  return expectations;
}

export function printExpectations(expectations: Expectations): string {
  const lines = [...expectations].map(([name, expectation]) =>
    [expectation.state, expectation.state === 'fail' ? expectation.missing : '', name].join('\t'),
  );
  return `${[HEADER, ...lines].join('\n')}\n`;
}

/** What a run saw that the file does not say. */
export interface Surprises {
  readonly newPasses: readonly Outcome[];
  readonly newFailures: readonly Outcome[];
  /** Tests that the file does not have. */
  readonly strangers: readonly Outcome[];
}

export function compareToExpectations(outcomes: readonly Outcome[], expectations: Expectations): Surprises {
  const differs = (state: Outcome['state']): Outcome[] =>
    outcomes.filter((outcome) => {
      const expected = expectations.get(outcome.name);
      return expected !== undefined && expected.state !== outcome.state && outcome.state === state;
    });
  return {
    newPasses: differs('pass'),
    newFailures: differs('fail'),
    strangers: outcomes.filter(({ name }) => !expectations.has(name)),
  };
}

export function hasSurprises({ newPasses, newFailures, strangers }: Surprises): boolean {
  return newPasses.length + newFailures.length + strangers.length > 0;
}

/** The expectations with what a run saw, in the order of `names`; a test that still fails keeps its feature's name. */
export function updateExpectations(
  expectations: Expectations,
  outcomes: readonly Outcome[],
  { names }: { readonly names: readonly string[] },
): Expectations {
  const merged = new Map(expectations);
  for (const { name, state } of outcomes) {
    const before = expectations.get(name);
    const missing = before?.state === 'fail' ? before.missing : UNNAMED;
    merged.set(name, state === 'pass' ? { state } : { state, missing });
  }
  return new Map(names.flatMap((name) => [[name, merged.get(name)] as const]).filter(isKnown));
}

function isKnown(entry: readonly [string, Expectation | undefined]): entry is readonly [string, Expectation] {
  return entry[1] !== undefined;
}
