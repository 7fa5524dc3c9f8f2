import { isExtendedResource } from '../../api/meaning/index.ts';
import type { PodSpec, Toleration } from '../../api/types/core/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { isPodWrite, podOf, setPodSpec } from './written-pod.ts';

/** Makes pods that request an extended resource tolerate the taint of that name, which keeps others off such nodes. */
export function extendedResourceToleration(): AdmissionPlugin {
  return {
    name: 'ExtendedResourceToleration',
    handles: (target) => isPodWrite(target),
    mutate(request) {
      const { spec } = podOf(request);
      const names = extendedResourcesOf(spec);
      if (names.length > 0) setPodSpec(request, { ...spec, tolerations: tolerating(spec.tolerations ?? [], names) });
    },
  };
}

function extendedResourcesOf({ containers, initContainers = [] }: PodSpec): string[] {
  const asked = [...containers, ...initContainers].flatMap(({ resources }) => Object.keys(resources?.requests ?? {}));
  return [...new Set(asked)].filter(isExtendedResource).toSorted();
}

/** Equivalent tolerations are normalized; missing ones are added, sorted by name. */
function tolerating(stated: readonly Toleration[], names: readonly string[]): Toleration[] {
  const wanted = new Set(names);
  const missing = new Set(names);
  const kept = stated.map((toleration) => {
    const { key = '', operator, value = '', effect } = toleration;
    if (operator !== 'Exists' || effect !== 'NoSchedule' || value !== '' || !wanted.has(key)) return toleration;
    missing.delete(key);
    return tolerationOf(key);
  });
  return [...kept, ...[...missing].map(tolerationOf)];
}

function tolerationOf(key: string): Toleration {
  return { key, operator: 'Exists', effect: 'NoSchedule' };
}
