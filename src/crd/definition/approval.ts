import { type FieldError, invalidValue, required } from '../../api/index.ts';
import { parseRequestUri, UrlError } from '../../cel/index.ts';
import type { Definition } from './definition.ts';

/** The annotation that links to the approval of an API in one of Kubernetes' own groups. */
export const APPROVAL_ANNOTATION = 'api-approved.kubernetes.io';

/** The condition KubernetesAPIApprovalPolicyConformant of a definition. */
export interface ApprovalState {
  readonly status: 'True' | 'False';
  readonly reason: 'InvalidAnnotation' | 'MissingAnnotation' | 'ApprovedAnnotation' | 'UnapprovedAnnotation';
  readonly message: string;
}

/** Whether the API is approved; undefined when its group is not one of Kubernetes' own. */
export function apiApprovalState({ metadata, spec }: Pick<Definition, 'metadata' | 'spec'>): ApprovalState | undefined {
  if (!/^(?:.*\.)?(?:k8s|kubernetes)\.io$/s.test(spec.group ?? '')) return undefined;
  const text = metadata.annotations?.[APPROVAL_ANNOTATION] ?? '';
  const demand = `protected groups must have approval annotation "${APPROVAL_ANNOTATION}"`;
  const policy = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (text === '') return { status: 'False', reason: 'MissingAnnotation', message: `${demand}, ${policy}` };
  if (text.startsWith('unapproved'))
    return { status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(text)}` };
  if (isUrl(text)) return { status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${text}` };
  const message = `${demand} with either a URL or a reason starting with "unapproved", ${policy}`;
  return { status: 'False', reason: 'InvalidAnnotation', message };
}

function isUrl(text: string): boolean {
  try {
    const { host, scheme } = parseRequestUri(text);
    return host !== '' && scheme !== '';
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

/** An update that leaves the approval state unchanged is never refused for it. */
export function checkApproval(definition: Definition, old: Definition | undefined): FieldError[] {
  const state = apiApprovalState(definition);
  if (state === undefined) return [];
  if (old !== undefined && apiApprovalState({ ...old, spec: definition.spec })?.reason === state.reason) return [];
  const path = `metadata.annotations[${APPROVAL_ANNOTATION}]`;
  if (state.reason === 'MissingAnnotation') return [required(path, state.message)];
  if (state.reason !== 'InvalidAnnotation') return [];
  return [invalidValue(path, definition.metadata.annotations?.[APPROVAL_ANNOTATION], state.message)];
}
