import { CryptoRandom, RealClock } from '../../base/index.ts';
import type { ServedRuntime } from '../server/served-runtime.ts';
import { KeptImages } from './kept-images.ts';
import { KeptRuntime } from './kept-runtime.ts';
import type { CriRuntimeDefinition } from './runtime-definition.ts';

/**
 * A container runtime from a few functions: what a container's program does, and perhaps what commands, ports and images do. Ids, states,
 * logs, events, statistics and images are kept in memory for it. `serveCri` serves it to a kubelet.
 */
export function criRuntime(definition: CriRuntimeDefinition): ServedRuntime {
  const { clock = new RealClock(), random = new CryptoRandom(), pull } = definition;
  const runtime = new KeptRuntime(definition, { clock, random });
  return { runtime, images: new KeptImages(pull), logs: runtime.logs };
}
