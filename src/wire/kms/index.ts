// What other folders may use: the protocol between API servers and key management plugins.
export { annotationEntries, annotationsField, annotationsOf, type KmsAnnotations, kmsV2 } from './kms-v2.ts';
