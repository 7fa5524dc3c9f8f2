import type { ObjectMeta } from '../../api/index.ts';
import type { MatchResources, ParamKind, ParamRef } from '../../api/types/admissionregistration/v1.d.ts';
import type { Authorizer, ResourceRegistry, ServerObjects } from '../../apiserver/index.ts';
import type { Clock, MetricRegistry } from '../../base/index.ts';
import type { ConditionMetrics, MatchSources } from '../matching/index.ts';

/** What policies need from a server. */
export interface PolicySources extends MatchSources {
  readonly objects: ServerObjects;
  /** Answers `authorizer` in expressions. */
  readonly authorizer: Authorizer;
  /** The kinds of parameters. */
  readonly registry: Pick<ResourceRegistry, 'resourcesOf'>;
  readonly clock: Clock;
  readonly metrics: MetricRegistry;
  readonly conditionMetrics: ConditionMetrics;
}

/** What policies that validate and policies that mutate have in common. */
export interface Policy {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly paramKind?: ParamKind;
    readonly matchConstraints?: MatchResources;
    readonly failurePolicy?: 'Fail' | 'Ignore';
  };
}

export interface PolicyBinding {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
  };
}
