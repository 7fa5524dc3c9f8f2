import {
  asJson,
  coreFinalizerNameProblems,
  formatTime,
  instantOfMillis,
  invalidValue,
  withMeta,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Namespace } from '../../api/types/core/v1.d.ts';
import type { Strategy } from '../../apiserver/index.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { labelName } from '../name-rules.ts';
import { withEntries } from '../object-meta.ts';

/** Holds a namespace until everything in it is deleted. */
export const KUBERNETES_FINALIZER = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

export const namespaces = defineKind<Namespace>({
  changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
  group: '',
  plural: 'namespaces',
  columns: [
    nameColumn,
    column('Status', 'Whether it is in use or going away', ({ status }) => status?.phase ?? ''),
    ageColumn,
  ],
  checkName: labelName,
  returnsDeletedObject: 'unannounced',
  resetFields: { '': ['status'], finalize: ['status'], status: ['spec'] },

  applyDefaults(namespace) {
    if ((namespace.metadata.name ?? '') !== '') labelWithName(namespace);
  },

  prepareForCreate(namespace) {
    labelWithName(namespace); // a generated name is only known now
    namespace.status = { phase: 'Active' };
    const { finalizers = [] } = namespace.spec;
    if (finalizers.includes(KUBERNETES_FINALIZER)) return;
    namespace.spec = { ...namespace.spec, finalizers: [...finalizers, KUBERNETES_FINALIZER] };
  },

  prepareForUpdate(namespace, old) {
    labelWithName(namespace);
    namespace.spec = { ...namespace.spec, finalizers: old.spec.finalizers };
  },

  validate: checkNamespace,
  validateStatus: checkNamespaceStatus,

  /** The first request only sets the phase; the namespace controller then deletes the contents. */
  beforeDelete(namespace, { now }) {
    if (namespace.metadata.deletionTimestamp !== undefined) {
      return (namespace.spec.finalizers ?? []).length === 0 ? 'delete' : namespace;
    }
    return {
      ...namespace,
      metadata: withMeta(namespace.metadata, { deletionTimestamp: formatTime(instantOfMillis(now)) }),
      status: { ...namespace.status, phase: 'Terminating' },
    };
  },

  mayDisappear: ({ spec }) => (spec.finalizers ?? []).length === 0,
  selectable: { 'status.phase': ({ status }) => status.phase ?? '' },
  subresources: {
    finalize: (info, own) => ({ type: 'view', verbs: info.verbs, strategy: finalizeStrategy(own) }),
  },
});

function labelWithName(namespace: Whole<Namespace>): void {
  const { name = '', labels } = namespace.metadata;
  if (labels?.[NAME_LABEL] === name) return;
  namespace.metadata = withMeta(namespace.metadata, { labels: withEntries(labels, { [NAME_LABEL]: name }) });
}

/** The only way to change a namespace's finalizers; it changes nothing else. */
function finalizeStrategy(own: Strategy): Strategy {
  return {
    ...own,
    prepareForUpdate(object, old) {
      object['status'] = old['status'];
    },
    validateUpdate: (object) => checkFinalize(object as never),
  };
}

function checkNamespace({ spec }: Whole<Namespace>): FieldError[] {
  return (spec.finalizers ?? []).flatMap((name) =>
    coreFinalizerNameProblems(name).map((problem) => invalidValue('spec.finalizers', name, problem)),
  );
}

/** The phase must agree with the deletion mark: only deleting a namespace makes it terminate. */
function checkNamespaceStatus({ metadata, status }: Whole<Namespace>): FieldError[] {
  const isGoing = metadata.deletionTimestamp !== undefined;
  const expected = isGoing ? 'Terminating' : 'Active';
  if (status.phase === expected) return [];
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isGoing ? 'not ' : ''}empty`;
  return [invalidValue('status.Phase', asJson(status.phase ?? ''), detail)];
}

function checkFinalize({ spec }: Whole<Namespace>): FieldError[] {
  return (spec.finalizers ?? []).flatMap((name, index) =>
    coreFinalizerNameProblems(name).map((problem) => invalidValue(`spec.finalizers[${index}]`, name, problem)),
  );
}
