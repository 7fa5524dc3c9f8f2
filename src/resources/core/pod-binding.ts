import { badRequest, conflict, notSupported, quoteGo, required, StatusError, withMeta } from '../../api/index.ts';
import { fieldErrorText } from '../../api/index.ts';
import type { ApiObject, FieldError } from '../../api/index.ts';
import type { Binding, Pod, PodStatus } from '../../api/types/core/v1.d.ts';
import type { WriteContext } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';
import { withEntries } from '../object-meta.ts';
import { withCondition } from './pod-conditions.ts';
import { withMembers } from '../../base/index.ts';

const PODS = { group: '', resource: 'pods' };
const BINDING = { group: '', resource: 'pods/binding' };

/** Refuses a binding that names another pod than the path, or no node. */
export function checkBinding(binding: ApiObject, name: string): void {
  if ((binding.metadata.name ?? '') !== name) throw badRequest('name in URL does not match name in Binding object');
  const { target } = binding as unknown as Binding;
  const errors: FieldError[] = [];
  const kind = target.kind ?? '';
  if (kind !== '' && kind !== 'Node') errors.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  if ((target.name ?? '') === '') errors.push(required('target.name'));
  if (errors.length === 0) return;
  const texts = errors.map(fieldErrorText);
  throw new StatusError({ code: 500, message: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]` });
}

/** The pod bound to its node; refuses if it is bound already, is being deleted or has scheduling gates. */
export function boundPod(
  found: ApiObject,
  binding: ApiObject,
  { now, dryRun }: Pick<WriteContext, 'now' | 'dryRun'>,
): ApiObject {
  const pod = found as Whole<Pod> & ApiObject;
  checkPreconditions(pod, binding, dryRun ? '' : '/registry');
  const { name = '', labels, annotations } = pod.metadata;
  const refuse = (why: string): StatusError => conflict(BINDING, name, why);
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const { nodeName = '', schedulingGates = [] } = pod.spec;
  if (nodeName !== '') throw refuse(`pod ${name} is already assigned to node ${quoteGo(nodeName)}`);
  if (schedulingGates.length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const { target } = binding as unknown as Binding;
  const { nominatedNodeName: _, ...status } = pod.status;
  const scheduled: PodStatus = withCondition(status, { type: 'PodScheduled', status: 'True' }, now);
  return {
    ...pod,
    metadata: withMeta(pod.metadata, {
      annotations: merged(annotations, binding.metadata.annotations),
      labels: merged(labels, binding.metadata.labels),
    }),
    spec: withMembers(pod.spec, { nodeName: target.name ?? '' }),
    status: scheduled,
  };
}

type StringMap = Readonly<Record<string, string>> | undefined;

function merged(own: StringMap, added: StringMap): Record<string, string> | undefined {
  return added === undefined ? own : withEntries(own, added);
}

/**
 * A binding may have the uid and version of the pod that the scheduler saw as preconditions. `prefix` is that of keys in the
 * storage, which upstream does not reach in dry runs.
 */
function checkPreconditions({ metadata }: Whole<Pod>, binding: ApiObject, prefix: string): void {
  const { namespace = '', name = '' } = metadata;
  const { uid = '', resourceVersion = '' } = binding.metadata;
  const fail = (field: string, wanted: string, actual: string | undefined): StatusError =>
    conflict(
      PODS,
      name,
      `StorageError: invalid object, Code: 4, Key: ${prefix}/pods/${namespace}/${name}, ResourceVersion: 0, ` +
        `AdditionalErrorMsg: Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${actual}`,
    );
  if (uid !== '' && uid !== metadata.uid) throw fail('UID', uid, metadata.uid);
  if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
    throw fail('ResourceVersion', resourceVersion, metadata.resourceVersion);
  }
}

/** The answer to a successful binding or eviction. */
export function created(): ApiObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}
