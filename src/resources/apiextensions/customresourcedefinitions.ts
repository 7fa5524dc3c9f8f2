import { formatTime, instantOfMillis, sentEmpty, withMeta } from '../../api/index.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionStatus,
} from '../../api/types/apiextensions/v1.d.ts';
import type { CustomResourceDefinitionSpec as OldSpec } from '../../api/types/apiextensions/v1beta1.d.ts';
import {
  checkDefinitionStatus,
  checkingDefinition,
  checkingDefinitionUpdate,
  definitionWarnings,
} from '../../crd/index.ts';
import { changes } from '../change.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { definitionConversion, fillOldSpec, OLD_VERSION } from './old-definitions.ts';

/** Holds a definition until all its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

type Definition = Whole<CustomResourceDefinition>;

export const customResourceDefinitions = ({ types }: KindEnvironment): Kind =>
  defineKind<CustomResourceDefinition>({
    group: 'apiextensions.k8s.io',
    allowsAnyFinalizer: true,
    plural: 'customresourcedefinitions',
    announcedVersions: ['v1beta1'],
    folder: 'apiextensions.k8s.io/customresourcedefinitions',
    requiresResourceVersion: true,
    raisesGeneration: changes('spec'),
    conversions: { v1beta1: definitionConversion },
    deprecations: {
      v1beta1:
        'apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition',
    },

    applyDefaults({ apiVersion, spec, status }) {
      if ((apiVersion as string | undefined) === OLD_VERSION) fillOldSpec(spec as unknown as OldSpec);
      dropEmptyConversion(spec);
      const { names } = spec;
      names.singular ||= (names.kind ?? '').toLowerCase();
      if (names.singular === '') delete names.singular;
      if ((names.kind ?? '') !== '') names.listKind ||= `${names.kind}List`;
      const stored = (spec.versions ?? []).find(({ storage }) => storage);
      if ((status.storedVersions ?? []).length === 0 && stored !== undefined) status.storedVersions = [stored.name];
    },

    /** Items that are neither a schema nor a list are null until the definition is read back. */
    complete(definition) {
      definition.spec = withoutNullItems(definition.spec) as Definition['spec'];
    },

    prepareForCreate: noteStoredVersion,
    prepareForUpdate: noteStoredVersion,
    validateInSteps: (definition, old) =>
      old === undefined
        ? checkingDefinition(definition, types.version)
        : checkingDefinitionUpdate(definition, old, types.version),
    validateStatus: checkDefinitionStatus,
    warnings: definitionWarnings,

    /** The first request only marks the definition: the controller that deletes its objects then removes the finalizer. */
    beforeDelete(definition, { now }) {
      const { metadata, status } = definition;
      if (metadata.deletionTimestamp !== undefined) return 'delete';
      const { finalizers = [] } = metadata;
      return {
        ...definition,
        metadata: withMeta(metadata, {
          deletionTimestamp: formatTime(instantOfMillis(now)),
          finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
        }),
        status: withTerminating(status, formatTime(instantOfMillis(now))),
      };
    },
  });

/** Members of a schema that hold values of any form. */
const FREE_FORM = new Set(['default', 'example', 'enum']);

/** The value itself if there is nothing to drop. */
function withoutNullItems(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutNullItems);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const kept = members
    .filter(([name, member]) => name !== 'items' || member !== null)
    .map(([name, member]) => [name, FREE_FORM.has(name) ? member : withoutNullItems(member)] as const);
  const isSame = kept.length === members.length && kept.every(([, member], index) => member === members[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}

/** Upstream has no place for a webhook that says nothing. */
function dropEmptyConversion({ conversion }: Definition['spec']): void {
  const { clientConfig, conversionReviewVersions } = conversion?.webhook ?? {};
  if (conversion?.webhook === undefined || clientConfig !== undefined) return;
  if ((conversionReviewVersions ?? sentEmpty(conversion.webhook, 'conversionReviewVersions')) === null)
    delete conversion.webhook;
}

/** Records the versions in which objects may have been stored. */
function noteStoredVersion(definition: Definition): void {
  const stored = (definition.spec.versions ?? []).find(({ storage }) => storage)?.name;
  const { storedVersions } = definition.status;
  if (stored === undefined || (storedVersions ?? []).includes(stored)) return;
  definition.status = { ...definition.status, storedVersions: [...(storedVersions ?? []), stored] };
}

function withTerminating(status: CustomResourceDefinitionStatus, at: string): CustomResourceDefinitionStatus {
  const conditions = status.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === 'Terminating');
  const known = conditions[index];
  const condition: CustomResourceDefinitionCondition = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime:
      known?.status === 'True' && known.lastTransitionTime !== undefined ? known.lastTransitionTime : at,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return { ...status, conditions: index < 0 ? [...conditions, condition] : conditions.with(index, condition) };
}
