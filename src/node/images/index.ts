// The images of a node: pulling them, and removing those that fill the disk.
export {
  HIGH_THRESHOLD_PERCENT,
  ImageCollector,
  type ImageLimits,
  LOW_THRESHOLD_PERCENT,
  MIN_AGE_MS as MIN_IMAGE_AGE_MS,
} from './image-collector.ts';
export type { CredentialPlugin } from './credential-plugins.ts';
export { imageNameProblem } from './image-name.ts';
export { type ImagePuller, type PullResult, PullsFailedError } from './image-puller.ts';
export { type NodeImageOptions, nodeImagePuller } from './node-images.ts';
export type { PulledRecord, PullRecords, VerificationPolicy } from './pull-verification.ts';
export { credentialsOf, type RegistryCredential } from './registry-credentials.ts';
