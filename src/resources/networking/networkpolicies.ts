import {
  asJson,
  cidrWarnings,
  forbiddenField,
  formatLabelSelector,
  invalidValue,
  isIpv4,
  legacyCidrProblems,
  maskIp,
  notSupported,
  parseCidr,
  portNameProblems,
  portNumberProblems,
  required,
} from '../../api/index.ts';
import type { FieldError, IpPrefix } from '../../api/index.ts';
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../api/types/networking/v1.d.ts';
import { changesOrEmpties } from '../change.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';

const OWN_RULES = [
  'spec.policyTypes',
  ...['ingress.from', 'egress.to'].flatMap((peers) =>
    ['cidr', 'except'].map((member) => `spec.${peers}.ipBlock.${member}`),
  ),
];

export const networkPolicies = defineKind<NetworkPolicy>({
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  ownRulesFor: OWN_RULES,
  columns: [
    nameColumn,
    column('Pod-Selector', 'Labels of the pods it is about', ({ spec }) =>
      formatLabelSelector(spec?.podSelector ?? {}),
    ),
    ageColumn,
  ],
  raisesGeneration: changesOrEmpties('spec'),

  /** A policy covers ingress, and egress if it has egress rules. */
  applyDefaults({ spec }) {
    if ((spec.policyTypes ?? []).length > 0) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },

  validate: (policy) => checkNetworkPolicy(policy, NOTHING),
  validateUpdate: (policy, old) => checkNetworkPolicy(policy, rangesOf(old)),
  warnings: ({ spec }) => [
    ...(spec.ingress ?? []).flatMap(({ from }, index) => peerWarnings(from, `spec.ingress[${index}].from`)),
    ...(spec.egress ?? []).flatMap(({ to }, index) => peerWarnings(to, `spec.egress[${index}].to`)),
  ],
});

function peerWarnings(peers: readonly NetworkPolicyPeer[] | undefined, field: string): readonly string[] {
  return (peers ?? []).flatMap(({ ipBlock }, index) => {
    if (ipBlock === undefined) return [];
    const at = `${field}[${index}].ipBlock`;
    const { cidr = '', except = [] } = ipBlock;
    return [
      ...cidrWarnings(`${at}.cidr`, cidr),
      ...except.flatMap((range, place) => cidrWarnings(`${at}.except[${place}]`, range)),
    ];
  });
}

const NOTHING: ReadonlySet<string> = new Set();

/** Ranges that were stored may stay, although they would be refused today. */
function rangesOf({ spec }: Whole<NetworkPolicy>): ReadonlySet<string> {
  const peers = [
    ...(spec.ingress ?? []).flatMap(({ from = [] }) => from),
    ...(spec.egress ?? []).flatMap(({ to = [] }) => to),
  ];
  return new Set(
    peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock.cidr, ...(ipBlock.except ?? [])])),
  );
}

function checkNetworkPolicy({ spec }: Whole<NetworkPolicy>, known: ReadonlySet<string>): FieldError[] {
  const { ingress = [], egress = [], policyTypes = [] } = spec;
  return [
    ...checkLabelSelector(spec.podSelector, 'spec.podSelector'),
    ...ingress.flatMap(({ ports = [], from = [] }, index) =>
      checkRule({ ports, peers: from, known }, `spec.ingress[${index}]`, 'from'),
    ),
    ...egress.flatMap(({ ports = [], to = [] }, index) =>
      checkRule({ ports, peers: to, known }, `spec.egress[${index}]`, 'to'),
    ),
    ...checkTypes(policyTypes, 'spec.policyTypes'),
  ];
}

const TYPES = ['Ingress', 'Egress'];

function checkTypes(types: readonly string[], field: string): FieldError[] {
  if (types.length > TYPES.length) return [invalidValue(field, types, 'may not specify more than two policyTypes')];
  return types.flatMap((type, index) =>
    TYPES.includes(type) ? [] : [notSupported(`${field}[${index}]`, asJson(type), TYPES)],
  );
}

interface Rule {
  readonly ports: readonly NetworkPolicyPort[];
  readonly peers: readonly NetworkPolicyPeer[];
  /** Ranges that the stored policy has. */
  readonly known: ReadonlySet<string>;
}

function checkRule({ ports, peers, known }: Rule, field: string, side: 'from' | 'to'): FieldError[] {
  return [
    ...ports.flatMap((port, index) => checkPort(port, `${field}.ports[${index}]`)),
    ...peers.flatMap((peer, index) => checkPeer(peer, `${field}.${side}[${index}]`, known)),
  ];
}

function checkPort({ port, endPort }: NetworkPolicyPort, field: string): FieldError[] {
  if (port === undefined) {
    if (endPort === undefined) return [];
    return [invalidValue(`${field}.endPort`, endPort, 'may not be specified when `port` is not specified')];
  }
  if (typeof port === 'string') {
    return [
      ...(endPort === undefined
        ? []
        : [invalidValue(`${field}.endPort`, endPort, 'may not be specified when `port` is non-numeric')]),
      ...portNameProblems(port).map((problem) => invalidValue(`${field}.port`, port, problem)),
    ];
  }
  const errors = portNumberProblems(port).map((problem) => invalidValue(`${field}.port`, port, problem));
  if (endPort === undefined) return errors;
  if (endPort < port) errors.push(invalidValue(`${field}.endPort`, port, 'must be greater than or equal to `port`'));
  return [
    ...errors,
    ...portNumberProblems(endPort).map((problem) => invalidValue(`${field}.endPort`, endPort, problem)),
  ];
}

function checkPeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  field: string,
  known: ReadonlySet<string>,
): FieldError[] {
  const errors = [
    ...checkLabelSelector(podSelector, `${field}.podSelector`),
    ...checkLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : checkBlock(ipBlock, `${field}.ipBlock`, known)),
  ];
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && ipBlock === undefined) errors.push(required(field, 'must specify a peer'));
  if (hasSelector && ipBlock !== undefined) {
    errors.push(forbiddenField(field, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

/** Exceptions must be inside the network. */
function checkBlock({ cidr, except = [] }: IPBlock, field: string, known: ReadonlySet<string>): FieldError[] {
  if ((cidr ?? '') === '') return [required(`${field}.cidr`)];
  const checkRange = (text: string, at: string): FieldError[] =>
    known.has(text) ? [] : legacyCidrProblems(text).map((problem) => invalidValue(at, text, problem));
  const errors = checkRange(cidr, `${field}.cidr`);
  const whole = parseCidr(cidr);
  if (whole === undefined) return errors;
  const exceptions = except.flatMap((text, index) => {
    const at = `${field}.except[${index}]`;
    const part = parseCidr(text);
    const isOutside = part !== undefined && !isStrictPart(part, whole);
    const outside = isOutside ? [invalidValue(at, text, 'must be a strict subset of `cidr`')] : [];
    return [...checkRange(text, at), ...outside];
  });
  return [...errors, ...exceptions];
}

function isStrictPart(part: IpPrefix, whole: IpPrefix): boolean {
  if (isIpv4(part.address) !== isIpv4(whole.address) || part.length <= whole.length) return false;
  const outer = maskIp(whole).bytes;
  const inner = maskIp({ ...whole, address: part.address }).bytes;
  return outer.length === inner.length && outer.every((byte, index) => byte === inner[index]);
}
