import {
  forbiddenField,
  formatLabelSelector,
  invalidValue,
  isIpv4,
  maskIp,
  parseCidr,
  portNameProblems,
  portNumberProblems,
  required,
} from '../../api/index.ts';
import type { FieldError, IpPrefix } from '../../api/index.ts';
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../api/types/networking/v1.d.ts';
import { changes } from '../change.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';

export const networkPolicies = defineKind<NetworkPolicy>({
  group: 'networking.k8s.io',
  plural: 'networkpolicies',
  columns: [
    nameColumn,
    column('Pod-Selector', 'Labels of the pods it is about', ({ spec }) =>
      formatLabelSelector(spec?.podSelector ?? {}),
    ),
    ageColumn,
  ],
  raisesGeneration: changes('spec'),

  /** A policy covers ingress, and egress if it has egress rules. */
  applyDefaults({ spec }) {
    if ((spec.policyTypes ?? []).length > 0) return;
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },

  validate: checkNetworkPolicy,
});

const MAX_TYPES = 2;

function checkNetworkPolicy({ spec }: Whole<NetworkPolicy>): FieldError[] {
  const { ingress = [], egress = [], policyTypes = [] } = spec;
  return [
    ...checkLabelSelector(spec.podSelector, 'spec.podSelector'),
    ...ingress.flatMap(({ ports = [], from = [] }, index) =>
      checkRule({ ports, peers: from }, `spec.ingress[${index}]`, 'from'),
    ),
    ...egress.flatMap(({ ports = [], to = [] }, index) =>
      checkRule({ ports, peers: to }, `spec.egress[${index}]`, 'to'),
    ),
    ...(policyTypes.length > MAX_TYPES
      ? [invalidValue('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')]
      : []),
  ];
}

interface Rule {
  readonly ports: readonly NetworkPolicyPort[];
  readonly peers: readonly NetworkPolicyPeer[];
}

function checkRule({ ports, peers }: Rule, field: string, side: 'from' | 'to'): FieldError[] {
  return [
    ...ports.flatMap((port, index) => checkPort(port, `${field}.ports[${index}]`)),
    ...peers.flatMap((peer, index) => checkPeer(peer, `${field}.${side}[${index}]`)),
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

function checkPeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, field: string): FieldError[] {
  const errors = [
    ...checkLabelSelector(podSelector, `${field}.podSelector`),
    ...checkLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : checkBlock(ipBlock, `${field}.ipBlock`)),
  ];
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && ipBlock === undefined) errors.push(required(field, 'must specify a peer'));
  if (hasSelector && ipBlock !== undefined) {
    errors.push(forbiddenField(field, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

/** Exceptions must be inside the network. */
function checkBlock({ cidr, except = [] }: IPBlock, field: string): FieldError[] {
  const whole = parseCidr(cidr);
  if (whole === undefined) return [];
  return except.flatMap((text, index) => {
    const part = parseCidr(text);
    if (part === undefined || isStrictPart(part, whole)) return [];
    return [invalidValue(`${field}.except[${index}]`, text, 'must be a strict subset of `cidr`')];
  });
}

function isStrictPart(part: IpPrefix, whole: IpPrefix): boolean {
  if (isIpv4(part.address) !== isIpv4(whole.address) || part.length <= whole.length) return false;
  const outer = maskIp(whole).bytes;
  const inner = maskIp({ ...whole, address: part.address }).bytes;
  return outer.length === inner.length && outer.every((byte, index) => byte === inner[index]);
}
