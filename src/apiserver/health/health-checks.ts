import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
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

/** `/livez`, `/readyz` and the older `/healthz`, whole or check by check, with `?verbose` and `?exclude=`. */
export class HealthPaths implements PathHandler {
  readonly #paths: Readonly<Record<string, readonly HealthCheck[]>>;

  constructor(checks: HealthChecks) {
    this.#paths = { livez: checks.livez, readyz: checks.readyz, healthz: checks.livez };
  }

  async handle(call: Call): Promise<Answer | undefined> {
    const [, path = '', name, ...rest] = call.path.split('/');
    const checks = this.#paths[path];
    if (checks === undefined || rest.length > 0) return undefined;
    if (name !== undefined && name !== '') return this.#one(checks, name);
    return answerAll(checks, path, call);
  }

  async #one(checks: readonly HealthCheck[], name: string): Promise<Answer | undefined> {
    const check = checks.find((candidate) => candidate.name === name);
    if (check === undefined) return undefined;
    const failure = await failureOf(check);
    if (failure === undefined) return text(200, 'ok', {});
    return text(500, `internal server error: ${failure}\n`);
  }
}

async function answerAll(checks: readonly HealthCheck[], path: string, call: Call): Promise<Answer> {
  const excluded = new Set(call.query.all('exclude'));
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    if (excluded.delete(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const failure = await failureOf(check);
    lines.push(failure === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`);
    failed ||= failure !== undefined;
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort().map((name) => JSON.stringify(name));
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(',')}`);
  }
  if (failed) return text(500, `${lines.join('\n')}\n${path} check failed\n`);
  return text(200, call.query.has('verbose') ? `${lines.join('\n')}\n${path} check passed\n` : 'ok');
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
