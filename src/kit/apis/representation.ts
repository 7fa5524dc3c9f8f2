import { StatusError } from '../../api/index.ts';

/** The representation of an object or list that a client gets. */
export type Form = 'object' | 'Table' | 'PartialObjectMetadata';

const KINDS: Readonly<Record<string, Form>> = {
  Table: 'Table',
  PartialObjectMetadata: 'PartialObjectMetadata',
  PartialObjectMetadataList: 'PartialObjectMetadata',
};
const JSON_RANGES = new Set(['application/json', 'application/*', '*/*']);

/** The first representation in the Accept header that this server supports. */
export function formOf(accept: string | undefined): Form {
  if (accept === undefined || accept.trim() === '') return 'object';
  for (const clause of accept.split(',')) {
    const [range = '', ...parameters] = clause.split(';').map((part) => part.trim());
    if (!JSON_RANGES.has(range)) continue;
    const given = new Map(parameters.map((parameter) => parameter.split('=', 2) as [string, string]));
    const as = given.get('as');
    if (as === undefined) return 'object';
    const form = KINDS[as];
    if (form !== undefined && given.get('g') === 'meta.k8s.io' && given.get('v') === 'v1') return form;
  }
  const message = 'only the following media types are accepted: application/json, application/json;stream=watch';
  throw new StatusError({ code: 406, reason: 'NotAcceptable', message });
}
