import type { ApiAnswer } from './api-call.ts';

/** A JSON answer with warning headers. */
export function jsonAnswer(status: number, value: unknown, warnings: readonly string[] = []): ApiAnswer {
  const warning = warnings.map((text) => `299 - ${JSON.stringify(text)}`);
  const headers = { 'content-type': 'application/json', ...(warning.length === 0 ? {} : { warning }) };
  return { status, headers, body: `${JSON.stringify(value)}\n` };
}
