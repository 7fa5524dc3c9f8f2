import { managedFieldsProblem, withMeta } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { Admission } from '../admission.ts';

/** Runs mutating admission. Owners that it has made unreadable are put back as they were, with a warning. */
export async function admitMutating(admission: Admission, request: AdmissionRequest): Promise<void> {
  const before = request.object?.metadata.managedFields;
  await admission.mutate(request);
  const { object } = request;
  if (object === undefined || object.metadata.managedFields === before) return;
  const problem = managedFieldsProblem(object.metadata.managedFields);
  if (problem === undefined) return;
  restore(object, before);
  request.warn(
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating ' +
      `admission controller; please fix your requests: ${problem}`,
  );
}

function restore(object: ApiObject, managedFields: ApiObject['metadata']['managedFields']): void {
  object.metadata = withMeta(object.metadata, { managedFields });
}
