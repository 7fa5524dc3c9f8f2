// The meaning of claims, volumes and storage classes.
export * from './attachments.ts';
export * from './binding-annotations.ts';
export { driverOf, isOwnPlugin } from './migrated-plugins.ts';
export * from './pod-claims.ts';
export * from './storage-class-name.ts';
export { csiSourceOf } from './translated-volume.ts';
export * from './volume-fit.ts';
