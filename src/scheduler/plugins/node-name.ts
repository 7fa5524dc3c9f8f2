import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';

const NAME = 'NodeName';
const OTHER_NODE = unresolvable(NAME, "node(s) didn't match the requested node name");

/** Filter: a pod with `spec.nodeName` may run on that node only. */
export function nodeName(): Plugin {
  return {
    name: NAME,
    events: [{ resource: 'Node', actions: ['Add'] }],
    filter({ pod }, node) {
      const wanted = pod.pod.spec?.nodeName ?? '';
      return wanted === '' || wanted === node.name ? undefined : OTHER_NODE;
    },
  };
}
