import { formatTime, instantOfMillis } from '../api/index.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from '../api/types/apiextensions/v1.d.ts';
import type { ObjectMeta } from '../api/index.ts';

/** A definition as the server has stored it. */
export type Definition = CustomResourceDefinition & {
  readonly metadata: ObjectMeta & { readonly name: string };
  readonly spec: CustomResourceDefinitionSpec;
  readonly status?: CustomResourceDefinitionStatus;
};

export type Condition = Required<Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'>>;

export function conditionOf(definition: Definition, type: string): CustomResourceDefinitionCondition | undefined {
  return definition.status?.conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(definition: Definition, type: string): boolean {
  return conditionOf(definition, type)?.status === 'True';
}

/** Whether a condition already has this content, ignoring its times. */
export function isSaid(definition: Definition, wanted: Condition): boolean {
  const known = conditionOf(definition, wanted.type);
  return known?.status === wanted.status && known.reason === wanted.reason && known.message === wanted.message;
}

/** The definition with a condition; its transition time changes with its status. */
export function withCondition(definition: Definition, wanted: Condition, now: number): Definition {
  const conditions = definition.status?.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === wanted.type);
  const known = conditions[index];
  const { type, status, reason, message } = wanted;
  const isSame = known?.status === status && known.lastTransitionTime !== undefined;
  const lastTransitionTime = isSame ? known.lastTransitionTime : formatTime(instantOfMillis(now));
  const condition: CustomResourceDefinitionCondition = { type, status, lastTransitionTime, reason, message };
  return withStatus(definition, {
    conditions: index < 0 ? [...conditions, condition] : conditions.with(index, condition),
  });
}

export function withoutCondition(definition: Definition, type: string): Definition {
  const conditions = (definition.status?.conditions ?? []).filter((condition) => condition.type !== type);
  return withStatus(definition, { conditions });
}

export function withStatus(definition: Definition, changes: Partial<CustomResourceDefinitionStatus>): Definition {
  return { ...definition, status: { ...definition.status, ...changes } as CustomResourceDefinitionStatus };
}

export function withoutFinalizer(definition: Definition, finalizer: string): Definition {
  const finalizers = (definition.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  const { finalizers: _, ...metadata } = definition.metadata;
  return { ...definition, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
}
