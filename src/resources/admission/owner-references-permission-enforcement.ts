import { quoteGo } from '../../api/index.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type {
  AccessDecision,
  AdmissionAttributes,
  AdmissionPlugin,
  AdmissionTarget,
  Authorizer,
  Resource,
  ResourceRegistry,
} from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import { decisionOn, mayDo } from './access-question.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';

type Parts = Pick<AdmissionParts, 'authorizer' | 'registry'>;

/**
 * Requires the permission to delete an object from users who change its owners, and the permission to set an owner's
 * finalizers from users who make the object block that owner's deletion.
 */
export function ownerReferencesPermissionEnforcement(parts: Parts): AdmissionPlugin {
  const { authorizer, registry } = parts;
  if (authorizer === undefined) throw new Error('missing authorizer');
  if (registry === undefined) throw new Error('missing restMapper');
  return new OwnerReferences(authorizer, registry);
}

class OwnerReferences implements AdmissionPlugin {
  readonly name = 'OwnerReferencesPermissionEnforcement';
  readonly #authorizer: Authorizer;
  readonly #registry: ResourceRegistry;

  constructor(authorizer: Authorizer, registry: ResourceRegistry) {
    this.#authorizer = authorizer;
    this.#registry = registry;
  }

  /** Skips the status of pods: old kubelets send it with outdated references, which are dropped. */
  handles({ operation, resource, subresource }: AdmissionTarget): boolean {
    const isPodStatus = resource.group === '' && resource.plural === 'pods' && subresource === 'status';
    return (operation === 'CREATE' || operation === 'UPDATE') && !isPodStatus;
  }

  async validate(request: AdmissionAttributes): Promise<void> {
    const [now, before] = [referencesOf(request.object), referencesOf(request.old)];
    if (deepEqual(now, before)) return;
    if (request.operation !== 'CREATE') await this.#checkDeletion(request);
    const blocking = newlyBlocking(now, before);
    if (blocking.length === 0 || (await mayDo(this.#authorizer, request, ANYTHING))) return;
    for (const reference of blocking) await this.#checkBlocking(request, reference);
  }

  async #checkDeletion(request: AdmissionAttributes): Promise<void> {
    const { namespace, name, subresource } = request;
    const { group, version, plural: resource } = request.resource;
    const asked = { verb: 'delete', group, version, resource, namespace, name, subresource };
    const decision = await decisionOn(this.#authorizer, request, asked);
    if (decision.verdict === 'allow') return;
    throw refusal(request, `cannot set an ownerRef on a resource you can't delete: ${wordsOf(decision)}`);
  }

  async #checkBlocking(request: AdmissionAttributes, reference: OwnerReference): Promise<void> {
    for (const { group, version, plural: resource, namespaced } of this.#ownersOf(request, reference)) {
      const namespace = namespaced ? request.namespace : '';
      const asked = { ...FINALIZERS, group, version, resource, namespace, name: reference.name };
      const decision = await decisionOn(this.#authorizer, request, asked);
      if (decision.verdict === 'allow') continue;
      const what =
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
      throw refusal(request, `${what}: ${wordsOf(decision)}`);
    }
  }

  #ownersOf(request: AdmissionAttributes, { apiVersion, kind }: OwnerReference): readonly Resource[] {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const served = this.#registry.resourcesOf(group ?? '');
    const owners = served.filter((resource) => resource.kind === kind && resource.version === version);
    if (owners.length > 0) return owners;
    const why = `no matches for kind ${quoteGo(kind)} in version ${quoteGo(apiVersion)}`;
    throw refusal(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`,
    );
  }
}

const FINALIZERS = { verb: 'update', subresource: 'finalizers' };
const ANYTHING = { ...FINALIZERS, group: '*', version: '*', resource: '*', name: '*' };

function referencesOf(object: AdmissionAttributes['object']): readonly OwnerReference[] {
  return object?.metadata?.ownerReferences ?? [];
}

function newlyBlocking(now: readonly OwnerReference[], before: readonly OwnerReference[]): readonly OwnerReference[] {
  const isBlocking = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true;
  const known = new Set(before.filter(isBlocking).map(({ uid }) => uid));
  return now.filter((reference) => isBlocking(reference) && !known.has(reference.uid));
}

/** A reason and an error, joined as Go prints them. */
function wordsOf({ reason, error }: AccessDecision): string {
  return `${reason}, ${error ?? '<nil>'}`;
}
