import { BrokerError } from '../protocol/broker-error.ts';
import type { OsbLastOperation } from '../protocol/osb.ts';
import type { InstanceRecord, OperationRecord } from '../records/broker-records.ts';
import { answer, type BrokerAnswer } from './broker-answer.ts';
import type { OfferedCatalog, OfferedPlan } from './broker-catalog.ts';
import type { BrokerDefinition, ServiceInstance } from './broker-definition.ts';
import type { InstanceStore } from './instance-store.ts';
import { malformed } from './request-fields.ts';
import type { VerbRunner } from './verb-runner.ts';

/** What all verbs work with. */
export interface VerbParts {
  readonly definition: BrokerDefinition;
  readonly catalog: OfferedCatalog;
  readonly store: InstanceStore;
  readonly runner: VerbRunner;
}

/** An instance as functions get it. */
export function instanceSubject(record: InstanceRecord, catalog: OfferedCatalog): ServiceInstance {
  const { id, serviceId, planId, parameters, context, organization, space } = record;
  const plan = catalog.plan(serviceId, planId); // a plan may have left the catalog
  return {
    id,
    service: plan?.service ?? serviceId,
    plan: plan?.name ?? planId,
    parameters,
    context,
    organization,
    space,
  };
}

/** The plan that a request names. */
export function offered(catalog: OfferedCatalog, serviceId: string, planId: string): OfferedPlan {
  const plan = catalog.plan(serviceId, planId);
  if (plan === undefined) throw malformed(`The catalog has no plan "${planId}" of a service "${serviceId}"`);
  return plan;
}

/** The answer to a question about an operation. */
export function stateAnswer(
  operation: OperationRecord | undefined,
  asked: string | undefined,
  removal: 'deprovision' | 'unbind',
): BrokerAnswer {
  if (operation === undefined) {
    if (asked !== undefined) throw malformed(`There was no operation "${asked}"`);
    return answer(200, { state: 'succeeded' } satisfies OsbLastOperation); // it was made at once
  }
  if (asked !== undefined && asked !== operation.id)
    throw malformed(`Operation "${asked}" is not the last one, which is "${operation.id}"`);
  const { state, description, verb, isUsable, isRepeatable } = operation;
  const isFailed = state === 'failed';
  const saysUsable = isFailed && isUsable !== undefined && (verb === 'update' || verb === removal);
  return answer(200, {
    state,
    ...(description === undefined || description === '' ? {} : { description }),
    ...(saysUsable && removal === 'deprovision' ? { instance_usable: isUsable } : {}),
    ...(isFailed && verb === 'update' && isRepeatable !== undefined ? { update_repeatable: isRepeatable } : {}),
  } satisfies OsbLastOperation);
}

/** What is not there was removed, if that is what the operation was for. */
export function goneOrUnknown(
  operation: string | undefined,
  removal: 'deprovision' | 'unbind',
  message: string,
): BrokerAnswer {
  if (operation?.startsWith(`${removal}-`) === true) return answer(410);
  throw new BrokerError(404, message);
}
