// `npm run conformance:images`: makes the container images of the end-to-end suite without an image registry.
import { resolve } from 'node:path';
import { whyNoDebian } from '../../../peers/index.ts';
import { buildSuiteImages, whyNoPrograms } from './suite-images.ts';

const reason = whyNoPrograms() ?? whyNoDebian();
if (reason === undefined) {
  const started = performance.now();
  await buildSuiteImages({ source: resolve(import.meta.dirname, '..', '..', '..', 'peers'), print: console.log });
  console.log(`done in ${Math.round((performance.now() - started) / 1000)} s`);
} else {
  console.log(`images are not made: ${reason}`);
}
