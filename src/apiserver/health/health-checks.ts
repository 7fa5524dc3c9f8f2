import type { Logger, MetricRegistry } from '../../base/index.ts';
import type { Answer } from '../answers/answer.ts';
import { ANONYMOUS } from '../request/principal.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';

/** A condition for the server to be healthy. */
export interface HealthCheck {
  /** May contain slashes, such as `poststarthook/rbac/bootstrap-roles`. */
  readonly name: string;
  /** Throws when the check fails. */
  check(): void | Promise<void>;
}

/** The checks of each path. */
export interface HealthChecks {
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

/** Where results are reported. */
export interface HealthReport {
  /** The registry behind `/metrics/slis`. */
  readonly indicators: MetricRegistry;
  readonly log: Logger;
}

/**
 * `/livez`, `/readyz` and the older `/healthz`, as a whole or for a single check, with `?verbose` and `?exclude=`.
 *
 * When a check fails for a new reason, the reason is logged. The answer for all checks includes reasons for authenticated users;
 * kube-apiserver includes them only for single checks.
 */
export class HealthPaths implements PathHandler {
  readonly #checks: ReadonlyMap<string, readonly HealthCheck[]>;
  readonly #results;
  readonly #total;
  readonly #log: Logger;
  /** By check: the reason of its last failure. */
  readonly #failing = new Map<string, string>();

  constructor(checks: HealthChecks, { indicators, log }: HealthReport) {
    this.#log = log;
    this.#checks = new Map([
      ['livez', checks.livez],
      ['readyz', checks.readyz],
      ['healthz', checks.livez],
    ]);
    this.#results = indicators.gauge({
      name: 'kubernetes_healthcheck',
      help: 'What a health check found when it was last made: 1 when all was well, 0 otherwise.',
      labels: ['name', 'type'],
    });
    this.#total = indicators.counter({
      name: 'kubernetes_healthchecks_total',
      help: 'Health checks made, by what they found.',
      labels: ['name', 'type', 'status'],
    });
  }

  /** All served paths, for the list of paths. */
  get paths(): readonly string[] {
    return [...this.#checks].flatMap(([path, checks]) => [`/${path}`, ...checks.map(({ name }) => `/${path}/${name}`)]);
  }

  async handle(call: Call): Promise<Answer | undefined> {
    const [, path = '', name] = /^\/([a-z]+)(?:\/(.*))?$/s.exec(call.request.path) ?? [];
    const checks = this.#checks.get(path);
    if (checks === undefined) return undefined;
    if (name === undefined) return this.#all(checks, path, call);
    const check = checks.find((candidate) => candidate.name === name);
    if (check === undefined) return undefined;
    const failure = await this.#failureOf(check, path);
    if (failure === undefined) return text(200, 'ok', {});
    return text(500, `internal server error: ${failure}\n`);
  }

  async #all(checks: readonly HealthCheck[], path: string, call: Call): Promise<Answer> {
    const excluded = new Set(call.request.query.all('exclude'));
    const lines: string[] = [];
    let failed = false;
    const made = checks.map(async (check) => (excluded.has(check.name) ? undefined : this.#failureOf(check, path)));
    const failures = await Promise.all(made); // in parallel
    for (const [index, check] of checks.entries()) {
      if (excluded.delete(check.name)) {
        lines.push(`[+]${check.name} excluded: ok`);
        continue;
      }
      const failure = failures[index];
      const reason = call.principal.user.name === ANONYMOUS.name ? 'reason withheld' : failure;
      lines.push(failure === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: ${reason}`);
      failed ||= failure !== undefined;
    }
    if (excluded.size > 0) {
      const names = [...excluded].sort().map((name) => JSON.stringify(name));
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(',')}`);
    }
    if (failed) return text(500, `${lines.join('\n')}\n${path} check failed\n`);
    return text(200, call.request.query.has('verbose') ? `${lines.join('\n')}\n${path} check passed\n` : 'ok');
  }

  async #failureOf(check: HealthCheck, type: string): Promise<string | undefined> {
    const { name } = check;
    let failure: string | undefined;
    try {
      await check.check();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    this.#results.with({ name, type }).set(failure === undefined ? 1 : 0);
    this.#total.with({ name, type, status: failure === undefined ? 'success' : 'error' }).add();
    this.#logChange(name, failure);
    return failure;
  }

  #logChange(check: string, failure: string | undefined): void {
    if (failure === this.#failing.get(check)) return;
    if (failure === undefined) {
      this.#failing.delete(check);
      this.#log.info('health check passes again', { check });
    } else {
      this.#failing.set(check, failure);
      this.#log.info('health check fails', { check, error: failure });
    }
  }
}

const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };

function text(code: number, body: string, headers: Readonly<Record<string, string>> = NO_SNIFFING): Answer {
  return {
    type: 'bytes',
    code,
    contentType: 'text/plain; charset=utf-8',
    body,
    headers,
  };
}
