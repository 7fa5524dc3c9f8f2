export { canonicalBase64, decodeBase64, encodeBase64 } from './base64.ts';
export { canonicalQuantity } from './canonical-quantity.ts';
export {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainCaselessProblems,
  dns1123SubdomainProblems,
  dns1123SubdomainWithUnderscoreProblems,
  maskTrailingDash,
  wildcardDns1123SubdomainProblems,
} from './dns-names.ts';
export {
  domainPrefixedKeyProblems,
  domainPrefixedPathProblems,
  fullyQualifiedDomainNameProblems,
  fullyQualifiedNameProblems,
  type DomainProblem,
} from './domain-names.ts';
export {
  escapeFieldValue,
  FieldMatcher,
  parseFieldSelector,
  unescapeFieldValue,
  type FieldConversion,
  type FieldRequirement,
  type Fields,
} from './field-selector.ts';
export { parseGoInteger, type IntegerParser } from './go-integer.ts';
export { jsonGo, quoteGo, trimGo } from './go-text.ts';
export { instantOfMillis, isZeroInstant, millisOf, ZERO_INSTANT, type Instant } from './instant.ts';
export {
  intValueOf,
  isIntOrString,
  parseIntOrString,
  percentOf,
  scaleIntOrPercent,
  type IntOrString,
} from './int-or-string.ts';
export {
  formatCidr,
  formatInterfaceAddress,
  formatIp,
  isIpv4,
  isSameIp,
  maskIp,
  parseCidr,
  parseIp,
  type IpAddress,
  type IpPrefix,
} from './ip-address.ts';
export {
  cidrProblems,
  cidrWarnings,
  interfaceAddressProblems,
  ipProblems,
  ipWarnings,
  legacyCidrProblems,
  legacyIpProblems,
  type LegacyIpOptions,
} from './ip-problems.ts';
export {
  annotationKeyProblems,
  coreFinalizerNameProblems,
  finalizerNameProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from './label-names.ts';
export { checkRequirement, type LabelOperator, type LabelRequirement, type Labels } from './label-requirement.ts';
export {
  formatLabels,
  formatLabelSelector,
  LabelMatcher,
  matchEverything,
  matchLabels,
  matchLabelSelector,
  matchNothing,
  type LabelSelectorObject,
} from './label-selector.ts';
export {
  cIdentifierProblems,
  configMapKeyProblems,
  decimalIntegerProblems,
  envVarNameProblems,
  httpHeaderNameProblems,
  httpPathProblems,
  pathSegmentNameProblems,
  pathSegmentPrefixProblems,
  percentProblems,
  portNameProblems,
  portNumberProblems,
  rangeProblems,
  relaxedEnvVarNameProblems,
  unixIdProblems,
} from './names.ts';
export { parseLabelSelector } from './parse-label-selector.ts';
export { parseQuantity } from './parse-quantity.ts';
export {
  EMPTY_PROBLEM,
  patternProblem,
  NO_PROBLEMS,
  rangeProblem,
  maxLengthProblem,
  type LengthUnit,
  type Problems,
} from './problem-texts.ts';
export type { QuantityFormat } from './quantity-format.ts';
export { milliQuantityOf, Quantity, quantityOf } from './quantity.ts';
export {
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  formatGroupVersionKind,
  formatGroupVersionResource,
  groupVersionKindOf,
  parseGroupKind,
  parseGroupResource,
  parseGroupVersion,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
} from './resource-names.ts';
export {
  compareResourceVersions,
  formatResourceVersion,
  parseObjectResourceVersion,
  parseResourceVersion,
} from './resource-version.ts';
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime } from './times.ts';
export { ValueError } from './value-error.ts';

// The types that schemas describe need no tables either, and this is the door of those who do without them.
export { type StructuralOptions, type StructuralSchema, structuralShape } from '../schema/structural-schema.ts';
