export { safeDigits } from './safe-digits.ts';
export { TemplateHasher } from './template-hash.ts';
