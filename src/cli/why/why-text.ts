import type { Pod, Stored } from '../../client/index.ts';
import type { SchedulingAttempt } from '../../cluster/index.ts';

/** The attempts to schedule a pod as text, newest last. */
export function attemptsText(attempts: readonly SchedulingAttempt[]): string {
  return attempts.map(attemptText).join('\n\n');
}

function attemptText(attempt: SchedulingAttempt): string {
  const { time, schedulerName, durationMs, node, message, rejections, scores, extenders, outcome } = attempt;
  const looked =
    attempt.evaluatedNodes === undefined
      ? ''
      : ` (${attempt.feasibleNodes ?? 0} of the ${attempt.evaluatedNodes} nodes that were looked at would do)`;
  const head = `${time}  ${schedulerName}, ${durationMs.toFixed(1)} ms`;
  return [
    head,
    node === undefined ? `  no node: ${message ?? ''}` : `  chose ${node}${looked}`,
    ...rejections.map(
      ({ by, reason, count, nodes, isResolvable }) =>
        `  ${count} × ${by === '' ? '' : `${by}: `}${reason}${isResolvable ? '' : ', whatever pods go'}${some(nodes, count)}`,
    ),
    ...extenders.map(
      ({ extender, verb, durationMs: ms, outcome: said }) =>
        `  extender ${extender} ${verb}: ${said}, ${ms.toFixed(1)} ms`,
    ),
    ...scores.map(({ node: name, total, byPlugin }) => {
      const parts = Object.entries(byPlugin).map(([plugin, score]) => `${plugin} ${score}`);
      return `  score ${total}  ${name}: ${parts.join(', ')}`;
    }),
    ...(outcome === undefined || outcome === `FailedScheduling: ${message ?? ''}` ? [] : [`  then ${outcome}`]),
  ].join('\n');
}

function some(nodes: readonly string[], count: number): string {
  if (nodes.length === 0) return '';
  return ` (${nodes.join(', ')}${count > nodes.length ? ', …' : ''})`;
}

/** The pod's own condition, for when no attempts are kept. */
export function conditionText({ spec, status }: Stored<Pod>): string {
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  const gates = (spec?.schedulingGates ?? []).map(({ name }) => name);
  if (spec?.nodeName !== undefined && spec.nodeName !== '') return `it is on node ${spec.nodeName}`;
  if (gates.length > 0) return `it waits for its scheduling gates: ${gates.join(', ')}`;
  if (condition === undefined)
    return `no scheduler has looked at it yet; it asks for "${spec?.schedulerName ?? 'default-scheduler'}"`;
  return `${condition.reason ?? ''}: ${condition.message ?? ''}`;
}
