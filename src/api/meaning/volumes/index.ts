// The meaning of claims, volumes and storage classes.
export * from './attachments.ts';
export * from './binding-annotations.ts';
export { inTreeVolume } from './in-tree-volume.ts';
export { translatedClass } from './migrated-class.ts';
export { driverOf, isOwnPlugin } from './migrated-plugins.ts';
export * from './pod-claims.ts';
export * from './storage-class-name.ts';
export {
  completeHandle,
  csiSourceOf,
  type InlineVolume,
  inlineVolumeOf,
  translatedVolume,
} from './translated-volume.ts';
export * from './volume-fit.ts';
