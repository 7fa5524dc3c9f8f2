export { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
export { JsonPatchError } from './json-patch-error.ts';
export { applyMergePatch } from './merge-patch.ts';
