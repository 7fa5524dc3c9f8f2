export * from './type.ts';
export { formatSignature, formatType } from './format-type.ts';
export { Substitutions } from './substitutions.ts';
