import type { TracedRequest, TracedStep } from '../../cluster/index.ts';
import type { Paint } from '../paint.ts';
import { activityLine, ms } from './activity.ts';
import { resourcePath } from './resource-path.ts';

/** The admission plugins that call webhooks. */
const CALLERS = new Set(['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook']);

/** One line for each webhook that a request called. */
export function webhookLines(request: TracedRequest, paint?: Paint): readonly string[] {
  const found = resourcePath(request.path);
  const about = `${request.method} ${found === undefined ? request.path : `${found.resource} ${found.key}`}`;
  const timeMs = Date.parse(request.time);
  return callsIn(request.steps).map(({ name, decision, durationMs, startMs, patch = [], reason = '' }) => {
    const changed = patch.length === 0 ? '' : `, ${patch.length} ${patch.length === 1 ? 'change' : 'changes'}`;
    const why = reason === '' ? '' : ` (${reason})`;
    const text = `${name}: ${decision}${changed} after ${ms(durationMs)} because of ${about} by ${request.user}${why}`;
    return activityLine({ timeMs: timeMs + startMs + durationMs, kind: 'webhook', text }, paint);
  });
}

function callsIn(steps: readonly TracedStep[]): readonly TracedStep[] {
  return steps.flatMap(({ name, steps: inner = [] }) =>
    CALLERS.has(name.replace(/, second pass$/, '')) ? inner : callsIn(inner),
  );
}
