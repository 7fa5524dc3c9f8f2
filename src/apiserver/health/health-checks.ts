import type { Logger } from '../../base/index.ts';
import type { Answer } from '../answers/answer.ts';
import { ANONYMOUS, type Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';

/** Something that must be well for the server to be. */
export interface HealthCheck {
  readonly name: string;
  /** Resolves when all is well, throws what is wrong otherwise. */
  check(): void | Promise<void>;
}

/** Which checks stand behind which path. */
export interface HealthChecks {
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

/**
 * `/livez`, `/readyz` and the older `/healthz`, whole or check by check, with `?verbose` and `?exclude=`.
 *
 * Why a check fails is logged when that changes. The whole answer tells it to those who have shown who they are;
 * kube-apiserver tells it only check by check.
 */
export class HealthPaths implements PathHandler {
  readonly #paths: Readonly<Record<string, readonly HealthCheck[]>>;
  readonly #log: Logger;
  /** By check: why it failed the last time. */
  readonly #failing = new Map<string, string>();

  constructor(checks: HealthChecks, log: Logger) {
    this.#log = log;
    this.#paths = { livez: checks.livez, readyz: checks.readyz, healthz: checks.livez };
  }

  async handle(call: Call): Promise<Answer | undefined> {
    const [, path = '', name, ...rest] = call.path.split('/');
    const checks = this.#paths[path];
    if (checks === undefined || rest.length > 0) return undefined;
    if (name !== undefined && name !== '') return this.#one(checks, name);
    return this.#all(checks, path, call);
  }

  async #one(checks: readonly HealthCheck[], name: string): Promise<Answer | undefined> {
    const check = checks.find((candidate) => candidate.name === name);
    if (check === undefined) return undefined;
    const failure = await this.#failureOf(check);
    if (failure === undefined) return text(200, 'ok', {});
    return text(500, `internal server error: ${failure}\n`);
  }

  async #all(checks: readonly HealthCheck[], path: string, call: Call): Promise<Answer> {
    const excluded = new Set(call.query.all('exclude'));
    const lines: string[] = [];
    let failed = false;
    for (const check of checks) {
      if (excluded.delete(check.name)) {
        lines.push(`[+]${check.name} excluded: ok`);
        continue;
      }
      const failure = await this.#failureOf(check);
      const reason = call.user.name === ANONYMOUS.name ? 'reason withheld' : failure;
      lines.push(failure === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: ${reason}`);
      failed ||= failure !== undefined;
    }
    if (excluded.size > 0) {
      const names = [...excluded].sort().map((name) => JSON.stringify(name));
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(',')}`);
    }
    if (failed) return text(500, `${lines.join('\n')}\n${path} check failed\n`);
    return text(200, call.query.has('verbose') ? `${lines.join('\n')}\n${path} check passed\n` : 'ok');
  }

  async #failureOf(check: HealthCheck): Promise<string | undefined> {
    const failure = await failureOf(check);
    if (failure === this.#failing.get(check.name)) return failure;
    if (failure === undefined) {
      this.#failing.delete(check.name);
      this.#log.info('health check passes again', { check: check.name });
    } else {
      this.#failing.set(check.name, failure);
      this.#log.info('health check fails', { check: check.name, error: failure });
    }
    return failure;
  }
}

async function failureOf(check: HealthCheck): Promise<string | undefined> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
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
