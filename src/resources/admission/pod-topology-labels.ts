import type { Binding, Node, Pod } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { withEntries } from '../object-meta.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { isCreateOf, setMetadata, writtenObject } from './written-object.ts';

const PODS = { group: '', plural: 'pods' };
const LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** Labels pods with the zone and region of the node that they are bound to; a binding passes its labels on to the pod. */
export function podTopologyLabels({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const nodes = objects.of<Node>('', 'nodes');
  return {
    name: 'PodTopologyLabels',
    handles: (target) => isCreateOf(target, PODS) || isCreateOf(target, { ...PODS, subresource: 'binding' }),
    async mutate(request) {
      const name = nodeNameOf(request);
      const node = name === '' ? undefined : await nodes.get('', name);
      const known = Object.entries(node?.metadata?.labels ?? {}).filter(([key]) => LABELS.includes(key));
      if (known.length === 0) return;
      setMetadata(request, { labels: withEntries(request.object?.metadata.labels, Object.fromEntries(known)) });
    },
  };
}

function nodeNameOf(request: AdmissionAttributes): string {
  if (request.subresource === '') return writtenObject<Pod>(request).spec.nodeName ?? '';
  const { target } = writtenObject<Binding>(request);
  return target?.kind === 'Node' ? (target.name ?? '') : '';
}
