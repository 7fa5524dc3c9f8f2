import { quoteGo, StatusError } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { TokenRequest } from '../../api/types/authentication/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { ResourceSlice } from '../../api/types/resource/v1.d.ts';
import { type AdmissionAttributes, type AdmissionPlugin, nodeOf } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { audienceProblem } from './node-restriction/audience.ts';
import { signingProblem } from './node-restriction/certificate-request.ts';
import { mirrorPodProblem } from './node-restriction/mirror-pod.ts';
import { nodeProblem } from './node-restriction/own-node.ts';
import { refusal } from './refusal.ts';

const NODE_LEASES = 'kube-node-lease';

/** A write by a node, and the parts of the server that the rules need. */
interface NodeWrite {
  readonly node: string;
  readonly request: AdmissionAttributes;
  readonly parts: AdmissionParts;
}

type Rule = (write: NodeWrite) => string | undefined | Promise<string | undefined>;

/** By resource: why a node may not write it; other resources are left to authorization. */
const rules: Readonly<Record<string, Rule>> = {
  pods: checkPod,
  nodes: ({ node, request }) => nodeProblem(node, request),
  persistentvolumeclaims: checkClaimStatus,
  serviceaccounts: checkToken,
  'leases.coordination.k8s.io': checkLease,
  'csinodes.storage.k8s.io': checkCsiNode,
  'resourceslices.resource.k8s.io': checkSlice,
  'certificatesigningrequests.certificates.k8s.io': ({ node, request }) => signingProblem(node, request),
  'podcertificaterequests.certificates.k8s.io': () => 'PodCertificateRequest feature gate is disabled',
};

/** Limits the writes of nodes to their own objects: their Node, lease and CSINode, and the pods bound to them. */
export function nodeRestriction(parts: AdmissionParts): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    handles: ({ operation, resource }) => operation !== 'CONNECT' && Object.hasOwn(rules, nameOf(resource)),
    mutate(request) {
      const node = nodeOf(request.user);
      if (node === undefined) return undefined;
      return check(node, request, parts);
    },
  };
}

async function check(node: string, request: AdmissionAttributes, parts: AdmissionParts): Promise<void> {
  if (node === '') {
    throw refusal(request, `could not determine node from user ${quoteGo(request.user.name)}`);
  }
  const problem = await rules[nameOf(request.resource)]?.({ node, request, parts });
  if (problem !== undefined) throw refusal(request, problem);
}

function nameOf({ group, plural }: AdmissionAttributes['resource']): string {
  return group === '' ? plural : `${plural}.${group}`;
}

async function checkPod(write: NodeWrite): Promise<string | undefined> {
  const { node, request, parts } = write;
  const quoted = quoteGo(node);
  const { operation, subresource, namespace, name } = request;
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return mirrorPodProblem(node, request, parts.objects);
      if (operation !== 'DELETE') {
        return `unexpected operation "${operation}", node ${quoted} can only create and delete mirror pods`;
      }
      return (await pod(parts, namespace, name)).spec?.nodeName === node
        ? undefined
        : `node ${quoted} can only delete pods with spec.nodeName set to itself`;
    case 'status':
      return operation === 'UPDATE' ? statusProblem(write) : `unexpected operation "${operation}"`;
    case 'eviction': {
      if (operation !== 'CREATE') return `unexpected operation ${operation}`;
      const evicted = await pod(parts, namespace, name || (request.object?.metadata.name ?? ''));
      return evicted.spec?.nodeName === node
        ? undefined
        : `node ${node} can only evict pods with spec.nodeName set to itself`;
    }
    default:
      return `unexpected pod subresource "${subresource}", only 'status' and 'eviction' are allowed`;
  }
}

async function pod({ objects }: AdmissionParts, namespace: string, name: string): Promise<Pod> {
  const found = await objects.of<Pod>('', 'pods').get(namespace, name);
  if (found !== undefined) return found;
  throw new StatusError({
    code: 404,
    reason: 'NotFound',
    message: `pod ${quoteGo(name)} not found`,
    details: { name, kind: 'pod' },
  });
}

function statusProblem({ node, request }: NodeWrite): string | undefined {
  const [old, changed] = [request.old as unknown as Pod, request.object as unknown as Pod];
  const quoted = quoteGo(node);
  if (old.spec?.nodeName !== node) {
    return `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`;
  }
  if (!deepEqual(old.metadata?.labels ?? {}, changed.metadata?.labels ?? {})) {
    return `node ${quoted} cannot update labels through pod status`;
  }
  const { resourceClaimStatuses: oldClaims = [], extendedResourceClaimStatus: oldExtended } = old.status ?? {};
  const { resourceClaimStatuses: claims = [], extendedResourceClaimStatus: extended } = changed.status ?? {};
  if (!deepEqual(oldClaims, claims)) return `node ${quoted} cannot update resource claim statues`;
  return deepEqual(oldExtended, extended) ? undefined : `node ${quoted} cannot update extended resource claim status`;
}

/** The fields that a node reports about a volume that it has expanded. */
const REPORTED = new Set(['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources']);

function checkClaimStatus({ node, request }: NodeWrite): string | undefined {
  const { operation, subresource, old, object } = request;
  if (subresource !== 'status') return 'may only update PVC status';
  if (operation !== 'UPDATE') return `unexpected operation "${operation}"`;
  if (deepEqual(withoutReport(old), withoutReport(object))) return undefined;
  return `node ${quoteGo(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function withoutReport(object: ApiObject | undefined): unknown {
  const { resourceVersion: _1, managedFields: _2, ...metadata } = object?.metadata ?? {};
  const status = Object.entries((object?.['status'] ?? {}) as object).filter(([field]) => !REPORTED.has(field));
  return { ...object, metadata, status: Object.fromEntries(status) };
}

async function checkToken({ node, request, parts }: NodeWrite): Promise<string | undefined> {
  if (request.operation !== 'CREATE' || request.subresource !== 'token') return undefined;
  const { spec } = request.object as unknown as TokenRequest;
  const { apiVersion, kind, name = '', uid = '' } = spec?.boundObjectRef ?? {};
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') return 'node requested token not bound to a pod';
  if (uid === '') return 'node requested token with a pod binding without a uid';
  const bound = await pod(parts, request.namespace, name);
  if (bound.metadata?.uid !== uid) {
    return (
      `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
      'The object might have been deleted and then recreated'
    );
  }
  if (bound.spec?.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node';
  return audienceProblem(request, bound, parts);
}

function checkLease({ node, request }: NodeWrite): string | undefined {
  if (request.namespace !== NODE_LEASES) return `can only access leases in the "${NODE_LEASES}" system namespace`;
  return ownName(request) === node ? undefined : 'can only access node lease with the same name as the requesting node';
}

function checkCsiNode({ node, request }: NodeWrite): string | undefined {
  return ownName(request) === node ? undefined : 'can only access CSINode with the same name as the requesting node';
}

function ownName({ operation, object, name }: AdmissionAttributes): string {
  return operation === 'CREATE' ? (object?.metadata.name ?? '') : name;
}

function checkSlice({ node, request }: NodeWrite): string | undefined {
  const { operation, object, old } = request;
  if (operation === 'UPDATE') return undefined;
  const { spec } = (operation === 'CREATE' ? object : old) as unknown as ResourceSlice;
  if (spec.nodeName === node) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}
