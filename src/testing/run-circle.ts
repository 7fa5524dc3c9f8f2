import type { App, ReconcileRecord } from '../kit/index.ts';

/** The longest loop that is searched for; of a longer one the most frequent steps are reported. */
const MAX_LOOP_STEPS = 20;
/** The number of recent runs that are examined. */
const LOOKED_AT = 200;

/** Describes a loop of reconciles from the apps' traces: the controllers, the objects and the causes. */
export function describeCircle(apps: readonly App[], maxRuns: number): string {
  const last = apps
    .flatMap((app) => app.trace().slice(-LOOKED_AT))
    .sort((left, right) => left.startedAt - right.startedAt)
    .slice(-LOOKED_AT);
  const steps = circleOf(last) ?? mostFrequent(last);
  const lines = steps.map(({ controller, key, why, writes, outcome }) => {
    const end = outcome === 'done' ? `${writes} writes` : outcome;
    return `  ${controller} for "${key}", ${end}; why: ${why.join(', ') || 'unknown'}`;
  });
  return [`more than ${maxRuns} runs for one object, which go round in circles:`, ...lines].join('\n');
}

function stepOf({ controller, key }: ReconcileRecord): string {
  return `${controller} ${key}`;
}

/** The shortest sequence that the last steps repeat. */
function circleOf(records: readonly ReconcileRecord[]): readonly ReconcileRecord[] | undefined {
  const steps = records.map(stepOf);
  for (let length = 1; length <= Math.min(MAX_LOOP_STEPS, steps.length / 3); length++) {
    const tail = steps.slice(-3 * length);
    if (tail.every((step, index) => step === tail[index % length])) return records.slice(-length);
  }
  return undefined;
}

function mostFrequent(records: readonly ReconcileRecord[]): readonly ReconcileRecord[] {
  const byStep = new Map<string, ReconcileRecord[]>();
  for (const record of records) byStep.set(stepOf(record), [...(byStep.get(stepOf(record)) ?? []), record]);
  const repeated = [...byStep.values()].filter(({ length }) => length > 2);
  return repeated.sort((left, right) => right.length - left.length).flatMap((same) => same.slice(-1));
}
