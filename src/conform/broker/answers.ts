import { type BrokerReply, isJsonObject, type JsonObject } from '../../broker/index.ts';
import { expectThat } from '../suite.ts';

/** The body of an answer; empty when it is no object. */
export function objectOf({ body }: BrokerReply): JsonObject {
  return isJsonObject(body) ? body : {};
}

export function textIn(reply: BrokerReply, field: string): string | undefined {
  const value = objectOf(reply)[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The body of a success. */
export function expectObject(reply: BrokerReply, what: string): JsonObject {
  expectThat(isJsonObject(reply.body), `${what} has answered ${reply.status} without a JSON object`);
  return reply.body;
}

/** The body of a failure, where there is one: words, and what became of an instance only where that is meant. */
export function checkFailure(reply: BrokerReply, what: string): void {
  const body = objectOf(reply);
  for (const field of ['error', 'description'])
    expectThat(
      body[field] === undefined || (typeof body[field] === 'string' && body[field] !== ''),
      `${what} has failed with "${field}" ${JSON.stringify(body[field])}, which is no text, or empty`,
    );
}

const MAX_OPERATION_LENGTH = 10_000;

/** The answer to what was begun in the background. */
export function checkBegun(reply: BrokerReply, what: string): void {
  const { operation } = expectObject(reply, what);
  expectThat(
    operation === undefined || operation === null || typeof operation === 'string',
    `"operation" of ${what} is ${JSON.stringify(operation)}, and no text`,
  );
  expectThat(
    typeof operation !== 'string' || operation.length <= MAX_OPERATION_LENGTH,
    `"operation" of ${what} has more than ${MAX_OPERATION_LENGTH} characters`,
  );
}

/** An answer about an instance. */
export function checkDashboard(reply: BrokerReply, what: string): void {
  const { dashboard_url: url } = expectObject(reply, what);
  expectThat(
    url === undefined || url === null || typeof url === 'string',
    `"dashboard_url" of ${what} is ${JSON.stringify(url)}, and neither a text nor null`,
  );
}

const STATES = ['in progress', 'succeeded', 'failed'];

/** An answer about work in the background. `isUpdate` is whether it may say what became of an instance. */
export function checkState(reply: BrokerReply, what: string): string {
  const body = expectObject(reply, what);
  const { state, description } = body;
  expectThat(typeof state === 'string' && STATES.includes(state), `"state" of ${what} is ${JSON.stringify(state)}`);
  expectThat(
    description === undefined || (typeof description === 'string' && description !== ''),
    `"description" of ${what} is ${JSON.stringify(description)}, and no text that is not empty`,
  );
  const after = reply.headers['retry-after'];
  expectThat(
    after === undefined || reply.retryAfterMs !== undefined || Number.isFinite(Date.parse(after)),
    `Retry-After of ${what} is "${after ?? ''}", and neither seconds nor a date`,
  );
  return state;
}
