import { notFound } from '../../api/index.ts';
import type { Namespace } from '../../api/types/core/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import type { AdmissionParts } from './admission-parts.ts';

/** Refuses writes and deletions in a namespace that does not exist. */
export function namespaceExists({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const namespaces = objects.of<Namespace>('', 'namespaces');
  return {
    name: 'NamespaceExists',
    handles: ({ operation, resource }) => operation !== 'CONNECT' && resource.namespaced,
    async validate({ namespace }) {
      if (namespace === '') return;
      const found = (await namespaces.get('', namespace)) ?? (await namespaces.newest('', namespace));
      if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    },
  };
}
