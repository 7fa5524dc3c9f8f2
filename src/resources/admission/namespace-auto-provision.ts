import { hasReason } from '../../api/index.ts';
import type { Namespace } from '../../api/types/core/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';

/** Creates the namespace of a new object if it does not exist. */
export function namespaceAutoProvision({
  objects,
  create,
}: Pick<AdmissionParts, 'objects' | 'create'>): AdmissionPlugin {
  if (create === undefined) throw new Error('missing client');
  const namespaces = objects.of<Namespace>('', 'namespaces');
  return {
    name: 'NamespaceAutoProvision',
    handles: ({ operation, resource }) => operation === 'CREATE' && resource.namespaced,
    async mutate(request) {
      const { namespace, dryRun } = request;
      if (dryRun || namespace === '' || (await namespaces.get('', namespace)) !== undefined) return;
      try {
        await create('/api/v1/namespaces', { metadata: { name: namespace } });
      } catch (error) {
        throw hasReason(error, 'Forbidden') ? error : refusal(request, messageOf(error));
      }
    },
  };
}
