import {
  ALL_REQUESTS,
  CATCH_ALL,
  EXEMPT,
  everythingOf,
  MANDATORY_FLOW_SCHEMAS,
  MANDATORY_PRIORITY_LEVELS,
} from '../../api/meaning/index.ts';
import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
  Subject,
} from '../../api/types/flowcontrol/v1.d.ts';

/** An object that the server creates and maintains. */
export interface FlowObject {
  readonly plural: 'flowschemas' | 'prioritylevelconfigurations';
  readonly name: string;
  readonly spec: FlowSchemaSpec | PriorityLevelConfigurationSpec;
  /** Mandatory objects are always corrected; suggested ones are left alone once a user has changed them. */
  readonly isMandatory: boolean;
}

/** The initial objects of 1.36, levels before the schemas that refer to them. */
export function flowObjects(): readonly FlowObject[] {
  return [
    ...objects('prioritylevelconfigurations', SUGGESTED_LEVELS, false),
    ...objects('prioritylevelconfigurations', MANDATORY_PRIORITY_LEVELS, true),
    ...objects('flowschemas', SUGGESTED_SCHEMAS, false),
    ...objects('flowschemas', MANDATORY_FLOW_SCHEMAS, true),
  ];
}

function objects(
  plural: FlowObject['plural'],
  specs: Readonly<Record<string, FlowObject['spec']>>,
  isMandatory: boolean,
): FlowObject[] {
  return Object.entries(specs).map(([name, spec]) => ({ plural, name, spec, isMandatory }));
}

/** Shares, lendable percentage, queues and hand size. */
function level(
  shares: number,
  lendable: number,
  [queues, handSize]: readonly [number, number],
): PriorityLevelConfigurationSpec {
  return {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
      lendablePercent: lendable,
    },
  };
}

const SUGGESTED_LEVELS: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  system: level(30, 33, [64, 6]),
  'node-high': level(40, 25, [64, 6]),
  'leader-election': level(10, 0, [16, 4]),
  'workload-high': level(40, 50, [128, 6]),
  'workload-low': level(100, 90, [128, 6]),
  'global-default': level(20, 50, [128, 6]),
};

const NODES: Subject[] = [{ kind: 'Group', group: { name: 'system:nodes' } }];
const SYSTEM_ACCOUNTS: Subject[] = [
  { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } },
];
const ALL_USERS = ['system:unauthenticated', 'system:authenticated'] as const;

function user(name: string): Subject {
  return { kind: 'User', user: { name } };
}

interface SchemaShape {
  readonly level: string;
  readonly precedence: number;
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly rule: PolicyRulesWithSubjects;
}

function schema({ level: name, precedence, by, rule }: SchemaShape): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name },
    matchingPrecedence: precedence,
    ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
    rules: [rule],
  };
}

function leases(verbs: string[]): NonNullable<PolicyRulesWithSubjects['resourceRules']>[number] {
  return { verbs, apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };
}

const SUGGESTED_SCHEMAS: Readonly<Record<string, FlowSchemaSpec>> = {
  'system-nodes': schema({
    level: 'system',
    precedence: 500,
    by: 'ByUser',
    rule: { subjects: NODES, ...ALL_REQUESTS },
  }),
  'system-node-high': schema({
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    rule: {
      subjects: NODES,
      resourceRules: [
        { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
        leases(['*']),
      ],
    },
  }),
  probes: schema({
    level: EXEMPT,
    precedence: 2,
    rule: {
      subjects: everythingOf(...ALL_USERS).subjects,
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
    },
  }),
  'system-leader-election': schema({
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    rule: {
      subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), ...SYSTEM_ACCOUNTS],
      resourceRules: [leases(['get', 'create', 'update'])],
    },
  }),
  'kube-controller-manager': schema({
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    rule: { subjects: [user('system:kube-controller-manager')], ...ALL_REQUESTS },
  }),
  'kube-scheduler': schema({
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    rule: { subjects: [user('system:kube-scheduler')], ...ALL_REQUESTS },
  }),
  'kube-system-service-accounts': schema({
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    rule: { subjects: SYSTEM_ACCOUNTS, ...ALL_REQUESTS },
  }),
  'service-accounts': schema({
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    rule: everythingOf('system:serviceaccounts'),
  }),
  'global-default': schema({
    level: 'global-default',
    precedence: 9900,
    by: 'ByUser',
    rule: everythingOf(...ALL_USERS),
  }),
};

/** Whether the server creates an object of this kind and name. */
export function isFlowObject(plural: FlowObject['plural'], name: string): boolean {
  if (name === EXEMPT || name === CATCH_ALL) return true;
  return Object.hasOwn(plural === 'flowschemas' ? SUGGESTED_SCHEMAS : SUGGESTED_LEVELS, name);
}
