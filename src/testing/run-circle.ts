import type { App, ReconcileRecord } from '../kit/index.ts';

/** A circle has no more steps than this; a longer one is told by its steps that come most often. */
const LONGEST_CIRCLE = 20;
/** So many of the last runs are looked at. */
const LOOKED_AT = 200;

/** What the apps do again and again, from their traces: which controller, which object, and why. */
export function describeCircle(apps: readonly App[], maxRuns: number): string {
  const last = apps
    .flatMap((app) => app.trace().slice(-LOOKED_AT))
    .sort((left, right) => left.startedAt - right.startedAt)
    .slice(-LOOKED_AT);
  const steps = circleOf(last) ?? mostFrequent(last);
  const lines = steps.map(({ controller, key, why, writes, outcome }) => {
    const end = outcome === 'done' ? `${writes} writes` : outcome;
    return `  ${controller} for "${key}", ${end}; why: ${why.join(', ') || 'not told'}`;
  });
  return [`more than ${maxRuns} runs for one object, which go round in circles:`, ...lines].join('\n');
}

function stepOf({ controller, key }: ReconcileRecord): string {
  return `${controller} ${key}`;
}

/** The shortest sequence of steps that the last ones repeat. */
function circleOf(records: readonly ReconcileRecord[]): readonly ReconcileRecord[] | undefined {
  const steps = records.map(stepOf);
  for (let length = 1; length <= Math.min(LONGEST_CIRCLE, steps.length / 3); length++) {
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
