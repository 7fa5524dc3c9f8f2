import { bindPod } from '../../client/index.ts';
import type { Plugin } from '../framework/plugin.ts';
import type { PluginContext } from '../framework/plugin-context.ts';

/** Bind: writes the node's name into the pod, by its `binding`. */
export function defaultBinder({ client }: Pick<PluginContext, 'client'>): Plugin {
  return {
    name: 'DefaultBinder',
    async bind({ pod }, node, { signal }) {
      const { name, namespace, uid } = pod.pod.metadata;
      if (client === undefined) throw new Error(`Cannot bind pod "${pod.key}": there is no API server`);
      await bindPod(client.core.v1.pods.namespace(namespace ?? ''), name, { node, uid, signal });
      return true;
    },
  };
}
