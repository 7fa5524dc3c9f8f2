// What commands and tests may import: reading the objects of files, and applying them.
export { applyManifests, type ApplyManifestsOptions, isGround, type LoadOptions } from './apply-manifests.ts';
export { type Document, documentsIn } from './documents.ts';
export { type Manifest, manifestsIn, readManifests } from './read-manifests.ts';
