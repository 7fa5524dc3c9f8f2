import type { KubernetesObject } from '../../client/index.ts';
import type { ClusterState } from './cluster-state.ts';
import { type AnsweredObject, type JournalRequest, resourceWords } from './journal.ts';
import { objectName } from './other-users.ts';
import type { ObjectName } from './plan.ts';
import type { RunResult } from './run-result.ts';

/** An object that the operator created in the run without faults. */
export interface OperatorObject {
  readonly name: ObjectName;
  readonly kind: string;
  readonly resource: string;
  readonly step: number;
  /** As it was sent. */
  readonly body: object;
  /** Written by server-side apply: the operator says what it must be, not only that it must exist. */
  readonly isApplied: boolean;
  /** It has a controller, which may create it again. */
  readonly isOwned: boolean;
}

/** The objects that the operator created, with names that do not change. */
export function operatorObjects({ journal }: RunResult): readonly OperatorObject[] {
  const found = new Map<ObjectName, OperatorObject>();
  for (const request of journal.writes) {
    const { answer, code, sent, step, verb } = request;
    if (code !== 201 || answer === undefined || typeof sent !== 'object' || sent === null) continue;
    const name = nameOf(answer, request);
    if (name === undefined || found.has(name)) continue;
    const owners = answer.metadata?.ownerReferences ?? [];
    found.set(name, {
      name,
      kind: answer.kind ?? '',
      resource: resourceWords(request),
      step,
      body: sent,
      isApplied: verb === 'patch',
      isOwned: owners.some(({ controller }) => controller === true),
    });
  }
  return [...found.values()];
}

function nameOf(
  { apiVersion, kind, metadata }: AnsweredObject,
  { subresource }: JournalRequest,
): ObjectName | undefined {
  const { name = '', namespace, generateName } = metadata ?? {};
  if (generateName !== undefined || subresource !== '' || kind === undefined || apiVersion === undefined)
    return undefined;
  return objectName({ apiVersion, kind, namespace, name });
}

/** The objects that users have created by the end of a step. */
export function userObjects(state: ClusterState, own: readonly OperatorObject[]): readonly ObjectName[] {
  const made = new Set(own.map(({ name }) => name));
  return state.objects.flatMap(({ id, kind, value, isTerminating }) => {
    const { apiVersion = '', metadata } = value as KubernetesObject;
    const { name = '', namespace, ownerReferences = [] } = metadata ?? {};
    const named = objectName({ apiVersion, kind, namespace, name });
    const isUsers = !id.includes('*') && !made.has(named) && ownerReferences.length === 0 && !isTerminating;
    return isUsers && kind !== 'deleted' ? [named] : [];
  });
}
