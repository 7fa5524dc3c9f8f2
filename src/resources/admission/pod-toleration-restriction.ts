import { notFound, StatusError } from '../../api/index.ts';
import type { Namespace, Toleration } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { qosClass } from '../../api/meaning/index.ts';
import { isEachCovered, mergeTolerations } from '../node/merge-tolerations.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { readTolerationRules } from './configuration/toleration-rules.ts';
import { tolerationsInAnnotation } from './tolerations-annotation.ts';
import { isPodWrite, podOf, setPodSpec } from './written-pod.ts';

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const MEMORY_PRESSURE: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/**
 * Adds the tolerations in the annotations of the namespace, or the cluster's defaults, to new pods, and refuses others than
 * these allow.
 */
export function podTolerationRestriction(
  { objects }: Pick<AdmissionParts, 'objects'>,
  configuration?: string,
): AdmissionPlugin {
  const namespaces = objects.of<Namespace>('', 'namespaces');
  const rules = readTolerationRules(configuration);

  async function stated(name: string, annotation: string): Promise<readonly Toleration[] | undefined> {
    const found = (await namespaces.get('', name)) ?? (await namespaces.newest('', name));
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
    const text = found.metadata?.annotations?.[annotation];
    return text === undefined ? undefined : tolerationsInAnnotation(text);
  }

  async function check(request: AdmissionAttributes): Promise<void> {
    const { tolerations = [] } = podOf(request).spec;
    if (tolerations.length === 0) return;
    const own = await stated(request.namespace, WHITELIST);
    const whitelist = own ?? rules.whitelist ?? [];
    if (whitelist.length === 0 || isEachCovered(tolerations, whitelist)) return;
    const what = 'pod tolerations (possibly merged with namespace default tolerations)';
    const message = `${what} conflict with its ${own === undefined ? 'cluster' : 'namespace'} whitelist`;
    throw new StatusError({ code: 500, message }); // an untyped error upstream
  }

  return {
    name: 'PodTolerationRestriction',
    handles: (target) => isPodWrite(target),
    async mutate(request) {
      const { spec } = podOf(request);
      const added =
        request.operation === 'CREATE' ? ((await stated(request.namespace, DEFAULTS)) ?? rules.default ?? []) : [];
      const extra = qosClass(spec) === 'BestEffort' ? added : [...added, MEMORY_PRESSURE];
      if (extra.length > 0)
        setPodSpec(request, { ...spec, tolerations: mergeTolerations(spec.tolerations ?? [], extra) });
      await check(request);
    },
    validate: check,
  };
}
