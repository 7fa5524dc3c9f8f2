import {
  asJson,
  cidrWarnings,
  duplicate,
  forbiddenField,
  invalidValue,
  isIpv4,
  labelValueProblems,
  legacyCidrProblems,
  notSupported,
  parseCidr,
  qualifiedNameProblems,
  quoteGo,
  required,
  sentEmpty,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Node, NodeStatus, Taint } from '../../api/types/core/v1.d.ts';
import { compareUtf8 } from '../../base/index.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse, UNKNOWN, wide } from '../columns/column.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import { unversioned } from '../unversioned.ts';
import { proxied } from './connections.ts';
import { roundToMilli } from './resource-list.ts';
import { checkResourceAmount } from './resource-rules.ts';

export function nodes(environment: KindEnvironment): Kind {
  return defineKind<Node>({
    changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
    group: '',
    plural: 'nodes',
    columns: [
      nameColumn,
      column('Status', 'Whether the node is ready and takes pods', nodeStatus),
      column('Roles', 'What the node is for', roles),
      ageColumn,
      column('Version', 'Version of the kubelet', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
      wide('Internal-IP', 'Address inside of the cluster', (node) => addressOf(node, 'InternalIP')),
      wide('External-IP', 'Address outside of the cluster', (node) => addressOf(node, 'ExternalIP')),
      wide('OS-Image', 'Operating system', ({ status }) => orElse(status?.nodeInfo?.osImage, UNKNOWN)),
      wide('Kernel-Version', 'Version of the kernel, and for which processor', kernel),
      wide('Container-Runtime', 'Container runtime and its version', ({ status }) =>
        orElse(status?.nodeInfo?.containerRuntimeVersion, UNKNOWN),
      ),
    ],
    folder: 'minions',
    /** A node registers itself with its status. */
    statusOnCreate: 'kept',
    ownRulesFor: ['spec.taints', 'spec.taints.key', 'spec.taints.value', 'spec.taints.effect', 'spec.podCIDRs'],

    applyDefaults(node) {
      const { spec, status } = node;
      const { podCIDR = '', podCIDRs = [] } = spec;
      if (podCIDR !== '' && podCIDRs[0] !== podCIDR) spec.podCIDRs = [podCIDR];
      else if (podCIDR === '' && podCIDRs[0] !== undefined) spec.podCIDR = podCIDRs[0];
      if (needsAllocatable(status) && sentEmpty(status, 'allocatable') === null)
        status.allocatable = { ...status.capacity };
      roundToMilli(status.capacity);
      roundToMilli(status.allocatable);
    },

    complete(node) {
      const { capacity, ...status } = node.status;
      if (needsAllocatable(node.status)) node.status = { capacity, allocatable: { ...capacity }, ...status };
    },

    prepareForCreate(node) {
      dropConfigSource(node);
      dropStatusConfig(node);
    },

    prepareForUpdate(node, old) {
      if (old.spec.configSource === undefined) dropConfigSource(node);
    },

    prepareForStatusUpdate(node, old) {
      if (old.status.config === undefined) dropStatusConfig(node);
    },

    validate: checkNode,
    validateChange: checkNodeUpdate,
    validateStatus: checkNodeUpdate,
    warnings: nodeWarnings,
    selectable: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
    subresources: { proxy: proxied(environment, 'nodeproxy') },
  });
}

function needsAllocatable({ allocatable, capacity }: NodeStatus): boolean {
  return allocatable === undefined && capacity !== undefined;
}

function dropConfigSource(node: Whole<Node>): void {
  const { configSource, ...spec } = node.spec;
  if (configSource !== undefined) node.spec = spec;
}

function dropStatusConfig(node: Whole<Node>): void {
  const { config, ...status } = node.status;
  if (config !== undefined) node.status = status;
}

function checkNode(node: Whole<Node>): FieldError[] {
  const { spec } = node;
  return [
    ...checkTaints(spec.taints ?? []),
    ...checkResources(node),
    ...checkSwap(node),
    ...checkDeclaredFeatures(node),
    ...checkPodCidrs(spec.podCIDRs ?? []),
  ];
}

function checkSwap({ status }: Whole<Node>): FieldError[] {
  const capacity = status.nodeInfo?.swap?.capacity;
  if (capacity === undefined || capacity > 0) return [];
  return [invalidValue('metadata.nodeSwapStatus.capacity', capacity, 'must be greater than zero')];
}

const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const MAX_FEATURE_BYTES = 253;
const FEATURE_FORM =
  "must start with an UpperCamelCase segment, with subsequent segments separated by '/' " +
  '(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes';

/** What the kubelet says that it can do: names in their order, each once. */
function checkDeclaredFeatures({ status }: Whole<Node>): FieldError[] {
  const names = status.declaredFeatures ?? [];
  return names.flatMap((name, index) => {
    const field = `status.declaredFeatures[${index}]`;
    const problem =
      Buffer.byteLength(name) > MAX_FEATURE_BYTES
        ? `must be no more than ${MAX_FEATURE_BYTES} characters`
        : FEATURE.test(name)
          ? undefined
          : FEATURE_FORM;
    const errors =
      problem === undefined ? [] : [invalidValue(field, name, `invalid feature name ${quoteGo(name)}: ${problem}`)];
    const next = names[index + 1];
    if (next === undefined) return errors;
    const at = `status.declaredFeatures[${index + 1}]`;
    const order = compareUtf8(name, next);
    if (order === 0) errors.push(duplicate(at, next));
    else if (order > 0) errors.push(invalidValue(at, next, 'list must be sorted alphabetically'));
    return errors;
  });
}

function checkResources({ status }: Whole<Node>): FieldError[] {
  return [
    ...Object.entries(status.capacity ?? {}).flatMap(([name, text]) =>
      checkResourceAmount(name, text, `status.capacity.${name}`),
    ),
    ...Object.entries(status.allocatable ?? {}).flatMap(([name, text]) =>
      checkResourceAmount(name, text, `status.allocatable.${name}`),
    ),
  ];
}

function checkAddresses({ status }: Whole<Node>): FieldError[] {
  const seen = new Set<string>();
  return (status.addresses ?? []).flatMap(({ type: Type = '', address: Address = '' }, index) => {
    const key = JSON.stringify([Type, Address]);
    const isTwice = seen.has(key);
    seen.add(key);
    return isTwice ? [duplicate(`status.addresses[${index}]`, { Type, Address })] : [];
  });
}

const TAINT = { Key: '', Value: '', Effect: '', TimeAdded: null };
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function checkTaints(taints: readonly Taint[]): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const key = `${taint.key}/${taint.effect}`;
    const value = labelValueProblems(taint.value ?? '');
    const errors = [
      ...qualifiedNameProblems(taint.key).map((problem) => invalidValue(`${field}.key`, taint.key, problem)),
      ...(value.length === 0 ? [] : [invalidValue(`${field}.value`, taint.value, value.join(';'))]),
      ...checkEffect(taint.effect, `${field}.effect`),
    ];
    if (seen.has(key)) {
      const detail = 'taints must be unique by key and effect pair';
      errors.push({ ...duplicate(field, unversioned(taint, TAINT)), detail });
    }
    seen.add(key);
    return errors;
  });
}

function checkEffect(effect: string | undefined, field: string): FieldError[] {
  if ((effect ?? '') === '') return [required(field)];
  return EFFECTS.includes(effect ?? '') ? [] : [notSupported(field, asJson(effect ?? ''), EFFECTS)];
}

/** A node has at most one pod network of each family. */
function checkPodCidrs(cidrs: readonly string[]): FieldError[] {
  const errors = cidrs.flatMap((cidr, index) =>
    legacyCidrProblems(cidr).map((problem) => invalidValue(`spec.podCIDRs[${index}]`, cidr, problem)),
  );
  if (cidrs.length < 2) return errors;
  const broken = cidrs.findIndex((cidr) => parseCidr(cidr) === undefined);
  if (broken >= 0) {
    const why = `invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${cidrs[broken]})`;
    const detail = `invalid PodCIDRs. failed to check with dual stack with error:${why}`;
    errors.push({ reason: 'InternalError', field: 'spec.podCIDRs', detail });
  }
  const families = cidrs.map((cidr) => parseCidr(cidr)?.address).map((address) => address && isIpv4(address));
  if (cidrs.length === 2 && families.includes(true) && families.includes(false)) return errors;
  return [...errors, invalidValue('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family')];
}

/** The network and provider of a node cannot change once set. */
function checkNodeUpdate(node: Whole<Node>, old: Whole<Node>): FieldError[] {
  const errors = [...checkResources(node), ...checkDeclaredFeatures(node), ...checkAddresses(node)];
  const was = old.spec;
  const { podCIDRs = [], providerID = '', externalID = '' } = node.spec;
  const oldCidrs = was.podCIDRs ?? [];
  const changed =
    oldCidrs.length === podCIDRs.length
      ? oldCidrs.filter((cidr, index) => cidr !== podCIDRs[index])
      : oldCidrs.slice(0, 1);
  for (const _ of changed) {
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if ((was.providerID ?? '') !== '' && was.providerID !== providerID) {
    errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  errors.push(...checkTaints(node.spec.taints ?? []));
  if ((was.externalID ?? '') !== externalID) errors.push(forbiddenField('spec.externalID', 'may not be updated'));
  return errors;
}

function nodeWarnings({ spec }: Whole<Node>): string[] {
  return [
    ...(spec.configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...((spec.externalID ?? '') === ''
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...(spec.podCIDRs ?? []).flatMap((cidr, index) => cidrWarnings(`spec.podCIDRs[${index}]`, cidr)),
  ];
}

function nodeStatus({ spec, status }: Node): string {
  const ready = each(status?.conditions).findLast(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

const ROLE_LABEL = 'kubernetes.io/role';

function roles({ metadata }: Node): string {
  const found = new Set<string>();
  for (const [label, value] of Object.entries(metadata?.labels ?? {})) {
    if (label.startsWith(ROLE_PREFIX)) found.add(label.slice(ROLE_PREFIX.length));
    else if (label === ROLE_LABEL) found.add(value);
  }
  found.delete('');
  return orElse([...found].sort(compareUtf8).join(','), NONE);
}

function addressOf({ status }: Node, wanted: string): string {
  return each(status?.addresses).find(({ type }) => type === wanted)?.address ?? NONE;
}

function kernel({ status }: Node): string {
  const { kernelVersion, architecture = '' } = status?.nodeInfo ?? {};
  const version = orElse(kernelVersion, UNKNOWN);
  return architecture === '' ? version : `${version} (${architecture})`;
}
