export { TemplateHasher } from './template-hash.ts';
