import { parseFieldSelector, ValueError } from '../../api/index.ts';
import {
  type AccessDecision,
  type AccessRequest,
  type AccessRules,
  type ListingAuthorizer,
  NO_OPINION,
  nodeOf,
  type RequestInfo,
  type ServerObjects,
  type UserInfo,
} from '../../apiserver/index.ts';
import { bootstrapRules } from '../rbac/bootstrap/bootstrap-policy.ts';
import { type Rule, ruleAllows } from '../rbac/policy-rule.ts';
import { NodeRelations, type OwnKind, type RelatedKind } from './node-relations.ts';

type Answer = AccessDecision | Promise<AccessDecision>;

interface NodeRequest {
  readonly node: string;
  readonly info: RequestInfo;
}

const ALLOWED: AccessDecision = { verdict: 'allow', reason: '' };
const NODE_LEASES = 'kube-node-lease';
const OWN_OBJECT_VERBS = ['get', 'create', 'update', 'patch', 'delete'];

/**
 * Allows each node what it needs for the pods that are bound to it: the secrets, configmaps and volumes that these refer to, its own node
 * object and lease, and what the rules of all nodes allow.
 */
export class NodeAuthorizer implements ListingAuthorizer {
  readonly name = 'Node';
  readonly #relations: NodeRelations;
  #rules: readonly Rule[] | undefined;
  /** The resources with rules beyond those of all nodes. */
  readonly #judges: Readonly<Record<string, (request: NodeRequest) => Answer>> = {
    secrets: (request) => this.#readRelated(request, 'secret'),
    configmaps: (request) => this.#readRelated(request, 'configmap'),
    serviceaccounts: (request) => this.#serviceAccount(request),
    persistentvolumeclaims: (request) => this.#claim(request),
    persistentvolumes: (request) => this.#getOne(request, () => this.#hasVolume(request)),
    'resourceclaims.resource.k8s.io': (request) =>
      this.#getOne(request, () => this.#isRelated(request, 'resourceclaim')),
    'volumeattachments.storage.k8s.io': (request) =>
      this.#getOne(request, () => this.#isOwn(request, 'volumeattachment')),
    'resourceslices.resource.k8s.io': (request) => this.#resourceSlice(request),
    'leases.coordination.k8s.io': judgeLease,
    'csinodes.storage.k8s.io': judgeCsiNode,
    'podcertificaterequests.certificates.k8s.io': () => NO_OPINION,
    nodes: judgeNode,
    pods: (request) => this.#pod(request),
  };

  constructor(objects: ServerObjects) {
    this.#relations = new NodeRelations(objects);
  }

  authorize({ user, info }: AccessRequest): Answer {
    const node = nodeOf(user);
    if (node === undefined) return NO_OPINION;
    if (node === '') return because(`unknown node for user ${JSON.stringify(user.name)}`);
    if (info.isResource) {
      const judge = this.#judges[info.group === '' ? info.resource : `${info.resource}.${info.group}`];
      if (judge !== undefined) return judge({ node, info });
    }
    this.#rules ??= bootstrapRules('system:node');
    return this.#rules.some((rule) => ruleAllows(rule, info)) ? ALLOWED : NO_OPINION;
  }

  rulesFor(user: UserInfo): AccessRules {
    const none = { resourceRules: [], nonResourceRules: [] };
    if (nodeOf(user) === undefined) return { ...none, isIncomplete: false };
    return { ...none, isIncomplete: true, problem: 'node authorizer does not support user rule resolution' };
  }

  #readRelated(request: NodeRequest, kind: RelatedKind): Answer {
    const { verb, subresource, namespace } = request.info;
    if (!['get', 'list', 'watch'].includes(verb)) return because('can only read resources of this type');
    if (subresource !== '') return because('cannot read subresource');
    if (namespace === '') return because('can only read namespaced object of this type');
    return this.#isRelated(request, kind);
  }

  #getOne({ info }: NodeRequest, judge: () => Answer): Answer {
    if (info.verb !== 'get') return because('can only get individual resources of this type');
    return info.subresource === '' ? judge() : because('cannot get subresource');
  }

  #claim(request: NodeRequest): Answer {
    const { subresource, verb } = request.info;
    if (subresource !== 'status') return this.#getOne(request, () => this.#isRelated(request, 'claim'));
    if (verb !== 'update' && verb !== 'patch') return because('can only get/update/patch this type');
    return this.#isRelated(request, 'claim');
  }

  #serviceAccount(request: NodeRequest): Answer {
    const { verb, subresource, name } = request.info;
    if (verb === 'get' && subresource === '') return this.#readRelated(request, 'serviceaccount');
    if (verb !== 'create' || name === '') return because('can only create tokens for individual service accounts');
    if (subresource !== 'token') return because('can only create token subresource of serviceaccount');
    return this.#isRelated(request, 'serviceaccount');
  }

  #resourceSlice(request: NodeRequest): Answer {
    const { node, info } = request;
    if (info.subresource !== '') return because('cannot authorize ResourceSlice subresources');
    switch (info.verb) {
      case 'create':
        return ALLOWED; // admission checks the created object
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.#isOwn(request, 'resourceslice');
      case 'list':
      case 'watch':
      case 'deletecollection':
        return selects(info, node)
          ? ALLOWED
          : because('can only list/watch/deletecollection resourceslices with nodeName field selector');
      default:
        return because(
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
        );
    }
  }

  /** Nodes create and delete their mirror pods; admission checks that the pods are the node's own, as with status and eviction. */
  #pod(request: NodeRequest): Answer {
    const { node, info } = request;
    switch (`${info.verb} ${info.subresource}`) {
      case 'get ':
        return this.#isOwn(request, 'pod');
      case 'list ':
      case 'watch ':
        if (selects(info, node)) return ALLOWED;
        if (info.name !== '') return this.#isOwn(request, 'pod');
        return because('can only list/watch pods with spec.nodeName field selector');
      case 'create ':
      case 'delete ':
      case 'update status':
      case 'patch status':
      case 'create eviction':
        return ALLOWED;
      default:
        return NO_OPINION;
    }
  }

  #isRelated({ node, info }: NodeRequest, kind: RelatedKind): Answer {
    return decided(node, info, () => this.#relations.isRelated(node, kind, info));
  }

  #isOwn({ node, info }: NodeRequest, kind: OwnKind): Answer {
    return decided(node, info, () => this.#relations.isOwn(node, kind, info));
  }

  #hasVolume({ node, info }: NodeRequest): Answer {
    return decided(node, info, () => this.#relations.hasVolume(node, info.name));
  }
}

function because(reason: string): AccessDecision {
  return { verdict: 'noOpinion', reason };
}

async function decided(node: string, info: RequestInfo, look: () => Promise<boolean>): Promise<AccessDecision> {
  if (info.name === '') return because('No Object name found');
  return (await look()) ? ALLOWED : because(`no relationship found between node '${node}' and this object`);
}

function judgeLease({ node, info }: NodeRequest): AccessDecision {
  if (!OWN_OBJECT_VERBS.includes(info.verb)) {
    return because('can only get, create, update, patch, or delete a node lease');
  }
  if (info.namespace !== NODE_LEASES) return because(`can only access leases in the "${NODE_LEASES}" system namespace`);
  // The name of a created object is not known here; admission checks it.
  if (info.verb === 'create' || info.name === node) return ALLOWED;
  return because('can only access node lease with the same name as the requesting node');
}

function judgeCsiNode({ node, info }: NodeRequest): AccessDecision {
  if (!OWN_OBJECT_VERBS.includes(info.verb)) return because('can only get, create, update, patch, or delete a CSINode');
  if (info.subresource !== '') return because('cannot authorize CSINode subresources');
  if (info.verb === 'create' || info.name === node) return ALLOWED;
  return because('can only access CSINode with the same name as the requesting node');
}

function judgeNode({ node, info }: NodeRequest): AccessDecision {
  switch (`${info.verb} ${info.subresource}`) {
    case 'create ':
    case 'update ':
    case 'patch ':
    case 'update status':
    case 'patch status':
      return ALLOWED; // admission checks that it is the node's own
    case 'get ':
    case 'list ':
    case 'watch ':
      if (info.name === node) return ALLOWED;
      return because(
        info.name === ''
          ? `node '${node}' cannot read all nodes, only its own Node object`
          : `node '${node}' cannot read '${info.name}', only its own Node object`,
      );
    default:
      return NO_OPINION;
  }
}

/** Whether the field selector selects only objects of the node. */
function selects({ fieldSelector = '' }: RequestInfo, node: string): boolean {
  const selector = parseFieldSelector(fieldSelector);
  if (selector instanceof ValueError) return false;
  return selector.requirements.some(
    ({ field, operator, value }) => field === 'spec.nodeName' && operator === '=' && value === node,
  );
}
