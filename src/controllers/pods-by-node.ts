import type { Pod } from '../api/types/core/v1.d.ts';
import type { Observed } from '../client/index.ts';
import type { Objects } from '../kit/index.ts';

const INDEX = 'controllers/node';

/** Lets pods be looked up by their node. */
export function indexPodsByNode(pods: Objects<Pod>): void {
  pods.addIndex(INDEX, nodeNames);
}

/** The pods on a node; they must have been indexed. */
export function podsOnNode(pods: Objects<Pod>, node: string): Observed<Pod>[] {
  return pods.list({ index: { name: INDEX, value: node } });
}

function nodeNames({ spec }: Observed<Pod>): readonly string[] {
  return spec?.nodeName === undefined || spec.nodeName === '' ? [] : [spec.nodeName];
}
