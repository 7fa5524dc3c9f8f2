import { hasReason, type Kind, type KubernetesObject, type Observed, type Sendable } from '../../client/index.ts';
import { type Controller, controller, type ReconcileContext, type Watch } from '../../kit/index.ts';

export interface ProtectionOptions<T extends KubernetesObject> {
  readonly name: string;
  readonly queueName: string;
  readonly finalizer: string;
  /** Changes that may end the use of an object. */
  readonly watches?: readonly Watch[];
  isUsed(object: Observed<T>, context: ReconcileContext): boolean | Promise<boolean>;
}

/**
 * Blocks the deletion of objects in use by a finalizer. Admission adds it to new objects, this controller to older
 * ones.
 */
export function protection<T extends KubernetesObject>(kind: Kind<T>, options: ProtectionOptions<T>): Controller {
  const { name, queueName, finalizer, watches = [] } = options;
  return controller(kind, {
    name,
    queueName,
    watches,
    async reconcile(object, context) {
      const isTerminating = object.metadata.deletionTimestamp !== undefined;
      const { finalizers = [] } = object.metadata;
      if (isTerminating !== finalizers.includes(finalizer)) return; // unprotected and being deleted, or protected and not being deleted
      if (isTerminating && (await options.isUsed(object, context))) return;
      const wanted = isTerminating ? finalizers.filter((each) => each !== finalizer) : [...finalizers, finalizer];
      // An update instead of a patch, because the controller's role allows only that.
      const changed = { ...object, metadata: { ...object.metadata, finalizers: wanted } };
      await context
        .objects(kind)
        .update(changed as Sendable<T>)
        .catch(ignoreMissing);
    },
  });
}

function ignoreMissing(error: unknown): void {
  if (!hasReason(error, 'NotFound')) throw error;
}
