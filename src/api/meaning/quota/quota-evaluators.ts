import { type DeviceObjects, deviceClaimEvaluator } from './device-claim-evaluator.ts';
import { objectCount, type QuotaEvaluator } from './evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';
import { volumeClaimEvaluator } from './volume-claim-evaluator.ts';

/** Kinds that were counted under their own names before `count/` existed. */
const NAMED = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];

/** Kinds whose objects are not stored, or were never counted. */
const IGNORED = new Set([
  '/bindings',
  '/componentstatuses',
  'authentication.k8s.io/tokenreviews',
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  '/events',
  'events.k8s.io/events',
]);

/** Kinds that use more than their count, or are also counted under an older name. */
function specialEvaluators(objects: DeviceObjects): readonly QuotaEvaluator[] {
  return [
    podEvaluator,
    serviceEvaluator,
    volumeClaimEvaluator,
    deviceClaimEvaluator(objects),
    ...NAMED.map((plural) => objectCount('', plural, plural)),
  ];
}

/** The evaluators of all kinds; undefined for kinds that are never counted. */
export class QuotaEvaluators {
  readonly #special: ReadonlyMap<string, QuotaEvaluator>;

  constructor(objects: DeviceObjects) {
    this.#special = new Map(specialEvaluators(objects).map((each) => [`${each.group}/${each.plural}`, each]));
  }

  of(group: string, plural: string): QuotaEvaluator | undefined {
    const name = `${group}/${plural}`;
    return IGNORED.has(name) ? undefined : (this.#special.get(name) ?? objectCount(group, plural));
  }

  /** The evaluators of the kinds that use any of these resources, without duplicates. */
  measuring(names: readonly string[]): readonly QuotaEvaluator[] {
    const special = [...this.#special.values()].filter((each) => names.some((name) => each.measures(name)));
    const counted = names.map(countedKind).filter((kind) => kind !== undefined);
    const others = counted
      .filter(({ group, plural }) => !this.#special.has(`${group}/${plural}`))
      .map(({ group, plural }) => this.of(group, plural))
      .filter((each) => each !== undefined);
    return [...special, ...others];
  }
}

/** The kind that a `count/` resource counts. */
function countedKind(name: string): { readonly group: string; readonly plural: string } | undefined {
  const [, plural, group = ''] = /^count\/([^.]+)(?:\.(.+))?$/.exec(name) ?? [];
  return plural === undefined ? undefined : { group, plural };
}
