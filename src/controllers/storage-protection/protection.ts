import { hasReason, type Kind, type KubernetesObject, type Observed, type Sendable } from '../../client/index.ts';
import { type Controller, controller, type ReconcileContext, type Watch } from '../../kit/index.ts';

export interface ProtectionOptions<T extends KubernetesObject> {
  readonly name: string;
  readonly queueName: string;
  readonly finalizer: string;
  /** Changes that may end a use. */
  readonly watches?: readonly Watch[];
  isUsed(object: Observed<T>, context: ReconcileContext): boolean | Promise<boolean>;
}

/**
 * Keeps objects that are to be deleted for as long as they are used, by a finalizer that admission gives to new ones; those
 * that are older get it here.
 */
export function protection<T extends KubernetesObject>(kind: Kind<T>, options: ProtectionOptions<T>): Controller {
  const { name, queueName, finalizer, watches = [] } = options;
  return controller(kind, {
    name,
    queueName,
    watches,
    async reconcile(object, context) {
      const isGoing = object.metadata.deletionTimestamp !== undefined;
      const { finalizers = [] } = object.metadata;
      if (isGoing !== finalizers.includes(finalizer)) return; // it goes unprotected, or stays protected
      if (isGoing && (await options.isUsed(object, context))) return;
      const wanted = isGoing ? finalizers.filter((each) => each !== finalizer) : [...finalizers, finalizer];
      // An update, not a patch: that is what the role of the controller allows.
      const changed = { ...object, metadata: { ...object.metadata, finalizers: wanted } };
      await context
        .objects(kind)
        .update(changed as Sendable<T>)
        .catch(unlessGone);
    },
  });
}

function unlessGone(error: unknown): void {
  if (!hasReason(error, 'NotFound')) throw error;
}
