// A second door, for programs that only talk to an API server: everything except the tables of all types.
export type { ApiObject, ObjectMeta } from './object.ts';
export { keyOf, splitKey } from './object-key.ts';
export { encodeJson, encodeSortedJson } from './json/encode-json.ts';
export type { JsonCopy } from './json/json-copy.ts';
export type { JsonNode } from './json/json-node.ts';
export { blankSecret, LAST_APPLIED } from './meaning/blank-secret.ts';
export { changedFields } from './meaning/changed-fields.ts';
export { isNamespaceTerminating, NAMESPACE_TERMINATING } from './meaning/namespace-terminating.ts';
export { controllerOf, controllerReference } from './meaning/owner-references.ts';
export { amountsOf, podRequests } from './meaning/pod-resources.ts';
export type { JsonPatchOperation } from './patch/json-patch.ts';
export { jsonPatchBetween } from './patch/json-patch-between.ts';
export { requestVerb } from './request-verb.ts';
export {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbidden,
  hasReason,
  internalError,
  notFound,
  OBJECT_MODIFIED,
  pageNotFound,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  tooManyRequests,
  unauthorized,
} from './status.ts';
export { decodeBase64 } from './values/base64.ts';
export { dns1123SubdomainProblems, maskTrailingDash } from './values/dns-names.ts';
export { parseGoInteger } from './values/go-integer.ts';
export { millisOfGoSeconds, numberOfInt64 } from './values/go-seconds.ts';
export { quoteGo } from './values/go-text.ts';
export { instantOfMillis, millisOf } from './values/instant.ts';
export { scaleIntOrPercent } from './values/int-or-string.ts';
export { LabelMatcher, type LabelSelectorObject, matchLabels, matchLabelSelector } from './values/label-selector.ts';
export { parseLabelSelector } from './values/parse-label-selector.ts';
export { formatGroupResource, type GroupResource, pluralOf } from './values/resource-names.ts';
export { compareResourceVersions } from './values/resource-version.ts';
export { formatMicroTime, formatTime, parseMicroTime } from './values/times.ts';
export { ValueError } from './values/value-error.ts';
