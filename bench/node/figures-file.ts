import { appendFileSync, readFileSync } from 'node:fs';
import type { Measure, Report } from '../api/report.ts';

/** What a node's own process tells the one that started it, a line each. */
export type Told =
  | { readonly type: 'figure'; readonly measure: Measure; readonly value: number }
  | { readonly type: 'failure'; readonly part: string; readonly message: string };

/** Written at once, so that a process that is killed has told what it knew. */
export function tell(path: string, told: Told): void {
  appendFileSync(path, `${JSON.stringify(told)}\n`);
}

/** Adds what a process has told to the report. */
export function addTold(report: Report, path: string, agent: string): void {
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const told = JSON.parse(line) as Told;
    if (told.type === 'figure') report.add(agent, told.measure, told.value);
    else report.addFailure(agent, told.part, told.message);
  }
}
