import { type PackageRun, SUITE_MINUTES } from './run-package.ts';
import type { Suite } from './suites.ts';
import { count, differences, endedInBoth } from './test-outcomes.ts';

/** A package that was run with both. */
export interface Comparison {
  readonly suite: string;
  readonly path: string;
  readonly racing?: Suite['racing'];
  readonly ours: PackageRun;
  readonly real: PackageRun;
}

/** Tests that ended differently; where a run was stopped, of those that came to an end in both. */
export function differing({ ours, real }: Pick<Comparison, 'ours' | 'real'>): readonly string[] {
  if (!ours.isStopped && !real.isStopped) return differences(ours.outcomes, real.outcomes);
  return differences(endedInBoth(ours.outcomes, real.outcomes), endedInBoth(real.outcomes, ours.outcomes));
}

/** Differences that are not explained. */
export function unexplained(comparison: Comparison): readonly string[] {
  return differing(comparison).filter((text) => reason(text, comparison.racing ?? {}) === '');
}

function reason(difference: string, racing: NonNullable<Suite['racing']>): string {
  const [name = ''] = difference.split(': ', 1);
  const found = Object.entries(racing).find(([end]) => name.endsWith(end))?.[1];
  return found === undefined ? '' : ` (${found})`;
}

/** How long it takes until envtest is ready, in milliseconds, in the order of the runs. */
export interface StartTimes {
  readonly real: readonly number[];
  /** Each API server in its own process. */
  readonly alone: readonly number[];
  /** In the process that suites share, which is running already. */
  readonly shared: readonly number[];
}

/** The suite of this repository, on our side alone. */
export interface OwnRuns {
  readonly starts: StartTimes;
  /** With `KEELSON_CONTROLLERS=all`, where it has tests more. */
  readonly withControllers: PackageRun;
}

/** docs/reference/envtest.md */
export function page(comparisons: readonly Comparison[], own: OwnRuns, machine: string): string {
  const { starts, withControllers } = own;
  const different = comparisons.flatMap(({ suite, path, racing = {}, ours, real }) =>
    differing({ ours, real }).map((text) => `- ${suite}, ${path}: ${text}${reason(text, racing)}`),
  );
  const same = comparisons.reduce(
    (sum, { ours, real }) => sum + compared(ours, real) - differing({ ours, real }).length,
    0,
  );
  return `# Suites of envtest

Suites of published Go projects that start a control plane with controller-runtime's envtest, unchanged, with Keelson's programs
([how](../guides/envtest.md)) and with etcd and kube-apiserver 1.36.3. \`npm run interop:envtest\` writes this page, on ${machine}.

Ready for the first test, in milliseconds: ${starts.real.length} starts, by turns, of the suite in \`test/interop/programs/envtest\`, each of which also installs a
definition and two webhook configurations. Suites that follow each other share a process that is warm; \`KEELSON_SHARE=false\` gives each its own.

| | best | middle | beside Kubernetes |
|---|---|---|---|
| etcd and kube-apiserver | ${figures(starts.real)} | |
| Keelson, its own process | ${figures(starts.alone)} | ${ratio(starts.real, starts.alone)} |
| Keelson, shared | ${figures(starts.shared)} | ${ratio(starts.real, starts.shared)} |

With \`KEELSON_CONTROLLERS=all\` that suite also looks at garbage collection, the deletion of a namespace and the pods of a Deployment: ${count(withControllers.outcomes, 'passed')} tests
pass, ${count(withControllers.outcomes, 'failed')} fail.

${same} tests end alike${different.length === 0 ? '; none differs.' : `; ${different.length} ${different.length === 1 ? 'differs' : 'differ'}.`} Figures are tests that passed, and seconds for the whole package.

| suite | package | passed, Keelson | passed, Kubernetes | failed on both | s, Keelson | s, Kubernetes |
|---|---|---|---|---|---|---|
${comparisons.map(row).join('\n')}
${comparisons.map(stopped).join('')}${different.length === 0 ? '' : `\n## Differences\n\n${different.join('\n')}\n`}`;
}

function row({ suite, path, ours, real }: Comparison): string {
  const failedOnBoth = [...real.outcomes].filter(
    ([name, state]) => state === 'failed' && ours.outcomes.get(name) === 'failed',
  );
  const passed = [ours, real].map(({ outcomes }) => count(outcomes, 'passed'));
  const seconds = [ours, real].map((run) => run.seconds.toFixed(1));
  return `| ${[suite, path, ...passed, failedOnBoth.length, ...seconds].join(' | ')} |`;
}

function compared(ours: PackageRun, real: PackageRun): number {
  return (ours.isStopped || real.isStopped ? endedInBoth(real.outcomes, ours.outcomes) : real.outcomes).size;
}

function stopped({ suite, path, ours, real }: Comparison): string {
  if (!ours.isStopped && !real.isStopped) return '';
  const ended = [ours, real].map(({ outcomes }) => count(outcomes, 'passed') + count(outcomes, 'failed'));
  return `\n${suite}, ${path} was stopped after ${SUITE_MINUTES} minutes: ${ended[0]} tests had ended with Keelson and ${ended[1]} with Kubernetes.\n`;
}

function best(values: readonly number[]): number {
  return Math.min(...values);
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

function figures(values: readonly number[]): string {
  return `${best(values)} | ${median(values)}`;
}

function ratio(real: readonly number[], ours: readonly number[]): string {
  const [atBest, inTheMiddle] = [best, median].map((of) => (of(real) / Math.max(1, of(ours))).toFixed(1));
  return `${atBest} times as fast at best, ${inTheMiddle} in the middle`;
}
