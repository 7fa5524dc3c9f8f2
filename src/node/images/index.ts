// The images of a node: pulling them, and removing those that fill the disk.
export {
  HIGH_THRESHOLD_PERCENT,
  ImageCollector,
  LOW_THRESHOLD_PERCENT,
  MIN_AGE_MS as MIN_IMAGE_AGE_MS,
} from './image-collector.ts';
export { ImagePuller, type PullResult } from './image-puller.ts';
