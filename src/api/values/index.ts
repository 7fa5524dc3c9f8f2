export { canonicalBase64, decodeBase64, encodeBase64 } from './base64.ts';
export { canonicalQuantity } from './canonical-quantity.ts';
export * from './dns-names.ts';
export * from './domain-names.ts';
export * from './field-selector.ts';
export { parseGoInteger, type IntegerParser } from './go-integer.ts';
export { millisOfGoSeconds, numberOfInt64 } from './go-seconds.ts';
export { escapedForHtml, jsonGo, quoteGo, quoteWhole, trimGo } from './go-text.ts';
export { instantOfMillis, isZeroInstant, millisOf, ZERO_INSTANT, type Instant } from './instant.ts';
export * from './int-or-string.ts';
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
export * from './ip-problems.ts';
export * from './label-names.ts';
export {
  checkRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  requirementProblems,
} from './label-requirement.ts';
export * from './label-selector.ts';
export * from './names.ts';
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
export * from './resource-names.ts';
export * from './resource-version.ts';
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime } from './times.ts';
export { ValueError } from './value-error.ts';

// Schema types without the type tables, for programs that do not load the tables.
export { type StructuralOptions, type StructuralSchema, structuralShape } from '../schema/structural-schema.ts';
export type { Direction, Reading, TypeOfSchema } from '../schema/type-of-schema.ts';
