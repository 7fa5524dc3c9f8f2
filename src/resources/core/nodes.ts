import type { Node } from '../../api/types/core/v1.d.ts';
import { nodeColumns } from '../columns/node-columns.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import { proxied } from './connections.ts';
import { checkNode, checkNodeUpdate } from './node-rules.ts';
import { nodeWarnings } from './node-warnings.ts';
import { roundToMilli } from './resource-list.ts';

export function nodes(environment: KindEnvironment): Kind {
  return defineKind<Node>({
    group: '',
    plural: 'nodes',
    columns: nodeColumns,
    folder: 'minions',
    /** A node registers itself with its status. */
    statusOnCreate: 'kept',
    judges: ['spec.taints', 'spec.taints.key', 'spec.taints.value', 'spec.taints.effect', 'spec.podCIDRs'],

    applyDefaults(node) {
      const { spec, status } = node;
      const { podCIDR = '', podCIDRs = [] } = spec;
      if (podCIDR !== '' && podCIDRs[0] !== podCIDR) spec.podCIDRs = [podCIDR];
      else if (podCIDR === '' && podCIDRs[0] !== undefined) spec.podCIDR = podCIDRs[0];
      if (status.allocatable === undefined && status.capacity !== undefined)
        status.allocatable = { ...status.capacity };
      roundToMilli(status.capacity);
      roundToMilli(status.allocatable);
    },

    prepareForCreate(node) {
      dropConfigSource(node);
      dropStatusConfig(node);
    },

    prepareForUpdate(node, old) {
      if (old.spec.configSource === undefined) dropConfigSource(node);
    },

    prepareForStatusUpdate(node, old) {
      if (old.status.config === undefined) dropStatusConfig(node);
    },

    validate: checkNode,
    validateUpdate: checkNodeUpdate,
    validateStatus: checkNodeUpdate,
    warnings: nodeWarnings,
    selectable: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
    subresources: { proxy: proxied(environment, 'nodeproxy') },
  });
}

function dropConfigSource(node: Whole<Node>): void {
  const { configSource, ...spec } = node.spec;
  if (configSource !== undefined) node.spec = spec;
}

function dropStatusConfig(node: Whole<Node>): void {
  const { config, ...status } = node.status;
  if (config !== undefined) node.status = status;
}
