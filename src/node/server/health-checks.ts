import type { HealthCheck } from '../backend/index.ts';
import { MetricTable } from '../metric-table.ts';
import type { Family } from '../backend/metric-family.ts';
import { type NodeRequest, refusal, type TextAnswer } from './node-request.ts';

/** The results of checks: the document of `/metrics/slis`. */
export class HealthMetrics {
  readonly #table = new MetricTable({
    kubernetes_healthcheck: {
      type: 'gauge',
      help: '[STABLE] 1 if the check passed when it was last made, 0 otherwise.',
    },
    kubernetes_healthchecks_total: { type: 'counter', help: '[STABLE] Checks that were made, by result.' },
  });

  checked(checks: readonly HealthCheck[]): void {
    for (const check of checks) {
      const { name } = check;
      const isPassed = check.problem() === undefined;
      this.#table.set('kubernetes_healthcheck', isPassed ? 1 : 0, { name, type: 'healthz' });
      const status = isPassed ? 'success' : 'error';
      this.#table.add('kubernetes_healthchecks_total', { name, type: 'healthz', status });
    }
  }

  families(): readonly Family[] {
    return this.#table.families();
  }
}

/** A check that passes as long as the process answers. */
export function alive(name: string): HealthCheck {
  return { name, problem: () => undefined };
}

/** `/healthz` of a component with these checks. Why a check fails is said at its own path only. */
export function healthAnswer(
  { path, query }: Pick<NodeRequest, 'path' | 'query'>,
  checks: readonly HealthCheck[],
): TextAnswer {
  const [, , name = '', ...rest] = path.split('/');
  const single = checks.find((check) => check.name === name);
  if (rest.length > 0 || (name !== '' && single === undefined)) return refusal(404, '404 page not found\n');
  const problem = single?.problem();
  if (problem !== undefined) return refusal(500, `internal server error: ${problem}\n`);
  if (single !== undefined) return refusal(200, 'ok');
  const excluded = new Set(query.getAll('exclude'));
  const unknown = [...excluded].filter((each) => !checks.some((check) => check.name === each)).toSorted();
  let isHealthy = true;
  const lines = checks.map((check) => {
    if (excluded.has(check.name)) return `[+]${check.name} excluded: ok\n`;
    if (check.problem() === undefined) return `[+]${check.name} ok\n`;
    isHealthy = false;
    return `[-]${check.name} failed: reason withheld\n`;
  });
  if (unknown.length > 0) {
    const names = unknown.map((each) => JSON.stringify(each)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  }
  if (!isHealthy) return refusal(500, `${lines.join('')}healthz check failed\n`);
  return refusal(200, query.has('verbose') ? `${lines.join('')}healthz check passed\n` : 'ok');
}
