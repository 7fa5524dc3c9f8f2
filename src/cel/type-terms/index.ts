export * from './type.ts';
export { formatSignature, formatType } from './type.ts';
export { Substitutions } from './substitutions.ts';
