import type { ClientReport, StepOutcome } from './outcome.ts';

/** A server that programs are tried on: ours, or etcd with kube-apiserver. */
export type ServerName = 'keelson' | 'kube';

/** What one subject found on one server, last time. */
export interface InteropResult {
  readonly subject: string;
  readonly server: ServerName;
  readonly version: string;
  readonly passed: number;
  readonly steps: readonly string[];
  readonly failures: readonly { readonly step: string; readonly message: string }[];
}

export type Failure = Extract<StepOutcome, { readonly passed: false }>;

/** A report, as it is kept. */
export function resultOf(subject: string, server: ServerName, { version, outcomes }: ClientReport): InteropResult {
  const failures = outcomes.filter((outcome): outcome is Failure => !outcome.passed);
  return {
    subject,
    server,
    version,
    passed: outcomes.length - failures.length,
    steps: outcomes.map(({ step }) => step),
    failures: failures.map(({ step, message }) => ({ step, message })),
  };
}

/** The kept results with those of a run in the place of older ones, in the order of the subjects; others are dropped. */
export function mergeResults(
  kept: readonly InteropResult[],
  fresh: readonly InteropResult[],
  subjects: readonly string[],
): InteropResult[] {
  const keyOf = ({ subject, server }: InteropResult): string => `${server} ${subject}`;
  const merged = new Map([...kept, ...fresh].map((result) => [keyOf(result), result]));
  return [...merged.values()]
    .filter(({ subject }) => subjects.includes(subject))
    .sort((a, b) => subjects.indexOf(a.subject) - subjects.indexOf(b.subject) || (a.server < b.server ? -1 : 1));
}

export function parseResults(text: string): InteropResult[] {
  return (JSON.parse(text) as { results: InteropResult[] }).results;
}

export function printResults(results: readonly InteropResult[]): string {
  return `${JSON.stringify({ results }, undefined, 2)}\n`;
}
