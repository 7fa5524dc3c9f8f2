import type { Kind, KubernetesObject } from '../client/index.ts';
import type { ControllerOptions } from './controller-options.ts';
import type { Part } from './part.ts';
import { prepareController } from './reconcile/prepare-controller.ts';

/** A controller, to be run by an app. */
export interface Controller extends Part {
  readonly kind: Kind;
}

/**
 * A controller for the objects of a kind.
 *
 * Guarantees: one run at a time for each object, `concurrency` for all; a run that fails is tried again, later each time;
 * an object that changes during a run gets another one.
 */
export function controller<T extends KubernetesObject>(kind: Kind<T>, options: ControllerOptions<T>): Controller {
  return {
    name: options.name ?? kind.plural,
    kind,
    prepare: (context) => prepareController(kind, options, context),
  };
}
