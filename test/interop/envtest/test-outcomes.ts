/** How the tests of a package ended, by name. */
export type TestOutcomes = ReadonlyMap<string, string>;

interface SpecReport {
  readonly LeafNodeType: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly State: string;
}

/** The contents of a JSON report of Ginkgo: one entry for each spec, and for what runs before and after all when it fails. */
export function ginkgoOutcomes(json: string): TestOutcomes {
  const reports = JSON.parse(json) as readonly { readonly SpecReports: readonly SpecReport[] | null }[];
  const specs = reports.flatMap(({ SpecReports }) => SpecReports ?? []);
  return new Map(
    specs
      .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' || State !== 'passed')
      .map((spec) => [
        [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText || spec.LeafNodeType].join(' '),
        spec.State,
      ]),
  );
}

/** What `go test -test.v` prints: one entry for each function and subtest. */
export function goTestOutcomes(text: string): TestOutcomes {
  const lines = text.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm);
  const words: Readonly<Record<string, string>> = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' };
  return new Map([...lines].map(([, word = '', name = '']) => [name, words[word] ?? word]));
}

/** Whether a report of Ginkgo is of a suite that was stopped before its end. */
export function wasStopped(json: string): boolean {
  const reports = JSON.parse(json) as readonly { readonly SpecialSuiteFailureReasons: readonly string[] | null }[];
  return reports.some(({ SpecialSuiteFailureReasons: reasons }) =>
    reasons?.some((text) => /timeout|interrupt/i.test(text)),
  );
}

/** The tests that came to an end in both runs: all that can be compared when one of them was stopped. */
export function endedInBoth(outcomes: TestOutcomes, other: TestOutcomes): TestOutcomes {
  const isEnd = (state: string | undefined): boolean => state === 'passed' || state === 'failed';
  return new Map([...outcomes].filter(([name, state]) => isEnd(state) && isEnd(other.get(name))));
}

/** Tests that ended differently, with how. */
export function differences(ours: TestOutcomes, real: TestOutcomes): readonly string[] {
  const names = [...new Set([...ours.keys(), ...real.keys()])].sort();
  return names
    .filter((name) => ours.get(name) !== real.get(name))
    .map((name) => `${name}: ${ours.get(name) ?? 'not run'} on Keelson, ${real.get(name) ?? 'not run'} on Kubernetes`);
}

export function count(outcomes: TestOutcomes, state: string): number {
  return [...outcomes.values()].filter((each) => each === state).length;
}
