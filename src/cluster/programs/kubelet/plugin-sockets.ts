import { join, resolve } from 'node:path';
import type { OpenNodeBackend } from '../../../node/index.ts';

/** Nodes with the sockets of plugins, below a folder; they are loaded only where there is one. */
export function withPluginSockets(
  open: OpenNodeBackend,
  { pluginDir, isSingle }: { readonly pluginDir: string | undefined; readonly isSingle: boolean },
): OpenNodeBackend {
  if (pluginDir === undefined) return open;
  const root = resolve(pluginDir);
  const rootOf = (node: string): string => (isSingle ? root : join(root, node));
  return async (node, context) => {
    const { withDevicePlugins } = await import('../../../devices/index.ts');
    return await withDevicePlugins(open, rootOf)(node, context);
  };
}
