import { bindPod } from '../../client/index.ts';
import type { Plugin } from '../framework/plugin.ts';
import type { PluginContext } from '../framework/plugin-context.ts';

/** Bind: sets the pod's node through its `binding` subresource. */
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
