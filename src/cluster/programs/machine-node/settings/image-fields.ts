import { duration, flag, integer, NOT_YET, OBEYED, pointedInteger, text, texts } from './setting.ts';

/** Images: how they are pulled, who may use them, and when they are removed. */
export const imageFields = {
  serializeImagePulls: flag(undefined, OBEYED, 'serialize-image-pulls'),
  maxParallelImagePulls: pointedInteger(undefined, OBEYED),
  registryPullQPS: pointedInteger(5, NOT_YET, 'registry-qps'),
  registryBurst: integer(10, NOT_YET, 'registry-burst'),
  imagePullCredentialsVerificationPolicy: text('NeverVerifyPreloadedImages', NOT_YET),
  preloadedImagesVerificationAllowlist: texts([], NOT_YET),
  imageMinimumGCAge: duration(120_000, NOT_YET, 'minimum-image-ttl-duration'),
  imageMaximumGCAge: duration(0, NOT_YET),
  imageGCHighThresholdPercent: pointedInteger(85, NOT_YET, 'image-gc-high-threshold'),
  imageGCLowThresholdPercent: pointedInteger(80, NOT_YET, 'image-gc-low-threshold'),
};
