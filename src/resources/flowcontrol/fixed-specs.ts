import { EXEMPT, MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../api/meaning/index.ts';
import { type FieldError, invalidValue } from '../../api/index.ts';
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec } from '../../api/types/flowcontrol/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { listed, type Members, nested, unversioned } from '../unversioned.ts';

const SUBJECT: Members = {
  Kind: '',
  User: nested({ Name: '' }),
  Group: nested({ Name: '' }),
  ServiceAccount: nested({ Namespace: '', Name: '' }),
};

const SCHEMA: Members = {
  PriorityLevelConfiguration: nested({ Name: '' }),
  MatchingPrecedence: 0,
  DistinguisherMethod: nested({ Type: '' }),
  Rules: listed({
    Subjects: listed(SUBJECT),
    ResourceRules: listed({ Verbs: null, APIGroups: null, Resources: null, ClusterScope: false, Namespaces: null }),
    NonResourceRules: listed({ Verbs: null, NonResourceURLs: null }),
  }),
};

const LEVEL: Members = {
  Type: '',
  Limited: nested({
    NominalConcurrencyShares: 0,
    LimitResponse: nested({ Type: '', Queuing: nested({ Queues: 0, HandSize: 0, QueueLengthLimit: 0 }) }),
    LendablePercent: null,
    BorrowingLimitPercent: null,
  }),
  Exempt: nested({ NominalConcurrencyShares: null, LendablePercent: null }),
};

/** The specs of mandatory schemas are fixed. */
export function checkFixedSchema(name: string, spec: FlowSchemaSpec): FieldError[] {
  const fixed = MANDATORY_FLOW_SCHEMAS[name];
  if (fixed === undefined || deepEqual(spec, fixed)) return [];
  return [invalidValue('spec', unversioned(spec, SCHEMA), `spec of '${name}' must equal the fixed value`)];
}

/** The same for levels; administrators may change how much the exempt level lends. */
export function checkFixedLevel(name: string, spec: PriorityLevelConfigurationSpec): FieldError[] {
  const fixed = MANDATORY_PRIORITY_LEVELS[name];
  if (fixed === undefined) return [];
  const isExempt = name === EXEMPT;
  if (deepEqual(isExempt ? { ...spec, exempt: fixed.exempt } : spec, fixed)) return [];
  const what = isExempt ? "except the 'spec.exempt' field " : '';
  return [invalidValue('spec', unversioned(spec, LEVEL), `spec of '${name}' ${what}must equal the fixed value`)];
}
