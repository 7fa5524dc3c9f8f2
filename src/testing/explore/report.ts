import { faultWords, type Plan, planText } from './plan.ts';
import type { Oracle } from './problem.ts';
import type { RequestCost, UsedRight } from './usage.ts';

/** Something that is wrong with the operator, and the smallest plan that shows it. */
export interface Finding {
  readonly oracle: Oracle;
  /** What is wrong, in a sentence. */
  readonly message: string;
  /** The faults that lead to it, in words; empty if it happens without any. */
  readonly faults: readonly string[];
  /** Repeats it: `explore(scenario, { plan })`. */
  readonly plan: string;
  /** For operators that may go another way each time: in how many of how many runs of the plan it came. */
  readonly confirmed?: { readonly seen: number; readonly runs: number };
  /** The number of other plans that showed the same. */
  readonly others: number;
  /** What the operator did and saw in this run. */
  readonly story: string;
  /** Causes and effects in this run, as text. */
  readonly trace: string;
  /** The same, drawn. */
  readonly svg: string;
}

/** What an exploration found. */
export interface ExploreReport {
  readonly scenario: string;
  readonly findings: readonly Finding[];
  /** The number of plans that were run. */
  readonly plans: number;
  /** Plans that did not fit the run, because the chosen moment did not come. */
  readonly skipped: number;
  /** Plans that ended in another way once, and not again. */
  readonly unconfirmed: number;
  /** Plans that the budget left out. */
  readonly left: number;
  readonly durationMs: number;
  /** Whether the scenario without faults runs the same way each time. */
  readonly isDeterministic: boolean;
  /** The least rights for the scenario. */
  readonly rights: readonly UsedRight[];
  readonly cost: RequestCost;
  /** Fields of custom kinds that the scenario does not set, such as `Cache spec.tls`: what they do was not tried. */
  readonly unsetFields: readonly string[];
  /** For people. */
  readonly text: string;
  /** For CI systems: a test suite with a failed test for each finding. */
  readonly junit: string;
  toString(): string;
}

type ReportData = Omit<ExploreReport, 'text' | 'junit' | 'toString'>;

export interface ReportWords {
  /** How a plan is repeated. */
  readonly repeat: (plan: string) => string;
}

export function makeReport(data: ReportData, words: ReportWords): ExploreReport {
  const text = reportText(data, words);
  return { ...data, text, junit: junitText(data), toString: () => text };
}

/** A finding without its run's story. */
export function findingOf(
  problem: { readonly oracle: Oracle; readonly message: string },
  plan: Plan,
): Pick<Finding, 'oracle' | 'message' | 'faults' | 'plan'> {
  const { oracle, message } = problem;
  return { oracle, message, faults: plan.faults.map(faultWords), plan: planText(plan) };
}

function reportText(data: ReportData, words: ReportWords): string {
  const { scenario, findings, plans, left, skipped, unconfirmed, durationMs, isDeterministic } = data;
  const seconds = (durationMs / 1000).toFixed(1);
  const head = `${scenario}: ${counted(findings.length, 'finding')} in ${counted(plans, 'plan')}, ${seconds} s`;
  const notes = [
    ...(left > 0 ? [`${counted(left, 'plan')} not run: the budget was used up`] : []),
    ...(skipped > 0 ? [`${counted(skipped, 'plan')} did not fit the run`] : []),
    ...(unconfirmed > 0 ? [`${counted(unconfirmed, 'plan')} ended in another way once, and not again`] : []),
    ...(isDeterministic ? [] : ['the scenario does not run the same way each time: findings may not repeat']),
  ];
  return [
    head,
    ...notes.map((note) => `  ${note}`),
    ...findings.flatMap((each, index) => findingLines(each, index, words)),
    ...costLines(data),
  ].join('\n');
}

function findingLines(
  { oracle, message, faults, plan, confirmed, others, story }: Finding,
  index: number,
  { repeat }: ReportWords,
): readonly string[] {
  return [
    '',
    `${index + 1}. ${oracle}: ${message}`,
    ...(faults.length === 0 ? ['   without any fault'] : faults.map((fault) => `   when ${fault}`)),
    ...(confirmed === undefined ? [] : [`   seen in ${confirmed.seen} of ${counted(confirmed.runs, 'run')}`]),
    ...(others === 0 ? [] : [`   ${counted(others, 'other plan')} showed the same`]),
    `   repeat it: ${repeat(plan)}`,
    ...story.split('\n').map((line) => `   │${line}`),
  ];
}

function costLines({ cost, rights, unsetFields }: ReportData): readonly string[] {
  const { cachedReads, emptyWrites, unselectedLists, reads, writes } = cost;
  const waste = [
    ...cachedReads.map((each) => `  ${each}: the cache has the answer`),
    ...emptyWrites.map((each) => `  ${each}: changed nothing`),
    ...unselectedLists.map((each) => `  ${each}: reads all objects of the kind`),
  ];
  const used = rights.map(
    ({ group, resource, verbs }) => `  ${resource}${group === '' ? '' : `.${group}`}: ${verbs.join(', ')}`,
  );
  return [
    '',
    `requests without faults: ${counted(reads, 'read')}, ${counted(writes, 'write')}`,
    ...waste,
    'rights used:',
    ...used,
    ...(unsetFields.length === 0
      ? []
      : ['fields that the scenario does not set:', ...unsetFields.map((each) => `  ${each}`)]),
  ];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function junitText({ scenario, findings, plans, durationMs }: ReportData): string {
  const name = escaped(scenario);
  const seconds = (durationMs / 1000).toFixed(3);
  const cases = findings.map(({ oracle, message, faults, plan, story }) => {
    const body = [...faults.map((fault) => `when ${fault}`), `plan: ${plan}`, story].join('\n');
    return `    <testcase classname="${name}" name="${escaped(`${oracle}: ${message}`)}">\n      <failure message="${escaped(message)}">${escaped(body)}</failure>\n    </testcase>`;
  });
  const passed =
    findings.length === 0 ? [`    <testcase classname="${name}" name="${plans} plans" time="${seconds}"/>`] : [];
  const tests = findings.length + passed.length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites><testsuite name="${name}" tests="${tests}" failures="${findings.length}" time="${seconds}">`,
    ...cases,
    ...passed,
    '</testsuite></testsuites>\n',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters, which XML cannot carry, are left out. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? '');
}
