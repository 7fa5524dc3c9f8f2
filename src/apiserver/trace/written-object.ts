import type { ApiObject } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import { StoredObject } from '../storage/stored-object.ts';
import type { RequestTrace } from './request-trace.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Records in the trace which object a write has stored or deleted, as its answer says. */
export function noteWritten(answer: Answer, call: Call, trace: RequestTrace): void {
  if (READS.has(call.request.method)) return;
  if (answer.type === 'object' && answer.object instanceof StoredObject) {
    const { key, revision } = answer.object;
    trace.wrote({ name: key.slice(key.lastIndexOf('/') + 1), resourceVersion: String(revision) });
  } else if (answer.type === 'object' && !call.request.query.has('dryRun')) {
    // a part of an object, such as its scale; or a deletion, whose answer is the object as it was
    const { name = '', resourceVersion } = (answer.object as ApiObject).metadata ?? {};
    if (name === '' || resourceVersion === undefined) return;
    trace.wrote(call.request.method === 'DELETE' ? { name } : { name, resourceVersion });
  } else if (answer.type === 'status' && answer.status.code < 300) {
    const { name = call.info.name } = answer.status.details ?? {};
    if (name !== '') trace.wrote({ name });
  }
}
