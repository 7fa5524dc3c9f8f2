import { type Quantity, quantityOf, StatusError } from '../../api/index.ts';
import { podRequests } from '../../api/meaning/index.ts';
import type { Node, Pod, PodSpec } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { amount } from '../core/resource-list.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';
import { isUpdateOf, storedObject, writtenObject } from './written-object.ts';

const OPERATING_SYSTEM = 'kubernetes.io/os';
const ZERO = quantityOf(0);

/** Refuses resizes beyond the capacity of the pod's node, and resizes of pods that are not on Linux. */
export function podResizeValidator({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const nodes = objects.of<Node>('', 'nodes');
  return {
    name: 'PodResizeValidator',
    handles: (target) => isUpdateOf(target, { group: '', plural: 'pods', subresource: 'resize' }),
    async validate(request) {
      const { metadata, spec } = writtenObject<Pod>(request);
      const { nodeName = '' } = spec;
      if (nodeName === '' || metadata.generation === storedObject<Pod>(request).metadata.generation) return;
      const node = await nodes.get('', nodeName);
      if (node === undefined) throw refusal(request, `node ${JSON.stringify(nodeName)} not found`);
      const system = node.metadata?.labels?.[OPERATING_SYSTEM] ?? 'linux';
      if (system !== 'linux') {
        const why = `pod resize is only supported on linux nodes, node ${JSON.stringify(nodeName)} is ${JSON.stringify(system)}`;
        throw refusedBecause(request, why, 'UnsupportedPlatform');
      }
      const lacking = lackingOf(spec, node);
      if (lacking.length === 0) return;
      const why = `node didn't have enough allocatable resources: ${lacking.join('; ')}`;
      throw refusedBecause(request, why, 'NodeCapacity');
    },
  };
}

function lackingOf(spec: PodSpec, { status }: Node): string[] {
  const requests = podRequests({ spec });
  const asked = (name: string): Quantity => requests.get(name) ?? ZERO;
  const given = (name: string): Quantity => amount(status?.allocatable?.[name] ?? '0');
  return [
    ...(asked('cpu').compare(given('cpu')) > 0
      ? [`cpu, requested: ${asked('cpu').milliValue()}, allocatable: ${given('cpu').milliValue()}`]
      : []),
    ...(asked('memory').compare(given('memory')) > 0
      ? [`memory, requested: ${asked('memory').value()}, allocatable: ${given('memory').value()}`]
      : []),
  ];
}

function refusedBecause(request: AdmissionAttributes, why: string, reason: string): StatusError {
  const { status, code, message } = refusal(request, why);
  return new StatusError({
    code,
    reason: 'Forbidden',
    message,
    details: { ...status.details, causes: [{ reason }] },
  });
}
