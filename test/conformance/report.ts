import { type ConformanceClass, conformanceClasses, type ConformanceTest } from './classes.ts';
import type { Expectations } from './expectations.ts';

/** docs/reference/conformance.md: a line a test, from what the two files in this folder say. */
export function conformanceReport(tests: readonly ConformanceTest[], expectations: Expectations): string {
  const letters = (Object.keys(conformanceClasses) as ConformanceClass[]).filter((letter) =>
    tests.some((test) => test.class === letter),
  );
  return [
    '# Conformance',
    '',
    'The end-to-end tests of Kubernetes 1.36.3 that carry the Conformance label, run against `keelson up`. Written by `npm run conformance -- --update`',
    'from test/conformance/classes.tsv and test/conformance/expectations.tsv; a run fails when a test does something else than this page says.',
    'Classes A and B run with simulated nodes, the others with `--nodes 0` and one [real node](../../test/real-node/README.md): kubelet 1.36.3, or `keelson kubelet` in its place (all of them pass with either), containerd, kube-proxy and CoreDNS,',
    'with images made from Debian packages and Go programs under the names that the tests ask for.',
    '',
    '| class | needs | tests | pass | fail | not run |',
    '|---|---|---:|---:|---:|---:|',
    ...letters.map((letter) => summaryRow(letter, tests, expectations)),
    '',
    ...missingFeatures(tests, expectations),
    ...letters.flatMap((letter) => classSection(letter, tests, expectations)),
  ].join('\n');
}

type State = 'pass' | 'fail' | 'not run';

function stateOf({ name }: ConformanceTest, expectations: Expectations): State {
  return expectations.get(name)?.state ?? 'not run';
}

function summaryRow(letter: ConformanceClass, tests: readonly ConformanceTest[], expectations: Expectations): string {
  const ours = tests.filter((test) => test.class === letter);
  const count = (state: State): number => ours.filter((test) => stateOf(test, expectations) === state).length;
  const cells = [letter, conformanceClasses[letter], ours.length, count('pass'), count('fail'), count('not run')];
  return `| ${cells.join(' | ')} |`;
}

/** How many tests wait for each feature, the most wanted first. */
function missingFeatures(tests: readonly ConformanceTest[], expectations: Expectations): string[] {
  const counts = new Map<string, number>();
  for (const { name } of tests) {
    const expectation = expectations.get(name);
    if (expectation?.state === 'fail') counts.set(expectation.missing, (counts.get(expectation.missing) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const rows = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return ['| missing feature | tests |', '|---|---:|', ...rows.map(([name, n]) => `| ${name} | ${n} |`), ''];
}

const EMPTY_PASS = 'shows nothing by itself: passes also where nothing runs';

/** Some tests wait for something not to happen. */
function isEmptyPass(test: ConformanceTest, expectations: Expectations): boolean {
  return stateOf(test, expectations) === 'pass' && test.tags.some((tag) => tag.startsWith('vacuous'));
}

function classSection(
  letter: ConformanceClass,
  tests: readonly ConformanceTest[],
  expectations: Expectations,
): string[] {
  const rows = tests
    .filter((test) => test.class === letter)
    .map((test) => {
      const expectation = expectations.get(test.name);
      const missing =
        expectation?.state === 'fail' ? expectation.missing : isEmptyPass(test, expectations) ? EMPTY_PASS : '';
      return `| ${stateOf(test, expectations)} | \`${test.name.replaceAll('`', "'").replaceAll('|', '\\|')}\` | ${missing} |`;
    });
  return [`## ${letter}: ${conformanceClasses[letter]}`, '', '| | test | missing |', '|---|---|---|', ...rows, ''];
}
