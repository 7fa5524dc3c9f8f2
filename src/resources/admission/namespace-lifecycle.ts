import { forbidden, notFound, StatusError } from '../../api/index.ts';
import { NAMESPACE_TERMINATING } from '../../api/meaning/index.ts';
import type { Namespace } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionTarget, ObjectsOf } from '../../apiserver/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';
import type { Whole } from '../kind.ts';

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);
const NAMESPACES = { group: '', resource: 'namespaces' };

/**
 * Refuses writes into a namespace that does not exist, new objects in one that is being deleted, and the deletion of the
 * namespaces that every cluster needs.
 */
export function namespaceLifecycle({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const namespaces = objects.of<Whole<Namespace>>('', 'namespaces');
  return {
    name: 'NamespaceLifecycle',
    handles: (target) => isNamespaceDelete(target) || isWriteInNamespace(target),
    mutate(request) {
      const { operation, namespace, name } = request;
      if (operation === 'DELETE') {
        if (IMMORTAL.has(name)) throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
        return;
      }
      const found = namespaces.atHand('', namespace);
      if (found === undefined) return checkNewest(namespaces, request);
      check(found, request);
    },
  };
}

async function checkNewest(namespaces: ObjectsOf<Whole<Namespace>>, request: AdmissionAttributes): Promise<void> {
  check(await namespaces.newest('', request.namespace), request);
}

function check(found: Whole<Namespace> | undefined, request: AdmissionAttributes): void {
  if (found === undefined) throw notFound(NAMESPACES, request.namespace);
  if (found.status.phase === 'Terminating' && request.operation === 'CREATE') throw terminating(request);
}

function isNamespaceDelete({ operation, resource }: AdmissionTarget): boolean {
  return operation === 'DELETE' && resource.group === '' && resource.plural === 'namespaces';
}

function isWriteInNamespace({ operation, resource }: AdmissionTarget): boolean {
  const isWrite = operation === 'CREATE' || operation === 'UPDATE';
  return isWrite && resource.namespaced && !isAccessReview(resource);
}

/** Access reviews pass, so that they do not reveal whether a namespace exists. */
function isAccessReview({ group, plural }: AdmissionTarget['resource']): boolean {
  return group === 'authorization.k8s.io' && plural === 'localsubjectaccessreviews';
}

function terminating(request: AdmissionAttributes): StatusError {
  const { namespace } = request;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = refusal(request, why);
  const cause = {
    reason: NAMESPACE_TERMINATING,
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message: status.message ?? '',
    details: { ...status.details, causes: [cause] },
  });
}
