import { hasTaint, NOT_READY_TAINT } from '../../api/meaning/index.ts';
import type { Node, Taint } from '../../api/types/core/v1.d.ts';
import type { AdmissionPlugin, AdmissionAttributes } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';

const NOT_READY: Taint = { key: NOT_READY_TAINT, effect: 'NoSchedule' };

/** Taints a new node so that it gets no pods before the node lifecycle controller has found it ready and removed the taint. */
export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: 'TaintNodesByCondition',
    handles: ({ operation, resource, subresource }) =>
      operation === 'CREATE' && resource.group === '' && resource.plural === 'nodes' && subresource === '',
    mutate(request) {
      const { object } = request;
      const { spec = {} } = object as unknown as Whole<Node>;
      const taints = spec.taints ?? [];
      if (hasTaint(taints, NOT_READY)) return;
      const tainted = { ...spec, taints: [...taints, { ...NOT_READY }] };
      request.object = { ...object, spec: tainted } as unknown as AdmissionAttributes['object'];
    },
  };
}
