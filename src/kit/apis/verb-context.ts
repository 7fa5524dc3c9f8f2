import type { Clock, UidSource } from '../../base/index.ts';
import type { ApiAnswer, ApiCall, ApiTarget, ResourceTarget } from './api-call.ts';
import type { ApiContext } from './api-storage.ts';
import type { Form } from './representation.ts';
import type { ServedKind } from './served-kind.ts';
import { partialMetadata, type Tables } from './table.ts';
import type { ApiObject } from '../../api/index.ts';

/** What all verbs need to know of a request for a resource. */
export interface VerbContext {
  readonly call: ApiCall;
  readonly target: ApiTarget & ResourceTarget;
  readonly served: ServedKind;
  readonly tables: Tables;
  readonly form: Form;
  readonly clock: Clock;
  readonly uids: UidSource;
  /** For the client to read, whatever comes of the request. */
  readonly warnings: string[];
}

export function storageContext({ call, target }: VerbContext): ApiContext {
  return { namespace: target.namespace, user: target.user, signal: call.signal };
}

/** JSON, with whatever the client is warned of. */
export function jsonAnswer(status: number, value: unknown, warnings: readonly string[] = []): ApiAnswer {
  const warning = warnings.map((text) => `299 - ${JSON.stringify(text)}`);
  const headers = { 'content-type': 'application/json', ...(warning.length === 0 ? {} : { warning }) };
  return { status, headers, body: `${JSON.stringify(value)}\n` };
}

/** One object, in the form that the client asked for. */
export function objectAnswer(status: number, object: ApiObject, context: VerbContext): ApiAnswer {
  return jsonAnswer(status, shown(object, context), context.warnings);
}

function shown(object: ApiObject, { form, tables, target, clock }: VerbContext): unknown {
  if (form === 'PartialObjectMetadata') return partialMetadata(object);
  if (form === 'object') return object;
  const { resourceVersion } = object.metadata;
  return tables.table([object], { resourceVersion }, { query: target.query, now: clock.now() });
}
