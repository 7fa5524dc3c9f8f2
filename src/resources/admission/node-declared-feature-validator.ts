import { quoteGo } from '../../api/index.ts';
import { isSidecar } from '../../api/meaning/index.ts';
import type { Node, Pod, PodSpec } from '../../api/types/core/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';
import { isUpdateOf, storedObject, writtenObject } from './written-object.ts';

const PODS = { group: '', plural: 'pods' };

/** The node features that changes of a running pod need, by the names with which nodes declare them (KEP-5328). */
const FEATURES: readonly { readonly name: string; readonly isNeeded: (spec: PodSpec, old: PodSpec) => boolean }[] = [
  {
    name: 'InPlacePodLevelResourcesVerticalScaling',
    isNeeded: (spec, old) => !deepEqual(spec.resources, old.resources),
  },
  {
    name: 'InPlacePodVerticalScalingInitContainers',
    isNeeded: (spec, old) =>
      (old.initContainers ?? []).some(
        (container, index) =>
          !isSidecar(container) && !deepEqual(container.resources, spec.initContainers?.[index]?.resources),
      ),
  },
];

/** Refuses changes of a running pod that need a feature its node does not declare. */
export function nodeDeclaredFeatureValidator({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const nodes = objects.of<Node>('', 'nodes');
  return {
    name: 'NodeDeclaredFeatureValidator',
    handles: (target) => isUpdateOf(target, PODS) || isUpdateOf(target, { ...PODS, subresource: 'resize' }),
    async validate(request) {
      const { metadata, spec } = writtenObject<Pod>(request);
      const old = storedObject<Pod>(request);
      const { nodeName = '' } = spec;
      if (nodeName === '' || metadata.generation === old.metadata.generation) return;
      const needed = FEATURES.filter(({ isNeeded }) => isNeeded(spec, old.spec)).map(({ name }) => name);
      if (needed.length === 0) return;
      const node = await nodes.get('', nodeName);
      if (node === undefined) throw refusal(request, `node ${quoteGo(nodeName)} not found`);
      const lacking = needed.filter((name) => !(node.status?.declaredFeatures ?? []).includes(name));
      if (lacking.length === 0) return;
      const what = `pod update requires features ${lacking.join(', ')}`;
      throw refusal(request, `${what} which are not available on node ${quoteGo(nodeName)}`);
    },
  };
}
