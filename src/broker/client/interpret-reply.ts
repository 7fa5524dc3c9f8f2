import { isJsonObject } from '../protocol/identity-header.ts';
import type { BrokerVerb, JsonObject, OsbFailure, OsbLastOperation } from '../protocol/osb.ts';
import { BrokerUnreachable, type BrokerReply } from './broker-client.ts';

/** What an answer means to a platform. */
export type Outcome =
  | { readonly type: 'done'; readonly body: JsonObject }
  /** The work goes on in the background. */
  | { readonly type: 'begun'; readonly operation: string | undefined; readonly body: JsonObject }
  | (Failed & { readonly type: 'failed' });

/** What a failure means to a platform. */
export interface Failed {
  readonly message: string;
  /** The error code, such as `ConcurrencyError`. */
  readonly code: string | undefined;
  /** The broker may have made something that the platform does not know: the platform deletes it (orphan mitigation). */
  readonly leavesOrphan: boolean;
  /** The same request may succeed later; false for one that the broker has refused for good. */
  readonly isRetryable: boolean;
  readonly isUsable: boolean;
}

/** What a look at work in the background says. */
export type PollOutcome =
  | { readonly type: 'in progress'; readonly description: string | undefined; readonly afterMs: number | undefined }
  | { readonly type: 'succeeded' }
  | (Failed & { readonly type: 'failed' })
  /** No valid answer: the platform asks again. */
  | { readonly type: 'unknown'; readonly message: string };

/** Answers that mean that the work is done at once. */
const DONE: Readonly<Record<BrokerVerb, readonly number[]>> = {
  provision: [200, 201],
  update: [200],
  deprovision: [200, 410],
  bind: [200, 201],
  unbind: [200, 410],
};
const MAX_OPERATION_LENGTH = 10_000;
const CREATES: readonly BrokerVerb[] = ['provision', 'bind'];

/** What the answer to a request means, by the specification's tables of status codes and orphans. */
export function interpretReply(verb: BrokerVerb, reply: BrokerReply | BrokerUnreachable): Outcome {
  if (reply instanceof BrokerUnreachable)
    return failed(reply.message, { leavesOrphan: reply.isTimeout && CREATES.includes(verb), isRetryable: true });
  const { status, body, text } = reply;
  if (status === 202 || DONE[verb].includes(status)) {
    if (status === 410) return { type: 'done', body: {} };
    const problem = isJsonObject(body) ? malformation(body, status) : `${quoted(text)} is no JSON object`;
    if (problem !== undefined || !isJsonObject(body))
      return failed(`the broker has answered ${status}, and ${problem ?? ''}`, {
        leavesOrphan: CREATES.includes(verb) && status !== 200,
        isRetryable: true,
      });
    if (status !== 202) return { type: 'done', body };
    const { operation } = body;
    return { type: 'begun', operation: typeof operation === 'string' ? operation : undefined, body };
  }
  const { error: code, description, instance_usable: isUsable = true } = failureOf(body);
  const said = [code, description].filter((each) => each !== undefined && each !== '').join(': ');
  const isServers = status >= 500 || status < 400;
  return failed(`the broker has answered ${status}${said === '' ? '' : `: ${said}`}`, {
    code,
    isUsable,
    leavesOrphan: isServers && verb !== 'update',
    isRetryable: isServers || [401, 403, 408, 412, 413, 429].includes(status) || code === 'ConcurrencyError',
  });
}

/** What the answer to a look at an operation means. `verb` is what the operation does. */
export function interpretPoll(verb: BrokerVerb, reply: BrokerReply | BrokerUnreachable): PollOutcome {
  if (reply instanceof BrokerUnreachable) return { type: 'unknown', message: reply.message };
  const { status, body, retryAfterMs: afterMs } = reply;
  const isRemoval = verb === 'deprovision' || verb === 'unbind';
  if (status === 410 && isRemoval) return { type: 'succeeded' };
  if (status !== 200 || !isJsonObject(body)) {
    const { description } = failureOf(body);
    return {
      type: 'unknown',
      message: `the broker has answered ${status}${description === undefined ? '' : `: ${description}`}`,
    };
  }
  const {
    state,
    description,
    instance_usable: isUsable = true,
    update_repeatable: repeatable = true,
  } = body as Partial<OsbLastOperation>;
  switch (state) {
    case 'succeeded':
      return { type: 'succeeded' };
    case 'in progress':
      return { type: 'in progress', description, afterMs };
    case 'failed':
      return failed(description ?? 'the broker says that it has failed', {
        leavesOrphan: verb !== 'update',
        isRetryable: verb !== 'update' || repeatable,
        isUsable,
      });
    default:
      return { type: 'unknown', message: `the broker says that the state is ${JSON.stringify(state)}` };
  }
}

function failed(message: string, more: Partial<Failed>): Failed & { readonly type: 'failed' } {
  return { code: undefined, leavesOrphan: false, isRetryable: false, isUsable: true, ...more, type: 'failed', message };
}

/** What is wrong with the body of a success; undefined when nothing is. */
function malformation(body: JsonObject, status: number): string | undefined {
  const { operation, dashboard_url: dashboard } = body;
  if (status === 202 && operation !== undefined && operation !== null && typeof operation !== 'string')
    return '"operation" is no text';
  if (typeof operation === 'string' && operation.length > MAX_OPERATION_LENGTH)
    return `"operation" has more than ${MAX_OPERATION_LENGTH} characters`;
  if (dashboard !== undefined && dashboard !== null && typeof dashboard !== 'string')
    return '"dashboard_url" is no text';
  return undefined;
}

function failureOf(body: unknown): OsbFailure {
  if (!isJsonObject(body)) return {};
  const { error, description, instance_usable: isUsable } = body;
  return {
    ...(typeof error === 'string' && error !== '' ? { error } : {}),
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    ...(typeof isUsable === 'boolean' ? { instance_usable: isUsable } : {}),
  };
}

const MAX_QUOTED = 200;

function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}
