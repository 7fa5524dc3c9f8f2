import type { Clock, Random, UidSource } from '../../base/index.ts';
import type { ApiAnswer, ApiCall, ApiTarget, ResourceTarget } from './api-call.ts';
import type { ApiContext } from './api-storage.ts';
import { jsonAnswer } from './json-answer.ts';
import type { NewPlace } from './open-namespace.ts';
import type { Form } from './representation.ts';
import type { ServedKind } from './served-kind.ts';
import { partialMetadata, type Tables } from './table.ts';
import type { ApiObject } from '../../api/index.ts';

/** What every verb needs of a request for a resource. */
export interface VerbContext {
  readonly call: ApiCall;
  readonly target: ApiTarget & ResourceTarget;
  readonly served: ServedKind;
  readonly tables: Tables;
  readonly form: Form;
  readonly clock: Clock;
  readonly uids: UidSource;
  readonly random: Random;
  /** Refuses a namespace in which nothing may be created; see `ensureOpenNamespace`. */
  readonly ensureNamespace: (place: NewPlace) => Promise<void>;
  /** Warnings for the client, sent whatever the outcome. */
  readonly warnings: string[];
}

export function storageContext({ call, target }: VerbContext): ApiContext {
  return { namespace: target.namespace, user: target.user, signal: call.signal };
}

/** One object, in the representation that the client asked for. */
export function objectAnswer(status: number, object: ApiObject, context: VerbContext): ApiAnswer {
  return jsonAnswer(status, shown(object, context), context.warnings);
}

function shown(object: ApiObject, { form, tables, target, clock }: VerbContext): unknown {
  if (form === 'PartialObjectMetadata') return partialMetadata(object);
  if (form === 'object') return object;
  const { resourceVersion } = object.metadata;
  return tables.table([object], { resourceVersion }, { query: target.query, now: clock.now() });
}
