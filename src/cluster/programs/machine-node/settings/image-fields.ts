import { duration, flag, integer, NOT_YET, OBEYED, pointedInteger, text, texts } from '../../settings/setting.ts';

/** Images: how they are pulled, who may use them, and when they are removed. */
export const imageFields = {
  serializeImagePulls: flag(undefined, OBEYED, 'serialize-image-pulls'),
  maxParallelImagePulls: pointedInteger(undefined, OBEYED),
  registryPullQPS: pointedInteger(5, NOT_YET, 'registry-qps'),
  registryBurst: integer(10, NOT_YET, 'registry-burst'),
  imagePullCredentialsVerificationPolicy: text('NeverVerifyPreloadedImages', OBEYED),
  preloadedImagesVerificationAllowlist: texts([], OBEYED),
  imageMinimumGCAge: duration(120_000, OBEYED, 'minimum-image-ttl-duration'),
  imageMaximumGCAge: duration(0, OBEYED),
  imageGCHighThresholdPercent: pointedInteger(85, OBEYED, 'image-gc-high-threshold'),
  imageGCLowThresholdPercent: pointedInteger(80, OBEYED, 'image-gc-low-threshold'),
};
