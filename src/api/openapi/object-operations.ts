import type { EndpointBuilder, OperationDetails } from './endpoint-builder.ts';
import type { DocumentedType } from './served-resource.ts';

/** POST of an object; the caller describes it. */
export function creation(builder: EndpointBuilder, type: DocumentedType): Omit<OperationDetails, 'description'> {
  return {
    method: 'post',
    verb: 'create',
    action: 'post',
    answer: type,
    codes: [200, 201, 202],
    parameters: builder.options('CreateOptions'),
    body: { type, isRequired: true },
  };
}

/** The object at one path. */
export interface ObjectAtPath {
  readonly verbs: readonly string[];
  readonly type: DocumentedType;
  /** Its name in descriptions. */
  readonly subject: string;
  readonly suffix: string;
  readonly isCustom: boolean;
}

/** GET, PUT and PATCH, as far as the verbs allow. */
export function addReadAndWrite(builder: EndpointBuilder, path: string, object: ObjectAtPath): void {
  const { verbs, type, subject, suffix, isCustom } = object;
  const common = { suffix, answer: type, kind: type.kind };
  if (verbs.includes('get')) {
    builder.add(path, {
      ...common,
      method: 'get',
      verb: 'read',
      action: 'get',
      description: `read the specified ${subject}`,
      parameters: isCustom ? builder.options('GetOptions') : [],
    });
  }
  if (verbs.includes('update')) {
    builder.add(path, {
      ...common,
      method: 'put',
      verb: 'replace',
      action: 'put',
      description: `replace the specified ${subject}`,
      codes: [200, 201],
      parameters: builder.options('UpdateOptions'),
      body: { type, isRequired: true },
    });
  }
  if (verbs.includes('patch')) {
    builder.add(path, {
      ...common,
      method: 'patch',
      verb: 'patch',
      action: 'patch',
      description: `change parts of the specified ${subject}`,
      codes: isCustom ? [200] : [200, 201],
      parameters: builder.options('PatchOptions'),
      body: { type: builder.meta('Patch'), isRequired: true },
      consumes: builder.style.patches,
    });
  }
}
