import type { AdmissionResponse, AdmissionReview } from '../../api/types/admission/v1.d.ts';
import { encodeJson, quoteGo, type TypeTable } from '../../api/index.ts';
import { type AdmissionAttributes, readReview, type WebhookAnswer } from '../../apiserver/index.ts';
import { admissionRequest } from './admission-request.ts';

const GROUP = 'admission.k8s.io';
const KIND = 'AdmissionReview';
/** Versions of the review that this server speaks. */
const VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** One question to a webhook. */
export interface ReviewQuestion {
  readonly uid: string;
  readonly version: string;
  readonly isMutating: boolean;
}

/** The first version that both the webhook and this server understand. */
export function reviewVersion(understood: readonly string[]): string | undefined {
  return understood.find((version) => VERSIONS.includes(version));
}

export function reviewText(attributes: AdmissionAttributes, { uid, version }: ReviewQuestion): string {
  const { dryRun, options, ...head } = admissionRequest(attributes);
  const { object = null, old: oldObject = null } = attributes;
  const request = { uid, ...head, object, oldObject, dryRun, options };
  return `${encodeJson({ kind: KIND, apiVersion: `${GROUP}/${version}`, request })}\n`;
}

/** Parses the returned review; throws when it is not one. */
export function readAdmissionReview(answer: WebhookAnswer, version: string, types: TypeTable): ReadAdmissionReview {
  return readReview<AdmissionReview>(answer, { types, group: GROUP, kind: KIND, version, versions: VERSIONS });
}

type ReadAdmissionReview = ReturnType<typeof readReview<AdmissionReview>>;

/** The response in a review, if it answers the question; throws otherwise. Version v1beta1 was never checked. */
export function verifiedResponse(
  { typeMeta, review }: ReadAdmissionReview,
  question: ReviewQuestion,
): AdmissionResponse {
  const { response } = review;
  if (response === undefined) throw new Error('webhook response was absent');
  if (question.version !== 'v1') {
    const patchType = (response.patch ?? '') === '' ? '' : 'JSONPatch';
    return question.isMutating ? { ...response, patchType } : response;
  }
  if (response.uid !== question.uid) {
    throw new Error(`expected response.uid=${quoteGo(question.uid)}, got ${quoteGo(response.uid ?? '')}`);
  }
  if (typeMeta.kind !== KIND || typeMeta.apiVersion !== `${GROUP}/v1`) {
    const got = `${typeMeta.apiVersion || '/'}, Kind=${typeMeta.kind}`;
    throw new Error(`expected webhook response of ${GROUP}/v1, Kind=${KIND}, got ${got}`);
  }
  const problem = patchProblem(response, question.isMutating);
  if (problem !== undefined) throw new Error(problem);
  return response;
}

function patchProblem({ patch = '', patchType }: AdmissionResponse, isMutating: boolean): string | undefined {
  if (!isMutating) {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch !== '' && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patch === '' && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}
