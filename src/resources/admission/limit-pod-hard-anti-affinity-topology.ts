import { forbidden } from '../../api/index.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { isPodWrite, podOf } from './written-pod.ts';

const HOSTNAME = 'kubernetes.io/hostname';

/** Limits required anti-affinity of pods to their own node; whole zones or regions are refused. */
export function limitPodHardAntiAffinityTopology(): AdmissionPlugin {
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    handles: (target) => isPodWrite(target),
    validate(request) {
      const { metadata, spec } = podOf(request);
      const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const other = terms.find(({ topologyKey }) => topologyKey !== HOSTNAME);
      if (other === undefined) return;
      const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey} but only key ${HOSTNAME} is allowed`;
      throw forbidden({ group: '', resource: 'pods' }, metadata.name ?? '', why);
    },
  };
}
