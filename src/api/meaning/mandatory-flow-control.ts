import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
} from '../types/flowcontrol/v1.d.ts';

/** The name of the flow schema and priority level of requests that are never limited. */
export const EXEMPT = 'exempt';
/** The name of the flow schema and priority level of requests that match no other schema. */
export const CATCH_ALL = 'catch-all';

/** Matches all requests of users in these groups. */
export function everythingOf(...groups: readonly string[]): PolicyRulesWithSubjects {
  return {
    subjects: groups.map((name) => ({ kind: 'Group', group: { name } })),
    ...ALL_REQUESTS,
  };
}

/** The rules of a schema that matches by user, not by request. */
export const ALL_REQUESTS: Pick<PolicyRulesWithSubjects, 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** Flow schemas that every server has and that cannot be changed. */
export const MANDATORY_FLOW_SCHEMAS: Readonly<Record<string, FlowSchemaSpec>> = {
  [EXEMPT]: {
    priorityLevelConfiguration: { name: EXEMPT },
    matchingPrecedence: 1,
    rules: [everythingOf('system:masters')],
  },
  [CATCH_ALL]: {
    priorityLevelConfiguration: { name: CATCH_ALL },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [everythingOf('system:unauthenticated', 'system:authenticated')],
  },
};

/** Priority levels that every server has. Only `exempt` of the exempt level may be changed. */
export const MANDATORY_PRIORITY_LEVELS: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  [EXEMPT]: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  [CATCH_ALL]: {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
  },
};
