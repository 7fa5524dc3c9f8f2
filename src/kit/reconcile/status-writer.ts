import { clone, deepEqual } from '../../base/index.ts';
import { hasReason, type Kind, type KubernetesObject, type Observed, type Sendable } from '../../client/index.ts';
import type { Objects } from '../objects.ts';
import type { EchoFilter } from '../work/echo-filter.ts';
import { isStated, type Statement, statementOf } from './statement.ts';

export interface StatusParts<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly objects: Objects<T>;
  /** Identifies the object for the echo filter. */
  readonly id: string;
  readonly fieldManager: string;
  readonly echoes: EchoFilter;
}

/**
 * Writes the status that a reconciler has returned, if it differs; `earlier` is the last one written, if any.
 *
 * It is applied: fields that others have written stay, and fields that are no longer returned are removed.
 */
export async function writeStatus<T extends KubernetesObject>(
  object: Observed<T>,
  change: { readonly status: object; readonly earlier: Statement | undefined },
  parts: StatusParts<T>,
): Promise<Statement> {
  const status: object = clone(change.status);
  const actual = (object as { readonly status?: unknown }).status;
  if (isStated(status, actual, change.earlier)) return change.earlier as Statement;
  if (change.earlier === undefined && deepEqual(status, actual)) return statementOf(status, actual);
  const { kind, objects, echoes, id, fieldManager } = parts;
  const { name, namespace, uid } = object.metadata;
  const intent = { kind: kind.kind, apiVersion: kind.apiVersion, metadata: { name, namespace, uid }, status };
  const write = async (): Promise<Observed<T>> => {
    try {
      return await objects.applyStatus(intent as unknown as Sendable<T>, { fieldManager, force: true });
    } catch (error) {
      const isUnserved = hasReason(error, 'NotFound') && error.status.details?.name === undefined;
      if (!isUnserved) throw error;
      throw new Error(`Cannot write the status of ${kind.kind} "${name}": the kind has no status subresource`, {
        cause: error,
      });
    }
  };
  const answer = await echoes.write(id, write, (written) => isSameButStatus(written, object));
  return statementOf(status, (answer as { readonly status?: unknown }).status);
}

/** Whether no other writer has changed the object meanwhile: then the reconciler need not run again. */
function isSameButStatus({ metadata }: Observed<KubernetesObject>, before: Observed<KubernetesObject>): boolean {
  const { generation, deletionTimestamp, labels, annotations, finalizers, ownerReferences } = before.metadata;
  return (
    metadata.generation === generation &&
    metadata.deletionTimestamp === deletionTimestamp &&
    deepEqual([metadata.labels, metadata.annotations], [labels, annotations]) &&
    deepEqual([metadata.finalizers, metadata.ownerReferences], [finalizers, ownerReferences])
  );
}
