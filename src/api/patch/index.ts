export { conversionError } from './conversion-error.ts';
export { duplicateFields } from './duplicate-fields.ts';
export { goText, goType } from './go-value-text.ts';
export { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
export { JsonPatchError } from './json-patch-error.ts';
export { applyMergePatch, mergePatching } from './merge-patch.ts';
export { inTouchedOrder, type Touched, touchedBy } from './touched-order.ts';
export { applyStrategicMergePatch, type StrategicallyMerged, strategicMerging } from './strategic-merge.ts';
export { StrategicMergeError } from './strategic-merge-error.ts';
