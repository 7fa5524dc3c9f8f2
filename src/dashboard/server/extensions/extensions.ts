import { hasReason } from '../../../api/client.ts';
import { messageOf } from '../../../base/index.ts';
import type { ExtensionMap } from '../../protocol.ts';
import type { Endpoint } from '../endpoint.ts';
import { accessMechanisms } from './access-mechanisms.ts';
import { admissionSteps } from './admission-steps.ts';
import { controllers } from './controllers.ts';
import { nodePlugins } from './node-plugins.ts';
import { recentSteps } from './recent-steps.ts';
import { schedulers } from './schedulers.ts';
import { servedGroups } from './served-groups.ts';

type Part = Exclude<keyof ExtensionMap, 'hidden'>;

/** `/keelson/extensions`: everything that extends this cluster, as far as the viewer may see it. */
export const extensions: Endpoint = async ({ viewer: { viewer }, query, signal }): Promise<ExtensionMap> => {
  const { client } = viewer;
  const seen = await recentSteps(client, signal);
  const asked = { client, signal, resource: query.get('resource') ?? '', seen };
  const mechanisms = accessMechanisms(seen);
  const parts: { readonly [Name in Part]?: () => Promise<ExtensionMap[Name]> } = {
    groups: () => servedGroups(asked),
    webhooks: () => admissionSteps(asked),
    controllers: () => controllers(asked),
    schedulers: () => schedulers(asked),
    nodes: () => nodePlugins(asked),
  };
  const hidden: { part: keyof ExtensionMap; reason: string }[] = [];
  const found = await Promise.all(
    Object.entries(parts).map(async ([part, read]) => {
      try {
        return [part, await read()] as const;
      } catch (error) {
        signal.throwIfAborted();
        hidden.push({
          part: part as Part,
          reason: hasReason(error, 'Forbidden') ? 'you may not see it' : messageOf(error),
        });
        return [part, undefined] as const;
      }
    }),
  );
  const known = Object.fromEntries(found.filter(([, value]) => value !== undefined));
  return { ...known, ...mechanisms, hidden };
};
